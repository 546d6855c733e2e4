// bench-loop [CONNECTIONS] [MESSAGES] [ROUNDS]
//
// What a message costs through a bare epoll loop and through libuv, in turns: an echo server in this process, and a client
// in a child that keeps 64 messages of 200 bytes under way, or sends one at a time (`idle`: each wakes the server up).
// Prints microseconds of the server's processor time a message and bytes of memory a connection; for
// docs/design/007-event-loop.md.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

enum { LENGTH = 200 };

static int connections = 1000, messages = 100000;
static long echoed;

static double cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static long resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &size, &pages) != 2) {
        pages = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

static int listener(struct sockaddr_in *address) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(descriptor, (struct sockaddr *)address, length) != 0 || listen(descriptor, 4096) != 0) {
        perror("listen");
        exit(1);
    }
    getsockname(descriptor, (struct sockaddr *)address, &length);
    return descriptor;
}

// The client: writes one byte to `ready` when all are connected, then waits for one on `go`.
static void client(struct sockaddr_in address, int window, int ready, int go) {
    int *sockets = calloc((size_t)connections, sizeof *sockets);
    char data[LENGTH] = {0};
    for (int i = 0; i < connections; i++) {
        int one = 1;
        sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(sockets[i], (struct sockaddr *)&address, sizeof address) != 0) {
            perror("connect");
            exit(1);
        }
        setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    if (write(ready, "r", 1) != 1 || read(go, data, 1) != 1) {
        exit(1);
    }
    int sent = 0;
    for (int received = 0; received < messages; received++) {
        while (sent < messages && sent - received < window) {
            if (send(sockets[sent++ % connections], data, LENGTH, 0) != LENGTH) {
                exit(1);
            }
        }
        if (recv(sockets[received % connections], data, LENGTH, MSG_WAITALL) != LENGTH) {
            exit(1);
        }
    }
    exit(0);
}

// Bare epoll.

static void echo_by_epoll(int listening) {
    static char buffer[65536];
    int epoll = epoll_create1(EPOLL_CLOEXEC), open = 0, accepted = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listening};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listening, &event);
    while (accepted < connections || open > 0) {
        struct epoll_event ready[128];
        int count = epoll_wait(epoll, ready, 128, -1);
        for (int i = 0; i < count; i++) {
            int descriptor = ready[i].data.fd;
            if (descriptor == listening) {
                while ((descriptor = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
                    event.data.fd = descriptor;
                    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
                    accepted++;
                    open++;
                }
                continue;
            }
            ssize_t length = recv(descriptor, buffer, sizeof buffer, 0);
            if (length <= 0) {
                close(descriptor);
                open--;
                continue;
            }
            if (send(descriptor, buffer, (size_t)length, MSG_NOSIGNAL) == length) {
                echoed += length;
            }
        }
    }
    close(epoll);
}

// libuv.

static char shared[65536];
static int uv_open, uv_accepted;
static uv_tcp_t server;

static void closed(uv_handle_t *handle) {
    free(handle);
    uv_open--;
    if (uv_accepted == connections && uv_open == 0) {
        uv_close((uv_handle_t *)&server, NULL);
    }
}

// One buffer for all: what is read is written before the next read, as far as the socket takes it.
static void lend(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
    (void)handle;
    (void)size;
    *buffer = uv_buf_init(shared, sizeof shared);
}

static void readable(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
    if (length < 0) {
        uv_close((uv_handle_t *)stream, closed);
    } else if (length > 0) {
        uv_buf_t answer = uv_buf_init(buffer->base, (unsigned)length);
        if (uv_try_write(stream, &answer, 1) == length) {
            echoed += length;
        }
    }
}

static void connected(uv_stream_t *stream, int status) {
    uv_tcp_t *connection = malloc(sizeof *connection);
    if (status != 0 || connection == NULL || uv_tcp_init(stream->loop, connection) != 0
        || uv_accept(stream, (uv_stream_t *)connection) != 0) {
        exit(1);
    }
    uv_accepted++;
    uv_open++;
    uv_read_start((uv_stream_t *)connection, lend, readable);
}

static void echo_by_libuv(int listening) {
    uv_loop_t loop;
    uv_accepted = uv_open = 0;
    if (uv_loop_init(&loop) != 0 || uv_tcp_init(&loop, &server) != 0 || uv_tcp_open(&server, listening) != 0
        || uv_listen((uv_stream_t *)&server, 4096, connected) != 0) {
        exit(1);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

// Runs one server in a child of its own, so that memory starts anew.
static void measure(const char *name, void (*serve)(int), int window) {
    fflush(stdout);
    pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        return;
    }
    struct sockaddr_in address;
    int listening = listener(&address), ready[2], go[2];
    if (pipe(ready) != 0 || pipe(go) != 0) {
        exit(1);
    }
    long before = resident();
    pid_t pid = fork();
    if (pid == 0) {
        close(listening);
        client(address, window, ready[1], go[0]);
    }
    // The client is let go at once: what accepting costs is in both figures, some microseconds a connection.
    if (write(go[1], "g", 1) != 1) {
        exit(1);
    }
    double start = cpu();
    serve(listening);
    double used = cpu() - start;
    waitpid(pid, NULL, 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-6s %-7s %6.2f us a message, %5ld bytes a connection%s\n", name, window == 1 ? "idle" : "busy",
           used / messages, (usage.ru_maxrss * 1024 - before) / connections,
           echoed == (long)messages * LENGTH ? "" : "  MESSAGES LOST");
    exit(0);
}

int main(int count, char **words) {
    int rounds = count > 3 ? atoi(words[3]) : 3;
    connections = count > 1 ? atoi(words[1]) : connections;
    messages = count > 2 ? atoi(words[2]) : messages;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int round = 0; round < rounds; round++) {
        for (int window = 64; window >= 1; window -= 63) {
            measure("epoll", echo_by_epoll, window);
            measure("libuv", echo_by_libuv, window);
        }
    }
}
