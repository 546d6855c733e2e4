// OpenSSL, and its function-like macros as functions (Swift imports no macro with arguments).
#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include "pbkdf2.h"

// TLS 1.2 and later, no renegotiation, no compression; no session kept (resumption is not used).
static inline int shim_ssl_ctx_harden(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline int shim_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline const char *shim_ssl_cipher_name(const SSL *ssl) { return SSL_get_cipher_name(ssl); }

static inline void shim_bio_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shim_bio_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void shim_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

// Whether a subjectAltName otherName of the certificate says `name` for the type of the given object identifier
// (RFC 6120 13.7.1.2: id-on-dnsSRV as IA5String, id-on-xmppAddr as UTF8String). Host names compare without case.
static inline int shim_x509_has_other_name(X509 *certificate, const char *identifier, int string_type,
                                           const char *name) {
    GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    ASN1_OBJECT *wanted = OBJ_txt2obj(identifier, 1);
    size_t length = strlen(name);
    int found = 0;
    for (int i = 0; wanted != NULL && !found && i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *entry = sk_GENERAL_NAME_value(names, i);
        if (entry->type != GEN_OTHERNAME || OBJ_cmp(entry->d.otherName->type_id, wanted) != 0) {
            continue;
        }
        const ASN1_TYPE *value = entry->d.otherName->value;
        if (value == NULL || value->type != string_type) {
            continue;
        }
        const ASN1_STRING *text = value->value.asn1_string;
        // The length is compared first: a NUL inside must not end the comparison early.
        found = ASN1_STRING_length(text) == (int)length &&
                OPENSSL_strncasecmp((const char *)ASN1_STRING_get0_data(text), name, length) == 0;
    }
    ASN1_OBJECT_free(wanted);
    GENERAL_NAMES_free(names);
    return found;
}

// Writes the certificate's DNS names as text with ", " between them, for an error message: printable ASCII only, what does
// not fit is left out.
static inline void shim_x509_dns_names(X509 *certificate, char *out, size_t capacity) {
    GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    size_t used = 0;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *entry = sk_GENERAL_NAME_value(names, i);
        if (entry->type != GEN_DNS) {
            continue;
        }
        size_t length = (size_t)ASN1_STRING_length(entry->d.dNSName);
        const unsigned char *text = ASN1_STRING_get0_data(entry->d.dNSName);
        if (used + length + 3 > capacity) {
            break;
        }
        if (used > 0) {
            out[used++] = ',';
            out[used++] = ' ';
        }
        for (size_t j = 0; j < length; j++) {
            out[used++] = text[j] > 0x20 && text[j] < 0x7f ? (char)text[j] : '?';
        }
    }
    out[used < capacity ? used : capacity - 1] = '\0';
    GENERAL_NAMES_free(names);
}
