#define _GNU_SOURCE
#include "CShims.h"

#include <arpa/nameser.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <resolv.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 20);
    set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)user_timeout_ms);
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

int shim_parse_srv(const uint8_t *answer, size_t length, struct shim_srv *records, size_t capacity, size_t *count) {
    ns_msg message;
    *count = 0;
    if (length > 65535 || ns_initparse(answer, (int)length, &message) != 0) {
        return SHIM_SRV_FAILED;
    }
    int total = ns_msg_count(message, ns_s_an);
    for (int i = 0; i < total && *count < capacity; i++) {
        ns_rr record;
        if (ns_parserr(&message, ns_s_an, i, &record) != 0) {
            return SHIM_SRV_FAILED;
        }
        // A CNAME on the way is answered beside the records it leads to: passed over.
        if (ns_rr_type(record) != ns_t_srv || ns_rr_class(record) != ns_c_in) {
            continue;
        }
        const uint8_t *data = ns_rr_rdata(record);
        if (ns_rr_rdlen(record) < 7) {
            return SHIM_SRV_FAILED;
        }
        struct shim_srv *out = &records[*count];
        out->priority = (uint16_t)((data[0] << 8) | data[1]);
        out->weight = (uint16_t)((data[2] << 8) | data[3]);
        out->port = (uint16_t)((data[4] << 8) | data[5]);
        char target[NS_MAXDNAME];
        if (dn_expand(ns_msg_base(message), ns_msg_end(message), data + 6, target, sizeof target) < 0) {
            return SHIM_SRV_FAILED;
        }
        size_t size = strlen(target);
        if (size > 0 && target[size - 1] == '.') {
            target[--size] = '\0';
        }
        if (size >= sizeof out->target) {
            return SHIM_SRV_FAILED;
        }
        memcpy(out->target, target, size + 1);
        *count += 1;
    }
    return *count > 0 ? SHIM_SRV_FOUND : SHIM_SRV_NONE;
}

int shim_query_srv(const char *name, uint8_t *answer, size_t capacity, size_t *length) {
    *length = 0;
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) {
        return SHIM_SRV_FAILED;
    }
    state.retrans = 3;
    state.retry = 2;
    int size = capacity < 65535 ? (int)capacity : 65535;
    int used = res_nquery(&state, name, ns_c_in, ns_t_srv, answer, size);
    int result = SHIM_SRV_FOUND;
    if (used < 0) {
        result = state.res_h_errno == HOST_NOT_FOUND || state.res_h_errno == NO_DATA ? SHIM_SRV_NONE : SHIM_SRV_FAILED;
    } else {
        *length = (size_t)(used < size ? used : size);
    }
    res_nclose(&state);
    return result;
}
