// OpenSSL, and its function-like macros as functions (Swift imports no macro with arguments).
#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include "pbkdf2.h"
#include <time.h>

// RFC 9325: TLS 1.2 and 1.3, no renegotiation, no compression, 112 bits at least; of TLS 1.2 only what has forward secrecy and
// authenticated encryption (section 4.2), and so neither CBC nor, by section 4.1, a key exchange over finite fields. Set here
// and not left to the system's openssl.cnf, which may be weaker.
// Early data (0-RTT) is never written nor accepted: that takes calls which nobody makes.
static inline int shim_ssl_ctx_harden(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_clear_options(context, SSL_OP_LEGACY_SERVER_CONNECT | SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_security_level(context, 2);
    return SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!eNULL:!PSK:!SRP") == 1 &&
           SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1;
}

// A client's sessions go to the callback only: OpenSSL's own cache knows nothing of the rules they were verified by.
static inline void shim_ssl_ctx_hand_out_sessions(SSL_CTX *context, int (*callback)(SSL *, SSL_SESSION *)) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, callback);
}

// A server's tickets: their number for TLS 1.3, whether there are any for TLS 1.2.
static inline int shim_ssl_ctx_set_tickets(SSL_CTX *context, size_t count) {
    if (count == 0) {
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    } else {
        SSL_CTX_clear_options(context, SSL_OP_NO_TICKET);
    }
    return SSL_CTX_set_num_tickets(context, count);
}

static inline int shim_ssl_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest) == 1 && SSL_CTX_set_max_proto_version(context, highest) == 1;
}

static inline void shim_ssl_ctx_drop_extended_master_secret(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_EXTENDED_MASTER_SECRET);
}

static inline int shim_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline const char *shim_ssl_cipher_name(const SSL *ssl) { return SSL_get_cipher_name(ssl); }

static inline int shim_ssl_has_extended_master_secret(SSL *ssl) { return SSL_get_extms_support(ssl) == 1; }

static inline void shim_bio_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shim_bio_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void shim_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline STACK_OF(X509) *shim_chain_new(void) { return sk_X509_new_null(); }
static inline int shim_chain_count(const STACK_OF(X509) *chain) { return chain == NULL ? 0 : sk_X509_num(chain); }
static inline X509 *shim_chain_certificate(const STACK_OF(X509) *chain, int index) {
    return sk_X509_value(chain, index);
}
// Takes the certificate over, also where it fails.
static inline int shim_chain_push(STACK_OF(X509) *chain, X509 *certificate) {
    if (sk_X509_push(chain, certificate) > 0) {
        return 1;
    }
    X509_free(certificate);
    return 0;
}
static inline void shim_chain_free(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }

// Whether it is marked as an authority (RFC 5280 4.2.1.9).
static inline int shim_x509_is_authority(X509 *certificate) {
    return (X509_get_extension_flags(certificate) & EXFLAG_CA) != 0;
}

// SHA-256 of the SubjectPublicKeyInfo (RFC 7469 2.4); 32 bytes.
static inline int shim_x509_key_digest(X509 *certificate, unsigned char *out) {
    unsigned char *bytes = NULL;
    int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes);
    if (length <= 0) {
        return 0;
    }
    int result = EVP_Digest(bytes, (size_t)length, out, NULL, EVP_sha256(), NULL);
    OPENSSL_free(bytes);
    return result;
}

// The hash of RFC 5929 4.1: that of the certificate's signature, SHA-256 in place of MD5 and SHA-1. NULL where the signature
// has none of its own (Ed25519).
static inline const EVP_MD *shim_x509_end_point_hash(X509 *certificate) {
    int digest = NID_undef;
    if (X509_get_signature_info(certificate, &digest, NULL, NULL, NULL) != 1 || digest == NID_undef) {
        return NULL;
    }
    if (digest == NID_md5 || digest == NID_sha1 || digest == NID_md5_sha1) {
        return EVP_sha256();
    }
    return EVP_get_digestbynid(digest);
}

// Seconds since 1970 at which the certificate ends; 0 where its time cannot be read.
static inline long long shim_x509_end(const X509 *certificate) {
    struct tm end;
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) {
        return 0;
    }
    return (long long)timegm(&end);
}

// A PEM key is read without a passphrase: OpenSSL's own callback would ask at the terminal. `wanted` becomes 1 where one was
// needed.
static inline int shim_refuse_passphrase(char *buffer, int size, int writing, void *wanted) {
    (void)buffer;
    (void)size;
    (void)writing;
    *(int *)wanted = 1;
    return -1;
}
static inline EVP_PKEY *shim_read_private_key(BIO *bio, int *wanted) {
    return PEM_read_bio_PrivateKey(bio, NULL, shim_refuse_passphrase, wanted);
}

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

// A copy of the certificate with no name but one DNS name, for judging that one alone; NULL where there is no memory.
static inline X509 *shim_x509_with_only_host(X509 *certificate, const char *host) {
    X509 *copy = X509_dup(certificate);
    X509_NAME *nobody = X509_NAME_new();
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *text = ASN1_IA5STRING_new();
    int done = copy != NULL && nobody != NULL && names != NULL && name != NULL && text != NULL &&
               ASN1_STRING_set(text, host, -1) == 1 && sk_GENERAL_NAME_push(names, name) > 0;
    if (done) {
        GENERAL_NAME_set0_value(name, GEN_DNS, text);
        // The last fills in what OpenSSL keeps of the extensions.
        done = X509_set_subject_name(copy, nobody) == 1 &&
               X509_add1_ext_i2d(copy, NID_subject_alt_name, names, 0, X509V3_ADD_REPLACE) == 1 &&
               X509_check_purpose(copy, -1, 0) == 1;
    } else {
        GENERAL_NAME_free(name);
        ASN1_IA5STRING_free(text);
    }
    GENERAL_NAMES_free(names);
    X509_NAME_free(nobody);
    if (!done) {
        X509_free(copy);
        return NULL;
    }
    return copy;
}

// Whether the authorities of a verified chain may speak for a host (RFC 5280 4.2.1.10): whether its first certificate would
// pass all their name constraints if this were its DNS name.
static inline int shim_chain_permits_host(const STACK_OF(X509) *chain, const char *host) {
    X509 *only = NULL;
    int permits = 1;
    for (int i = 1; permits && i < shim_chain_count(chain); i++) {
        int critical = 0;
        NAME_CONSTRAINTS *limits = (NAME_CONSTRAINTS *)X509_get_ext_d2i(sk_X509_value(chain, i), NID_name_constraints,
                                                                        &critical, NULL);
        if (limits == NULL) {
            // -1: it has none; else they cannot be read.
            permits = critical == -1;
            continue;
        }
        if (only == NULL) {
            only = shim_x509_with_only_host(sk_X509_value(chain, 0), host);
        }
        permits = only != NULL && NAME_CONSTRAINTS_check(only, limits) == X509_V_OK;
        NAME_CONSTRAINTS_free(limits);
    }
    X509_free(only);
    return permits;
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
