#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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

// The category is a struct with a union, which Swift cannot import. Here it is its bit of UC_CATEGORY_MASK_*.
static inline uint32_t unistring_category(uint32_t scalar) { return uc_general_category(scalar).bitmask; }

// What a fullwidth or halfwidth character stands for; else itself. Such a one always stands for one.
static inline uint32_t unistring_usual_width(uint32_t scalar) {
    ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
    int kind = UC_DECOMP_CANONICAL;
    int count = uc_decomposition(scalar, &kind, parts);
    return count == 1 && (kind == UC_DECOMP_WIDE || kind == UC_DECOMP_NARROW) ? parts[0] : scalar;
}

// Whether NFKC changes it: without memory of the heap, since it is asked for each character of an address.
static inline bool unistring_changes_by_nfkc(uint32_t scalar) {
    ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
    int kind = UC_DECOMP_CANONICAL;
    if (uc_decomposition(scalar, &kind, parts) < 0) return false;
    if (kind != UC_DECOMP_CANONICAL) return true;
    uint32_t buffer[UC_DECOMPOSITION_MAX_LENGTH];
    size_t count = UC_DECOMPOSITION_MAX_LENGTH;
    uint32_t *normal = u32_normalize(UNINORM_NFKC, &scalar, 1, buffer, &count);
    bool is_same = normal != NULL && count == 1 && normal[0] == scalar;
    if (normal != buffer) free(normal);
    return !is_same;
}

// The scripts that RFC 5892 appendix A asks for, without a Swift text for each name.
enum { UNISTRING_SCRIPT_OTHER, UNISTRING_SCRIPT_GREEK, UNISTRING_SCRIPT_HEBREW, UNISTRING_SCRIPT_JAPANESE };

static inline int unistring_script(uint32_t scalar) {
    const uc_script_t *script = uc_script(scalar);
    if (script == NULL) return UNISTRING_SCRIPT_OTHER;
    const char *name = script->name;
    if (strcmp(name, "Greek") == 0) return UNISTRING_SCRIPT_GREEK;
    if (strcmp(name, "Hebrew") == 0) return UNISTRING_SCRIPT_HEBREW;
    // Appendix A.7: Hiragana, Katakana, or Han.
    bool is_japanese = strcmp(name, "Hiragana") == 0 || strcmp(name, "Katakana") == 0 || strcmp(name, "Han") == 0;
    return is_japanese ? UNISTRING_SCRIPT_JAPANESE : UNISTRING_SCRIPT_OTHER;
}

static inline void unistring_free(uint8_t *text) { free(text); }
