// Who is online, and the subscription requests that are sent to them.
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Requests that have not been answered so long behind the last one are given up.
static const double patience = 30;

int online_count;
static struct connection **online;
static int online_capacity, expected = -1;

static struct {
    bool is_running;
    int total, sent, answered, accepted, rejected, asked_back, wrong, window, foreign_percent;
    // The number of the first request: no sender asks twice.
    int base;
    double rate, began, last_answer;
    double *sent_at, *latency;
} load;

void load_expect(int count) { expected = count; }

void load_online(struct connection *connection) {
    if (online_count == online_capacity) {
        online_capacity = online_capacity == 0 ? 1024 : online_capacity * 2;
        online = realloc(online, sizeof(struct connection *) * (size_t)online_capacity);
    }
    connection->is_online = true;
    connection->place = online_count;
    online[online_count++] = connection;
    if (online_count == expected) {
        printf("ALLONLINE\n");
        fflush(stdout);
    }
}

void load_offline(struct connection *connection) {
    if (!connection->is_online) {
        return;
    }
    connection->is_online = false;
    struct connection *last = online[--online_count];
    online[connection->place] = last;
    last->place = connection->place;
    if (online_count == 0) {
        printf("ALLOFFLINE\n");
        fflush(stdout);
    }
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void report(void) {
    int count = 0;
    for (int i = 0; i < load.sent; i++) {
        if (load.latency[i] > 0) {
            load.latency[count++] = load.latency[i];
        }
    }
    qsort(load.latency, (size_t)count, sizeof(double), by_size);
    double p50 = count == 0 ? 0 : load.latency[count / 2], p99 = count == 0 ? 0 : load.latency[count * 99 / 100];
    printf("LOAD sent=%d answered=%d accepted=%d rejected=%d asked_back=%d wrong=%d seconds=%.4f p50_us=%.1f p99_us=%.1f\n",
           load.sent, load.answered, load.accepted, load.rejected, load.asked_back, load.wrong,
           load.last_answer - load.began, p50 * 1e6, p99 * 1e6);
    fflush(stdout);
    load.base += load.sent;
    load.is_running = false;
    free(load.sent_at);
    free(load.latency);
    load.sent_at = load.latency = NULL;
}

void load_begin(int total, double rate, int window, int foreign_percent) {
    if (load.is_running || total <= 0) {
        return;
    }
    int base = load.base;
    memset(&load, 0, sizeof load);
    load.base = base;
    load.total = total;
    load.rate = rate;
    load.window = window;
    load.foreign_percent = foreign_percent;
    load.began = load.last_answer = seconds_now();
    load.sent_at = calloc((size_t)total, sizeof(double));
    load.latency = calloc((size_t)total, sizeof(double));
    load.is_running = true;
}

static void send_request(void) {
    int number = load.sent++;
    struct connection *connection = online[(load.base + number) % online_count];
    const char *domain = number % 100 < load.foreign_percent ? settings.foreign : settings.domain;
    load.sent_at[number] = seconds_now();
    bytes_add_format(&connection->output, "<presence from='u%d@%s' to='%s@%s' type='subscribe'/>", load.base + number, domain,
                     connection->user, settings.domain);
    connection_flush(connection);
}

int load_tick(void) {
    if (!load.is_running) {
        return -1;
    }
    double now = seconds_now();
    int due = load.total;
    if (load.rate > 0) {
        double passed = (now - load.began) * load.rate;
        due = passed + 1 < load.total ? (int)passed + 1 : load.total;
    } else if (load.answered + load.window < due) {
        due = load.answered + load.window;
    }
    while (load.sent < due && online_count > 0) {
        send_request();
    }
    if (load.sent == load.total) {
        // What an accepted request leads to still arrives behind its answer.
        bool is_over = load.answered == load.total && now - load.last_answer > 0.2;
        if (is_over || now - load.sent_at[load.total - 1] > patience) {
            report();
            return -1;
        }
        return 50;
    }
    if (load.rate <= 0) {
        return 100;
    }
    double wait = load.began + load.sent / load.rate - now;
    return wait <= 0 ? 0 : (int)(wait * 1000) + 1;
}

void load_presence(struct connection *connection, const char *type, const char *to) {
    int number = -1;
    char domain[100] = "";
    if (sscanf(to, "u%d@%99s", &number, domain) != 2) {
        return;
    }
    number -= load.base;
    bool is_ours = strcmp(domain, settings.domain) == 0;
    const char *us = connection->user, *host = settings.domain;
    struct bytes *output = &connection->output;
    if (strcmp(type, "subscribed") == 0 || strcmp(type, "unsubscribed") == 0) {
        bool is_yes = type[0] == 's';
        if (load.is_running && number >= 0 && number < load.sent && load.latency[number] == 0) {
            load.last_answer = seconds_now();
            load.latency[number] = load.last_answer - load.sent_at[number];
            load.answered++;
            load.accepted += is_yes;
            load.rejected += !is_yes;
            load.wrong += is_yes != is_ours;
        }
        if (is_yes) {
            bytes_add_format(output,
                             "<iq type='set' id='p%d' to='%s@%s/%s'><query xmlns='jabber:iq:roster'>"
                             "<item jid='%s' subscription='from'/></query></iq>",
                             number, us, host, connection->resource, to);
        }
    } else if (strcmp(type, "subscribe") == 0) {
        load.asked_back++;
        bytes_add_format(output,
                         "<iq type='set' id='q%d' to='%s@%s/%s'><query xmlns='jabber:iq:roster'>"
                         "<item jid='%s' subscription='from' ask='subscribe'/></query></iq>",
                         number, us, host, connection->resource, to);
        bytes_add_format(output,
                         "<iq type='set' id='r%d' to='%s@%s/%s'><query xmlns='jabber:iq:roster'>"
                         "<item jid='%s' subscription='both'/></query></iq>"
                         "<presence from='%s' to='%s@%s' type='subscribed'/>"
                         "<presence from='%s/phone' to='%s@%s'><show>away</show><priority>5</priority></presence>",
                         number, us, host, connection->resource, to, to, us, host, to, us, host);
    }
}
