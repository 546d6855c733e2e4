// bench-server PORT AUTHORITY_FILE [domain=a.test] [foreign=b.test] [mechanisms=SCRAM-SHA-1] [iterations=4096] [roster=0]
//              [present=0]
//
// Listens on 127.0.0.1 and writes the certificate of the authority that its own is from to AUTHORITY_FILE (PEM): a client
// that is started with SSL_CERT_FILE=AUTHORITY_FILE verifies it. PORT may be 0. Each account's password is "pw". With
// present=1 all contacts of its roster are there when an account comes online. Prints "LISTENING port", then takes commands
// on standard input, a line each, and ends with it:
//
//     prepare PREFIX FIRST COUNT          derive these accounts' keys ahead             -> PREPARED
//     expect COUNT                        say when so many are online                   -> ALLONLINE
//     load TOTAL RATE WINDOW FOREIGN      send requests, see load_begin()               -> LOAD name=value…
//     count                                                                             -> COUNT name=value…
//
// "ALLOFFLINE" is printed when the last one has gone.
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct settings settings = {
    .domain = "a.test", .foreign = "b.test", .mechanisms = "SCRAM-SHA-1", .password = "pw", .iterations = 4096};

static int listen_on(int port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    socklen_t length = sizeof address;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
        fail("port %d: %s", port, strerror(errno));
    }
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("LISTENING %d\n", ntohs(address.sin_port));
    return listener;
}

static void option(char *text) {
    char *value = strchr(text, '=');
    if (value == NULL) {
        fail("'%s' is no option: NAME=VALUE", text);
    }
    *value++ = '\0';
    if (strcmp(text, "domain") == 0) {
        settings.domain = value;
    } else if (strcmp(text, "foreign") == 0) {
        settings.foreign = value;
    } else if (strcmp(text, "mechanisms") == 0) {
        settings.mechanisms = value;
    } else if (strcmp(text, "iterations") == 0) {
        settings.iterations = atoi(value);
    } else if (strcmp(text, "roster") == 0) {
        settings.roster_items = atoi(value);
    } else if (strcmp(text, "present") == 0) {
        settings.contacts_are_present = atoi(value) != 0;
    } else {
        fail("there is no option '%s'", text);
    }
}

static void command(const char *line) {
    char prefix[40];
    int first = 0, count = 0, window = 0, foreign = 0;
    double rate = 0;
    if (sscanf(line, "prepare %39s %d %d", prefix, &first, &count) == 3) {
        login_prepare(prefix, first, count);
        printf("PREPARED\n");
    } else if (sscanf(line, "expect %d", &count) == 1) {
        load_expect(count);
        if (count == online_count) {
            printf("ALLONLINE\n");
        }
    } else if (sscanf(line, "load %d %lf %d %d", &count, &rate, &window, &foreign) == 4) {
        load_begin(count, rate, window, foreign);
    } else if (strcmp(line, "count") == 0) {
        printf("COUNT online=%d full=%ld resumed=%ld\n", online_count, full_handshakes, resumed_handshakes);
    } else {
        fail("there is no command '%s'", line);
    }
    fflush(stdout);
}

static void commands(void) {
    static struct bytes input;
    char buffer[1024];
    ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) {
        exit(0);
    }
    bytes_add(&input, buffer, (size_t)count);
    char *end;
    while ((end = memchr(input.data, '\n', input.length)) != NULL) {
        *end = '\0';
        command(input.data);
        bytes_drop(&input, (size_t)(end - input.data) + 1);
    }
}

int main(int count, char **words) {
    if (count < 3) {
        fail("usage: bench-server PORT AUTHORITY_FILE [NAME=VALUE …]");
    }
    for (int i = 3; i < count; i++) {
        option(words[i]);
    }
    signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    stream_prepare();
    settings.tls = SSL_CTX_new(TLS_server_method());
    // Some libraries know no newer one; all others agree on TLS 1.3.
    SSL_CTX_set_min_proto_version(settings.tls, TLS1_2_VERSION);
    SSL_CTX_set_mode(settings.tls,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    certificate_make(settings.tls, settings.domain, words[2]);
    settings.epoll = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_on(atoi(words[1]));
    fflush(stdout);
    // The two that are no connections are known by the addresses of their descriptors.
    int input = STDIN_FILENO;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &listener};
    epoll_ctl(settings.epoll, EPOLL_CTL_ADD, listener, &event);
    event.data.ptr = &input;
    epoll_ctl(settings.epoll, EPOLL_CTL_ADD, input, &event);
    for (;;) {
        static struct epoll_event ready[256];
        int ready_count = epoll_wait(settings.epoll, ready, 256, load_tick());
        for (int i = 0; i < ready_count; i++) {
            if (ready[i].data.ptr == &listener) {
                connection_accept(listener);
            } else if (ready[i].data.ptr == &input) {
                commands();
            } else {
                connection_ready(ready[i].data.ptr, ready[i].events);
            }
        }
        connections_sweep();
    }
}
