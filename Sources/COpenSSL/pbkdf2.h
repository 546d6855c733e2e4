// PBKDF2 (RFC 8018) over OpenSSL's compression functions.
//
// PKCS5_PBKDF2_HMAC sets up an HMAC through two layers of contexts for each of its thousands of iterations, and takes
// almost three times as long. An iteration is two compressions: one from the state behind the inner pad, one from the
// state behind the outer. Only the first block of output is made, which is all that SCRAM uses (RFC 5802 section 2.2).
#pragma once
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <string.h>

// The functions are old and say so; OpenSSL has no newer ones at this level.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static inline void shim_put32(unsigned char *to, uint32_t word) {
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(word >> (24 - 8 * i));
    }
}

static inline void shim_put64(unsigned char *to, uint64_t word) {
    shim_put32(to, (uint32_t)(word >> 32));
    shim_put32(to + 4, (uint32_t)word);
}

static inline void shim_sha1_digest(const SHA_CTX *context, unsigned char *out) {
    shim_put32(out, context->h0);
    shim_put32(out + 4, context->h1);
    shim_put32(out + 8, context->h2);
    shim_put32(out + 12, context->h3);
    shim_put32(out + 16, context->h4);
}

static inline void shim_sha256_digest(const SHA256_CTX *context, unsigned char *out) {
    for (int i = 0; i < 8; i++) {
        shim_put32(out + 4 * i, context->h[i]);
    }
}

static inline void shim_sha512_digest(const SHA512_CTX *context, unsigned char *out) {
    for (int i = 0; i < 8; i++) {
        shim_put64(out + 8 * i, context->h[i]);
    }
}

// `key` is padded to a block; `out` has the first HMAC, of salt and block number, and gets the result.
#define SHIM_PBKDF2_ROUNDS(name, hash, context_type, block_length, length, digest)                                    \
    static inline void name(const unsigned char *key, long iterations, unsigned char *out) {                          \
        unsigned char pad[block_length], message[block_length] = {0}, sum[length];                                    \
        context_type inner, outer, context;                                                                           \
        hash##_Init(&inner);                                                                                          \
        hash##_Init(&outer);                                                                                          \
        for (int i = 0; i < (block_length); i++) {                                                                    \
            pad[i] = key[i] ^ 0x36;                                                                                   \
        }                                                                                                             \
        hash##_Transform(&inner, pad);                                                                                \
        for (int i = 0; i < (block_length); i++) {                                                                    \
            pad[i] = key[i] ^ 0x5c;                                                                                   \
        }                                                                                                             \
        hash##_Transform(&outer, pad);                                                                                \
        /* Behind one block of padding both hashes end with a digest, and so with the same padding. */                \
        message[length] = 0x80;                                                                                       \
        shim_put32(message + (block_length) - 4, ((block_length) + (length)) * 8);                                    \
        memcpy(sum, out, length);                                                                                     \
        memcpy(message, out, length);                                                                                 \
        for (long iteration = 1; iteration < iterations; iteration++) {                                               \
            context = inner;                                                                                          \
            hash##_Transform(&context, message);                                                                      \
            digest(&context, message);                                                                                \
            context = outer;                                                                                          \
            hash##_Transform(&context, message);                                                                      \
            digest(&context, message);                                                                                \
            for (int i = 0; i < (length); i++) {                                                                      \
                sum[i] ^= message[i];                                                                                 \
            }                                                                                                         \
        }                                                                                                             \
        memcpy(out, sum, length);                                                                                     \
        OPENSSL_cleanse(pad, sizeof pad);                                                                             \
        OPENSSL_cleanse(message, sizeof message);                                                                     \
        OPENSSL_cleanse(sum, sizeof sum);                                                                             \
        OPENSSL_cleanse(&inner, sizeof inner);                                                                        \
        OPENSSL_cleanse(&outer, sizeof outer);                                                                        \
        OPENSSL_cleanse(&context, sizeof context);                                                                    \
    }

SHIM_PBKDF2_ROUNDS(shim_pbkdf2_sha1, SHA1, SHA_CTX, SHA_CBLOCK, SHA_DIGEST_LENGTH, shim_sha1_digest)
SHIM_PBKDF2_ROUNDS(shim_pbkdf2_sha256, SHA256, SHA256_CTX, SHA256_CBLOCK, SHA256_DIGEST_LENGTH, shim_sha256_digest)
SHIM_PBKDF2_ROUNDS(shim_pbkdf2_sha512, SHA512, SHA512_CTX, SHA512_CBLOCK, SHA512_DIGEST_LENGTH, shim_sha512_digest)

#undef SHIM_PBKDF2_ROUNDS

// One digest of output; `out` has room for one. 0 where OpenSSL cannot hash.
static inline int shim_pbkdf2(const EVP_MD *hash, const void *password, size_t password_length, const void *salt,
                              size_t salt_length, long iterations, unsigned char *out) {
    unsigned char key[EVP_MAX_MD_SIZE * 4] = {0};
    unsigned length = 0;
    int block = EVP_MD_get_block_size(hash);
    if (block <= 0 || block > (int)sizeof key) {
        return 0;
    }
    if (password_length <= (size_t)block) {
        if (password_length > 0) {
            memcpy(key, password, password_length);
        }
    } else if (EVP_Digest(password, password_length, key, &length, hash, NULL) != 1) {
        return 0;
    }
    unsigned char *first = (unsigned char *)OPENSSL_malloc(salt_length + 4);
    if (first == NULL) {
        return 0;
    }
    if (salt_length > 0) {
        memcpy(first, salt, salt_length);
    }
    shim_put32(first + salt_length, 1);
    int done = HMAC(hash, key, block, first, salt_length + 4, out, &length) != NULL;
    OPENSSL_free(first);
    switch (EVP_MD_get_type(hash)) {
    case NID_sha1: shim_pbkdf2_sha1(key, iterations, out); break;
    case NID_sha256: shim_pbkdf2_sha256(key, iterations, out); break;
    case NID_sha512: shim_pbkdf2_sha512(key, iterations, out); break;
    default: done = 0;
    }
    OPENSSL_cleanse(key, sizeof key);
    return done;
}

#pragma GCC diagnostic pop
