// SCRAM (RFC 5802) as a server sees it. Each account has a salt of its own, so that a client's cache of keys holds one
// entry for each, as with real servers.
#include "server.h"

#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct login {
    const EVP_MD *hash;
    struct scram_keys keys;
    char client_first[200], server_first[400];
};

struct known {
    char user[64];
    const EVP_MD *hash;
    struct scram_keys keys;
};

// Keys derived before, by user: open addressing.
static struct known *table;
static size_t table_used, table_capacity;

static void salt_of(const char *user, unsigned char salt[16]) {
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_Digest(user, strlen(user), hash, &length, EVP_sha256(), NULL);
    memcpy(salt, hash, 16);
}

static struct known *slot_of(const char *user, const EVP_MD *hash) {
    size_t at = 5381;
    for (const char *byte = user; *byte != '\0'; byte++) {
        at = at * 33 + (unsigned char)*byte;
    }
    for (at %= table_capacity; table[at].hash != NULL; at = (at + 1) % table_capacity) {
        if (table[at].hash == hash && strcmp(table[at].user, user) == 0) {
            break;
        }
    }
    return &table[at];
}

static void grow(void) {
    struct known *old = table;
    size_t old_capacity = table_capacity;
    table_capacity = old_capacity == 0 ? 1024 : old_capacity * 2;
    table = calloc(table_capacity, sizeof *table);
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].hash != NULL) {
            *slot_of(old[i].user, old[i].hash) = old[i];
        }
    }
    free(old);
}

static const struct scram_keys *keys_of(const char *user, const EVP_MD *hash) {
    if (table_used * 2 >= table_capacity) {
        grow();
    }
    struct known *known = slot_of(user, hash);
    if (known->hash == NULL) {
        unsigned char salt[16];
        salt_of(user, salt);
        snprintf(known->user, sizeof known->user, "%s", user);
        known->hash = hash;
        scram_derive(&known->keys, hash, settings.password, salt, sizeof salt, settings.iterations);
        table_used++;
    }
    return &known->keys;
}

void login_prepare(const char *prefix, int first, int count) {
    bool uses_sha1 = strstr(settings.mechanisms, "SCRAM-SHA-1") != NULL;
    for (int i = first; i < first + count; i++) {
        char user[64];
        snprintf(user, sizeof user, "%s%d", prefix, i);
        keys_of(user, uses_sha1 ? EVP_sha1() : EVP_sha256());
    }
}

static void refuse(struct connection *connection) {
    bytes_add_text(&connection->output,
                   "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>");
}

void login_begin(struct connection *connection, const char *item, size_t length) {
    char mechanism[40], message[256], salt_text[32], nonce_text[32], encoded[600];
    unsigned char salt[16], nonce[12];
    int text_length = 0;
    attribute(item, length, "mechanism", mechanism, sizeof mechanism);
    const char *text = text_inside(item, length, &text_length);
    int message_length = base64_decode((unsigned char *)message, sizeof message, text, text_length);
    const char *bare = message_length < 0 ? NULL : strstr(message, ",n=");
    const char *client_nonce = bare == NULL ? NULL : strstr(bare, ",r=");
    if (client_nonce == NULL || client_nonce - (bare + 3) >= (ptrdiff_t)sizeof connection->user) {
        refuse(connection);
        return;
    }
    free(connection->login);
    struct login *login = connection->login = calloc(1, sizeof *login);
    login->hash = strcmp(mechanism, "SCRAM-SHA-256") == 0 ? EVP_sha256() : EVP_sha1();
    snprintf(connection->user, sizeof connection->user, "%.*s", (int)(client_nonce - (bare + 3)), bare + 3);
    snprintf(login->client_first, sizeof login->client_first, "%s", bare + 1);
    login->keys = *keys_of(connection->user, login->hash);
    salt_of(connection->user, salt);
    RAND_bytes(nonce, sizeof nonce);
    base64_encode(salt_text, salt, sizeof salt);
    base64_encode(nonce_text, nonce, sizeof nonce);
    snprintf(login->server_first, sizeof login->server_first, "r=%.200s%s,s=%s,i=%d", client_nonce + 3, nonce_text,
             salt_text, settings.iterations);
    base64_encode(encoded, login->server_first, (int)strlen(login->server_first));
    bytes_add_format(&connection->output, "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>%s</challenge>", encoded);
}

void login_answer(struct connection *connection, const char *item, size_t length) {
    struct login *login = connection->login;
    char answer[700], message[1400], final[128] = "v=", encoded[200];
    unsigned char proof[EVP_MAX_MD_SIZE + 8], signature[EVP_MAX_MD_SIZE], stored[EVP_MAX_MD_SIZE];
    unsigned written = 0;
    int text_length = 0;
    const char *text = text_inside(item, length, &text_length);
    if (login == NULL || base64_decode((unsigned char *)answer, sizeof answer, text, text_length) < 0) {
        refuse(connection);
        return;
    }
    char *proof_text = strstr(answer, ",p=");
    if (proof_text == NULL) {
        refuse(connection);
        return;
    }
    *proof_text = '\0';
    proof_text += 3;
    snprintf(message, sizeof message, "%s,%s,%s", login->client_first, login->server_first, answer);
    int size = login->keys.length;
    bool is_right = base64_decode(proof, sizeof proof, proof_text, (int)strlen(proof_text)) == size;
    scram_sign(signature, login->hash, login->keys.stored, size, message);
    for (int i = 0; i < size; i++) {
        proof[i] ^= signature[i];
    }
    EVP_Digest(proof, (size_t)size, stored, &written, login->hash, NULL);
    if (!is_right || memcmp(stored, login->keys.stored, (size_t)size) != 0) {
        refuse(connection);
        return;
    }
    scram_sign(signature, login->hash, login->keys.server, size, message);
    base64_encode(final + 2, signature, size);
    base64_encode(encoded, final, (int)strlen(final));
    bytes_add_format(&connection->output, "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>%s</success>", encoded);
    connection->is_authenticated = true;
    free(login);
    connection->login = NULL;
}
