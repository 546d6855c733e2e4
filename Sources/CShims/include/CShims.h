// What Swift cannot import of glibc: macros and structs behind feature switches.
//
// _GNU_SOURCE must not be defined here: it changes glibc's own structs and clashes with Swift's Glibc module. What needs it
// stands in CShims.c.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/types.h>

// epoll_event is a packed struct with a union; one number of 64 bits is all that the loop needs.
struct shim_ready {
    uint64_t token;
    uint32_t events;
};

enum {
    SHIM_READABLE = EPOLLIN,
    SHIM_WRITABLE = EPOLLOUT,
    SHIM_ERROR = EPOLLERR,
    SHIM_HANGUP = EPOLLHUP,
    SHIM_READY_CAPACITY = 128,
};

// MSG_NOSIGNAL, as a number: Swift's Glibc module loses it in release builds once another module has <sys/socket.h>, and
// including that here would make this module another.
enum { SHIM_NO_SIGNAL = 0x4000 };

// All of these return -1 and set errno on failure.
int shim_epoll_create(void);
int shim_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token);
int shim_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t token);
int shim_epoll_remove(int epoll, int descriptor);
// Waits for at most `milliseconds` (-1: for ever) and writes at most SHIM_READY_CAPACITY events.
int shim_epoll_wait(int epoll, struct shim_ready *ready, int milliseconds);

int shim_eventfd(void);
// A signalfd of the given signals, non-blocking.
int shim_signalfd(const int *signals, size_t count);
// The next signal of a signalfd; 0 when there is none.
int shim_next_signal(int descriptor);
int shim_block_signals(const int *signals, size_t count);

// Non-blocking, closed on exec.
int shim_socket(int family);
// What a socket's type is joined with for both.
int shim_socket_flags(void);
int shim_accept(int listener);
// Blocking, closed on exec.
int shim_unix_socket_blocking(void);

int shim_peer_credentials(int descriptor, uid_t *user, gid_t *group, pid_t *process);
// No delay, keep-alive probes, and an end after `user_timeout_ms` without acknowledgement. Best effort.
//
// Linux drops an idle connection once that timeout has passed since the peer's last word and one probe is out, however many
// probes TCP_KEEPCNT allows: probes begin well before it, so that three of them must be lost (at 30, 40 and 50 s of 60).
void shim_tune_tcp(int descriptor, unsigned user_timeout_ms);
// Lets `close` send a reset (RST).
void shim_reset_when_closed(int descriptor);
// The pending error of a socket (SO_ERROR), or errno when even that fails.
int shim_socket_error(int descriptor);

void shim_name_thread(const char *name);

// The time of a clock of the system. Which module timespec's members belong to depends, as above, on the order of things.
int64_t shim_nanoseconds(int clock);

// Gives pages of the heap that are free back to the system; 1 where there were some.
int shim_trim_memory(void);
// Bytes of the heap that are allocated, in all arenas.
size_t shim_heap_in_use(void);

struct timeval;
// In whole milliseconds. Which module timeval's members belong to depends on which one the compiler meets first.
int64_t shim_milliseconds(const struct timeval *time);

// What tells that a file is another than before.
struct shim_file_version {
    int64_t seconds;
    int64_t nanoseconds;
    int64_t size;
    uint64_t inode;
};

// All zero where there is no such file.
int shim_file_version(const char *path, struct shim_file_version *version);
