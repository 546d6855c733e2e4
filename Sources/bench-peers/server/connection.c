#include "server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

long resumed_handshakes, full_handshakes;

// Dead connections: freed at the end of the turn, since its events may still name them.
static struct connection **dead;
static int dead_count, dead_capacity;

void connection_accept(int listener) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) {
            return;
        }
        int one = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct connection *connection = calloc(1, sizeof *connection);
        connection->descriptor = descriptor;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        if (epoll_ctl(settings.epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
            fail("epoll_ctl: %s", strerror(errno));
        }
    }
}

void connection_die(struct connection *connection) {
    if (connection->is_dead) {
        return;
    }
    connection->is_dead = true;
    load_offline(connection);
    if (dead_count == dead_capacity) {
        dead_capacity = dead_capacity == 0 ? 64 : dead_capacity * 2;
        dead = realloc(dead, sizeof *dead * (size_t)dead_capacity);
    }
    dead[dead_count++] = connection;
}

void connections_sweep(void) {
    for (int i = 0; i < dead_count; i++) {
        struct connection *connection = dead[i];
        SSL_free(connection->tls);
        close(connection->descriptor);
        bytes_free(&connection->input);
        bytes_free(&connection->output);
        free(connection->login);
        free(connection);
    }
    dead_count = 0;
}

static void watch(struct connection *connection, bool waits_for_room) {
    if (connection->waits_for_room == waits_for_room) {
        return;
    }
    connection->waits_for_room = waits_for_room;
    struct epoll_event event = {.events = EPOLLIN | (waits_for_room ? EPOLLOUT : 0), .data.ptr = connection};
    epoll_ctl(settings.epoll, EPOLL_CTL_MOD, connection->descriptor, &event);
}

void connection_flush(struct connection *connection) {
    size_t sent = 0;
    bool is_full = false;
    while (!connection->is_dead && sent < connection->output.length && !is_full) {
        const char *data = connection->output.data + sent;
        size_t length = connection->output.length - sent;
        if (connection->tls_state == TLS_UP) {
            size_t written = 0;
            int result = SSL_write_ex(connection->tls, data, length, &written);
            if (result == 1) {
                sent += written;
            } else if (SSL_get_error(connection->tls, result) == SSL_ERROR_WANT_WRITE) {
                is_full = true;
            } else {
                connection_die(connection);
            }
        } else {
            ssize_t written = send(connection->descriptor, data, length, MSG_NOSIGNAL);
            if (written >= 0) {
                sent += (size_t)written;
            } else if (errno == EAGAIN) {
                is_full = true;
            } else {
                connection_die(connection);
            }
        }
    }
    if (connection->is_dead) {
        return;
    }
    if (is_full) {
        bytes_drop(&connection->output, sent);
    } else {
        // An idle connection keeps no memory for output.
        bytes_free(&connection->output);
    }
    watch(connection, is_full);
}

static void handshake(struct connection *connection) {
    int result = SSL_do_handshake(connection->tls);
    if (result == 1) {
        connection->tls_state = TLS_UP;
        if (SSL_session_reused(connection->tls)) {
            resumed_handshakes++;
        } else {
            full_handshakes++;
        }
        return;
    }
    int error = SSL_get_error(connection->tls, result);
    if (error == SSL_ERROR_WANT_WRITE) {
        watch(connection, true);
    } else if (error == SSL_ERROR_WANT_READ) {
        watch(connection, false);
    } else {
        connection_die(connection);
    }
}

static void begin_tls(struct connection *connection) {
    connection->tls = SSL_new(settings.tls);
    SSL_set_fd(connection->tls, connection->descriptor);
    SSL_set_accept_state(connection->tls);
    connection->tls_state = TLS_HANDSHAKE;
    bytes_free(&connection->input);
}

static void consume(struct connection *connection) {
    size_t length = 0;
    while (!connection->is_dead && stream_next(connection, &length)) {
        const char *item = connection->input.data;
        bool starts_tls = connection->tls_state == TLS_NONE && length > 9 && memcmp(item, "<starttls", 9) == 0;
        stream_item(connection, item, length);
        bytes_drop(&connection->input, length);
        if (starts_tls) {
            connection_flush(connection);
            begin_tls(connection);
            return;
        }
    }
    if (connection->input.length == 0) {
        bytes_free(&connection->input);
    }
    connection_flush(connection);
}

void connection_ready(struct connection *connection, unsigned events) {
    static char buffer[32768];
    if (connection->is_dead) {
        return;
    }
    if ((events & EPOLLOUT) != 0 && connection->tls_state != TLS_HANDSHAKE) {
        connection_flush(connection);
    }
    if (connection->tls_state == TLS_HANDSHAKE) {
        handshake(connection);
        if (connection->tls_state != TLS_UP) {
            return;
        }
    }
    while (!connection->is_dead && connection->tls_state != TLS_HANDSHAKE) {
        ssize_t count;
        if (connection->tls_state == TLS_UP) {
            count = SSL_read(connection->tls, buffer, sizeof buffer);
            if (count <= 0) {
                if (SSL_get_error(connection->tls, (int)count) != SSL_ERROR_WANT_READ) {
                    connection_die(connection);
                }
                return;
            }
        } else {
            count = recv(connection->descriptor, buffer, sizeof buffer, 0);
            if (count <= 0) {
                if (count == 0 || errno != EAGAIN) {
                    connection_die(connection);
                }
                return;
            }
        }
        bytes_add(&connection->input, buffer, (size_t)count);
        consume(connection);
    }
}
