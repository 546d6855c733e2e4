// A scripted XMPP server for measuring clients: one thread, answers that cost next to nothing.
#pragma once
#include "bench_common.h"
#include <openssl/ssl.h>
#include <stdbool.h>

struct settings {
    const char *domain;
    // Requests from this domain are to be refused.
    const char *foreign;
    const char *mechanisms;
    const char *password;
    int iterations;
    int roster_items;
    // Whether the contacts of the roster are there when an account comes online.
    bool contacts_are_present;
    SSL_CTX *tls;
    int epoll;
};
extern struct settings settings;

enum tls_state { TLS_NONE, TLS_HANDSHAKE, TLS_UP };

struct connection {
    int descriptor;
    enum tls_state tls_state;
    SSL *tls;
    struct bytes input, output;
    // How far `input` was scanned for the end of the stanza at its begin.
    size_t scanned, tag;
    int depth;
    char quote;
    bool is_in_tag, waits_for_room, is_dead, is_authenticated, is_online;
    // Its place among those online.
    int place;
    char user[64], resource[64];
    // The login under way; freed behind it.
    struct login *login;
};

// connection.c
void connection_accept(int listener);
void connection_ready(struct connection *connection, unsigned events);
void connection_flush(struct connection *connection);
// Ends and frees those that died since the last call.
void connections_sweep(void);
void connection_die(struct connection *connection);
extern long resumed_handshakes, full_handshakes;

// stream.c
// Whether the bytes of one item, a tag of the stream or a whole stanza, are there; `length` is then theirs.
bool stream_next(struct connection *connection, size_t *length);
void stream_item(struct connection *connection, const char *item, size_t length);
// The value of an attribute of the first tag; false and "" where it has none.
bool attribute(const char *item, size_t length, const char *name, char *value, size_t capacity);
// The text behind the first tag.
const char *text_inside(const char *item, size_t length, int *text_length);
void stream_prepare(void);

// login.c
void login_begin(struct connection *connection, const char *item, size_t length);
void login_answer(struct connection *connection, const char *item, size_t length);
// Derives the keys of accounts ahead, so that no login waits for it.
void login_prepare(const char *prefix, int first, int count);

// load.c
extern int online_count;
void load_online(struct connection *connection);
void load_offline(struct connection *connection);
void load_expect(int count);
// Sends `total` requests: `rate` a second, or with 0 so that `window` are unanswered at any time.
void load_begin(int total, double rate, int window, int foreign_percent);
// Milliseconds until something is due; -1 for never.
int load_tick(void);
// A presence of a bot with a type and an address.
void load_presence(struct connection *connection, const char *type, const char *to);

// certificate.c
// Makes an authority and a certificate of it for the domain; writes the authority's as PEM.
void certificate_make(SSL_CTX *context, const char *domain, const char *authority_file);
