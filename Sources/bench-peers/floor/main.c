// bench-floor HOST PORT DOMAIN PREFIX FIRST N RAMP
//
// The bare minimum that does a bot's work on this machine: epoll, OpenSSL, expat, and no library between. It follows the
// contract of every peer: prints READY, waits for a line on standard input, logs in PREFIX{FIRST…FIRST+N-1}@DOMAIN/bot
// (password "pw", at most RAMP at once), fetches the roster, sends presence, prints ALLUP; answers `subscribe` from its own
// domain by `subscribed` and `subscribe`, from others by `unsubscribed`.
//
// It verifies the server's certificate as a real client must. With FLOOR_TRUSTS_ANYONE set it does not: to see what that
// costs, nothing else.
#include "bench_common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum stage { PLAIN, AUTHENTICATING, BINDING, ONLINE };
enum next { READ_ON, NEW_STREAM, START_TLS };

struct item {
    char *address;
    char subscription;
};

struct account {
    int descriptor, number;
    enum stage stage;
    enum next next;
    bool is_handshaking;
    SSL *tls;
    XML_Parser parser;
    int depth;
    // The first-level element at hand.
    char name[16], type[16], from[100], id[48];
    // Its text; while the login is under way only.
    struct bytes text;
    char client_first[96];
    struct bytes output;
    struct item *roster;
    int roster_count, roster_capacity;
};

static SSL_CTX *context;
static int epoll, count, ramp, first, started, up;
static struct sockaddr_in server;
static const char *domain, *prefix;

static void begin_account(void);

static void flush(struct account *account) {
    size_t sent = 0;
    while (sent < account->output.length) {
        int length = (int)(account->output.length - sent);
        ssize_t done = account->tls != NULL ? SSL_write(account->tls, account->output.data + sent, length)
                                            : send(account->descriptor, account->output.data + sent, (size_t)length, 0);
        if (done <= 0) {
            // A bot's output is small: a full socket means that the server is gone.
            fail("account %d cannot send", account->number);
        }
        sent += (size_t)done;
    }
    bytes_free(&account->output);
}

static void header(struct account *account) {
    bytes_add_format(&account->output,
                     "<?xml version='1.0'?><stream:stream to='%s' version='1.0' xmlns='jabber:client' "
                     "xmlns:stream='http://etherx.jabber.org/streams'>",
                     domain);
}

static void say_first(struct account *account) {
    unsigned char random[12];
    char nonce[20], message[120], encoded[200];
    RAND_bytes(random, sizeof random);
    base64_encode(nonce, random, sizeof random);
    snprintf(account->client_first, sizeof account->client_first, "n=%s%d,r=%s", prefix, account->number, nonce);
    int length = snprintf(message, sizeof message, "n,,%s", account->client_first);
    base64_encode(encoded, message, length);
    bytes_add_format(&account->output,
                     "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'>%s</auth>", encoded);
}

static void answer_challenge(struct account *account) {
    char challenge[500], nonce[250], salt_text[120], message[900], encoded[700], answer[500], proof_text[40];
    unsigned char salt[90], proof[EVP_MAX_MD_SIZE];
    int iterations = 0;
    struct scram_keys keys;
    if (base64_decode((unsigned char *)challenge, sizeof challenge, account->text.data, (int)account->text.length) < 0
        || sscanf(challenge, "r=%249[^,],s=%119[^,],i=%d", nonce, salt_text, &iterations) != 3) {
        fail("account %d got no challenge", account->number);
    }
    int salt_length = base64_decode(salt, sizeof salt, salt_text, (int)strlen(salt_text));
    scram_derive(&keys, EVP_sha1(), "pw", salt, salt_length, iterations);
    snprintf(message, sizeof message, "%s,%s,c=biws,r=%s", account->client_first, challenge, nonce);
    scram_sign(proof, EVP_sha1(), keys.stored, keys.length, message);
    for (int i = 0; i < keys.length; i++) {
        proof[i] ^= keys.client[i];
    }
    base64_encode(proof_text, proof, keys.length);
    int length = snprintf(answer, sizeof answer, "c=biws,r=%s,p=%s", nonce, proof_text);
    base64_encode(encoded, answer, length);
    bytes_add_format(&account->output, "<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>%s</response>", encoded);
}

static void features(struct account *account) {
    switch (account->stage) {
    case PLAIN: bytes_add_text(&account->output, "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"); break;
    case AUTHENTICATING: say_first(account); break;
    default:
        bytes_add_text(&account->output, "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                                         "<resource>bot</resource></bind></iq>");
    }
}

static void iq(struct account *account) {
    if (strcmp(account->type, "set") == 0) {
        bytes_add_format(&account->output, "<iq type='result' id='%s'/>", account->id);
    } else if (strcmp(account->id, "b") == 0) {
        bytes_add_text(&account->output, "<iq type='get' id='ro'><query xmlns='jabber:iq:roster'/></iq>");
    } else if (strcmp(account->id, "ro") == 0) {
        account->stage = ONLINE;
        bytes_add_text(&account->output, "<presence/>");
        begin_account();
        if (++up == count) {
            puts("ALLUP");
            fflush(stdout);
        }
    }
}

static void subscription_request(struct account *account) {
    const char *at = strchr(account->from, '@');
    const char *from = account->from;
    if (at != NULL && strcmp(at + 1, domain) == 0) {
        bytes_add_format(&account->output, "<presence to='%s' type='subscribed'/><presence to='%s' type='subscribe'/>", from,
                         from);
    } else {
        bytes_add_format(&account->output, "<presence to='%s' type='unsubscribed'/>", from);
    }
}

static void element_ended(struct account *account) {
    const char *name = account->name;
    if (strcmp(name, "features") == 0) {
        features(account);
    } else if (strcmp(name, "proceed") == 0) {
        account->next = START_TLS;
    } else if (strcmp(name, "challenge") == 0) {
        answer_challenge(account);
    } else if (strcmp(name, "success") == 0) {
        account->stage = BINDING;
        account->next = NEW_STREAM;
        header(account);
    } else if (strcmp(name, "failure") == 0) {
        fail("account %d was refused", account->number);
    } else if (strcmp(name, "iq") == 0) {
        iq(account);
    } else if (strcmp(name, "presence") == 0 && strcmp(account->type, "subscribe") == 0) {
        subscription_request(account);
    }
}

static const char *value_of(const char **attributes, const char *name) {
    for (; *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return "";
}

static void roster_item(struct account *account, const char **attributes) {
    const char *address = value_of(attributes, "jid"), *subscription = value_of(attributes, "subscription");
    // A push changes one; the list itself has each once.
    for (int i = 0; strcmp(account->type, "set") == 0 && i < account->roster_count; i++) {
        if (strcmp(account->roster[i].address, address) == 0) {
            account->roster[i].subscription = subscription[0];
            return;
        }
    }
    if (account->roster_count == account->roster_capacity) {
        account->roster_capacity = account->roster_capacity == 0 ? 4 : account->roster_capacity * 2;
        account->roster = realloc(account->roster, sizeof(struct item) * (size_t)account->roster_capacity);
    }
    account->roster[account->roster_count++] = (struct item){strdup(address), subscription[0]};
}

static void copy(char *destination, size_t capacity, const char *text) { snprintf(destination, capacity, "%s", text); }

static void start_element(void *data, const char *name, const char **attributes) {
    struct account *account = data;
    const char *colon = strchr(name, ':');
    name = colon == NULL ? name : colon + 1;
    account->depth++;
    if (account->depth == 2) {
        copy(account->name, sizeof account->name, name);
        copy(account->type, sizeof account->type, value_of(attributes, "type"));
        copy(account->from, sizeof account->from, value_of(attributes, "from"));
        copy(account->id, sizeof account->id, value_of(attributes, "id"));
        account->text.length = 0;
    } else if (account->depth == 4 && strcmp(name, "item") == 0) {
        roster_item(account, attributes);
    }
}

static void end_element(void *data, const char *name) {
    struct account *account = data;
    (void)name;
    if (--account->depth == 1) {
        element_ended(account);
    }
}

static void characters(void *data, const char *text, int length) {
    struct account *account = data;
    if (account->depth == 2 && strcmp(account->name, "challenge") == 0) {
        bytes_add(&account->text, text, (size_t)length);
    }
}

static void new_stream(struct account *account) {
    if (account->parser == NULL) {
        account->parser = XML_ParserCreate(NULL);
    } else {
        XML_ParserReset(account->parser, NULL);
    }
    XML_SetUserData(account->parser, account);
    XML_SetElementHandler(account->parser, start_element, end_element);
    XML_SetCharacterDataHandler(account->parser, characters);
    account->depth = 0;
    bytes_free(&account->text);
}

static void handshake(struct account *account) {
    int result = SSL_do_handshake(account->tls);
    if (result == 1) {
        account->is_handshaking = false;
        account->stage = AUTHENTICATING;
        new_stream(account);
        header(account);
        flush(account);
    } else if (SSL_get_error(account->tls, result) != SSL_ERROR_WANT_READ) {
        fail("account %d: no TLS: %s", account->number, X509_verify_cert_error_string(SSL_get_verify_result(account->tls)));
    }
}

static void begin_tls(struct account *account) {
    account->tls = SSL_new(context);
    SSL_set_fd(account->tls, account->descriptor);
    SSL_set_connect_state(account->tls);
    SSL_set_tlsext_host_name(account->tls, domain);
    SSL_set1_host(account->tls, domain);
    account->is_handshaking = true;
    handshake(account);
}

static void readable(struct account *account) {
    static char buffer[16384];
    if (account->is_handshaking) {
        handshake(account);
        return;
    }
    for (;;) {
        ssize_t length = account->tls != NULL ? SSL_read(account->tls, buffer, sizeof buffer)
                                              : recv(account->descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
        if (length <= 0) {
            break;
        }
        if (XML_Parse(account->parser, buffer, (int)length, 0) == XML_STATUS_ERROR) {
            fail("account %d got what is no XML", account->number);
        }
        enum next next = account->next;
        account->next = READ_ON;
        if (next == NEW_STREAM) {
            new_stream(account);
        } else if (next == START_TLS) {
            begin_tls(account);
            return;
        }
    }
    flush(account);
}

static void begin_account(void) {
    if (started >= count) {
        return;
    }
    struct account *account = calloc(1, sizeof *account);
    int one = 1;
    account->number = first + started++;
    account->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (account->descriptor < 0 || connect(account->descriptor, (struct sockaddr *)&server, sizeof server) != 0) {
        fail("account %d cannot connect: %s", account->number, strerror(errno));
    }
    setsockopt(account->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(account->descriptor, F_SETFL, O_NONBLOCK);
    new_stream(account);
    header(account);
    flush(account);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = account};
    epoll_ctl(epoll, EPOLL_CTL_ADD, account->descriptor, &event);
}

int main(int word_count, char **words) {
    if (word_count != 8) {
        fail("usage: bench-floor HOST PORT DOMAIN PREFIX FIRST N RAMP");
    }
    server.sin_family = AF_INET;
    server.sin_port = htons((unsigned short)atoi(words[2]));
    inet_pton(AF_INET, words[1], &server.sin_addr);
    domain = words[3];
    prefix = words[4];
    first = atoi(words[5]);
    count = atoi(words[6]);
    ramp = atoi(words[7]);
    signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    if (getenv("FLOOR_TRUSTS_ANYONE") == NULL) {
        SSL_CTX_set_default_verify_paths(context);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    }
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    puts("READY");
    fflush(stdout);
    bool has_begun = false;
    for (;;) {
        static struct epoll_event ready[256];
        int ready_count = epoll_wait(epoll, ready, 256, -1);
        for (int i = 0; i < ready_count; i++) {
            if (ready[i].data.ptr != NULL) {
                readable(ready[i].data.ptr);
                continue;
            }
            // A line begins it, and the end of the input ends the program with whoever started it.
            char line[64];
            if (read(STDIN_FILENO, line, sizeof line) <= 0) {
                return 0;
            }
            for (int j = 0; !has_begun && j < ramp; j++) {
                begin_account();
            }
            has_begun = true;
        }
    }
}
