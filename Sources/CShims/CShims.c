#define _GNU_SOURCE
#include "CShims.h"

#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

_Static_assert(SHIM_NO_SIGNAL == MSG_NOSIGNAL, "see CShims.h");

int shim_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int shim_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, token);
}

int shim_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, token);
}

int shim_epoll_remove(int epoll, int descriptor) { return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int shim_epoll_wait(int epoll, struct shim_ready *ready, int milliseconds) {
    struct epoll_event events[SHIM_READY_CAPACITY];
    int count = epoll_wait(epoll, events, SHIM_READY_CAPACITY, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].token = events[i].data.u64;
        ready[i].events = events[i].events;
    }
    return count;
}

int shim_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

static void fill(sigset_t *set, const int *signals, size_t count) {
    sigemptyset(set);
    for (size_t i = 0; i < count; i++) {
        sigaddset(set, signals[i]);
    }
}

int shim_signalfd(const int *signals, size_t count) {
    sigset_t set;
    fill(&set, signals, count);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int shim_next_signal(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t length = read(descriptor, &info, sizeof info);
    return length == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

int shim_block_signals(const int *signals, size_t count) {
    sigset_t set;
    fill(&set, signals, count);
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return 0;
}

int shim_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int shim_socket_flags(void) { return SOCK_NONBLOCK | SOCK_CLOEXEC; }

int shim_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int shim_unix_socket_blocking(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int shim_peer_credentials(int descriptor, uid_t *user, gid_t *group, pid_t *process) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
        return -1;
    }
    *user = credentials.uid;
    *group = credentials.gid;
    *process = credentials.pid;
    return 0;
}

static void set_option(int descriptor, int level, int option, int value) {
    (void)setsockopt(descriptor, level, option, &value, sizeof value);
}

void shim_tune_tcp(int descriptor, unsigned user_timeout_ms) {
    set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)user_timeout_ms);
}

void shim_reset_when_closed(int descriptor) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

int shim_socket_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        return errno;
    }
    return error;
}

void shim_name_thread(const char *name) {
    char text[16];
    strncpy(text, name, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)pthread_setname_np(pthread_self(), text);
}

int shim_file_version(const char *path, struct shim_file_version *version) {
    struct stat status;
    memset(version, 0, sizeof *version);
    if (stat(path, &status) != 0) {
        return -1;
    }
    version->seconds = status.st_mtim.tv_sec;
    version->nanoseconds = status.st_mtim.tv_nsec;
    version->size = status.st_size;
    version->inode = status.st_ino;
    return 0;
}

int64_t shim_milliseconds(const struct timeval *time) { return (int64_t)time->tv_sec * 1000 + time->tv_usec / 1000; }

int shim_trim_memory(void) { return malloc_trim(0); }

size_t shim_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int64_t shim_nanoseconds(int clock) {
    struct timespec time = {0};
    // Fails only for a clock that does not exist.
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
