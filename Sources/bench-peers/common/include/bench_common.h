// What the load server and the floor bot share: bytes that grow, base64, and the keys of SCRAM (RFC 5802).
#pragma once
#include <openssl/evp.h>
#include <stddef.h>

// Bytes to be sent.
struct bytes {
    char *data;
    size_t length, capacity;
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_add_text(struct bytes *bytes, const char *text);
void bytes_add_format(struct bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Drops the first bytes.
void bytes_drop(struct bytes *bytes, size_t count);
void bytes_free(struct bytes *bytes);

// Both return the length written; `base64_decode` -1 where the text is none. Both end what they write by a zero byte.
int base64_encode(char *text, const void *data, int length);
int base64_decode(unsigned char *data, int capacity, const char *text, int length);

struct scram_keys {
    unsigned char client[EVP_MAX_MD_SIZE], stored[EVP_MAX_MD_SIZE], server[EVP_MAX_MD_SIZE];
    int length;
};

void scram_derive(struct scram_keys *keys, const EVP_MD *hash, const char *password, const void *salt, int salt_length,
                  int iterations);
// ClientSignature or ServerSignature: an HMAC of the authentication message.
void scram_sign(unsigned char *signature, const EVP_MD *hash, const unsigned char *key, int length, const char *message);

double seconds_now(void);
// As many descriptors as the system lets this process have.
void raise_descriptor_limit(void);
// Ends the program with a line that says why.
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
