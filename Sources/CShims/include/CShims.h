// What Swift cannot import of glibc: macros, structs behind feature switches, and the resolver.
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
int shim_accept(int listener);
// Blocking, closed on exec.
int shim_unix_socket_blocking(void);

int shim_peer_credentials(int descriptor, uid_t *user, gid_t *group, pid_t *process);
// No delay, keepalive probes, and an end after `user_timeout_ms` without acknowledgement. Best effort.
void shim_tune_tcp(int descriptor, unsigned user_timeout_ms);
// The pending error of a socket (SO_ERROR), or errno when even that fails.
int shim_socket_error(int descriptor);

void shim_name_thread(const char *name);

// One SRV record (RFC 2782), the target as text without its last dot; the root is "".
struct shim_srv {
    uint16_t priority;
    uint16_t weight;
    uint16_t port;
    char target[256];
};

enum shim_srv_result {
    // There is an answer, or records in it.
    SHIM_SRV_FOUND = 0,
    // No such name, or no record of the type there.
    SHIM_SRV_NONE = 1,
    // No name server answered, or with an error.
    SHIM_SRV_FAILED = 2,
};

// Asks for SRV records and writes the name server's answer as it came. Blocking; thread-safe (a resolver state of its own).
int shim_query_srv(const char *name, uint8_t *answer, size_t capacity, size_t *length);
// Reads at most `capacity` SRV records out of such an answer, whatever bytes it has.
int shim_parse_srv(const uint8_t *answer, size_t length, struct shim_srv *records, size_t capacity, size_t *count);
