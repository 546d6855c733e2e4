#include "bench_common.h"

#include <openssl/hmac.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void reserve(struct bytes *bytes, size_t more) {
    if (bytes->length + more <= bytes->capacity) {
        return;
    }
    bytes->capacity = (bytes->length + more) * 2;
    bytes->data = realloc(bytes->data, bytes->capacity);
    if (bytes->data == NULL) {
        fail("out of memory");
    }
}

void bytes_add(struct bytes *bytes, const void *data, size_t length) {
    reserve(bytes, length);
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void bytes_add_text(struct bytes *bytes, const char *text) { bytes_add(bytes, text, strlen(text)); }

void bytes_add_format(struct bytes *bytes, const char *format, ...) {
    va_list arguments;
    reserve(bytes, 512);
    for (;;) {
        size_t room = bytes->capacity - bytes->length;
        va_start(arguments, format);
        int needed = vsnprintf(bytes->data + bytes->length, room, format, arguments);
        va_end(arguments);
        if (needed >= 0 && (size_t)needed < room) {
            bytes->length += (size_t)needed;
            return;
        }
        reserve(bytes, (size_t)needed + 1);
    }
}

void bytes_drop(struct bytes *bytes, size_t count) {
    bytes->length -= count;
    memmove(bytes->data, bytes->data + count, bytes->length);
}

void bytes_free(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){0};
}

int base64_encode(char *text, const void *data, int length) { return EVP_EncodeBlock((unsigned char *)text, data, length); }

int base64_decode(unsigned char *data, int capacity, const char *text, int length) {
    if (length % 4 != 0 || length / 4 * 3 + 1 > capacity) {
        return -1;
    }
    int decoded = EVP_DecodeBlock(data, (const unsigned char *)text, length);
    for (int i = length; i > 0 && decoded > 0 && text[i - 1] == '='; i--) {
        decoded--;
    }
    if (decoded >= 0) {
        data[decoded] = 0;
    }
    return decoded;
}

void scram_derive(struct scram_keys *keys, const EVP_MD *hash, const char *password, const void *salt, int salt_length,
                  int iterations) {
    unsigned char salted[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    keys->length = EVP_MD_get_size(hash);
    PKCS5_PBKDF2_HMAC(password, (int)strlen(password), salt, salt_length, iterations, hash, keys->length, salted);
    HMAC(hash, salted, keys->length, (const unsigned char *)"Client Key", 10, keys->client, &length);
    EVP_Digest(keys->client, (size_t)keys->length, keys->stored, &length, hash, NULL);
    HMAC(hash, salted, keys->length, (const unsigned char *)"Server Key", 10, keys->server, &length);
}

void scram_sign(unsigned char *signature, const EVP_MD *hash, const unsigned char *key, int length, const char *message) {
    unsigned written = 0;
    HMAC(hash, key, length, (const unsigned char *)message, strlen(message), signature, &written);
}

double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}
