// What Swift cannot import of glibc: macros, structs behind feature switches, and the resolver.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
