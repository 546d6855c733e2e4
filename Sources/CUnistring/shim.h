#pragma once
#include <stdlib.h>
#include <uninorm.h>
#include <unicase.h>
#include <unictype.h>

// The normal forms are macros over incomplete structs, which Swift cannot import. Each result is malloc'ed or NULL.
static inline uint8_t *unistring_nfc(const uint8_t *text, size_t count, size_t *result_count) {
    return u8_normalize(UNINORM_NFC, text, count, NULL, result_count);
}

static inline uint8_t *unistring_nfkc(const uint8_t *text, size_t count, size_t *result_count) {
    return u8_normalize(UNINORM_NFKC, text, count, NULL, result_count);
}

static inline uint8_t *unistring_nfkc_casefold(const uint8_t *text, size_t count, size_t *result_count) {
    return u8_casefold(text, count, NULL, UNINORM_NFKC, NULL, result_count);
}

static inline void unistring_free(uint8_t *text) { free(text); }
