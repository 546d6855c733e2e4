#include "server.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>

static X509 *new_certificate(EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key, const char *name, long serial,
                             const char *const *extensions) {
    X509 *certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 7L * 24 * 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
                               0);
    X509 *signer = issuer == NULL ? certificate : issuer;
    X509_set_issuer_name(certificate, X509_get_subject_name(signer));
    X509V3_CTX context;
    X509V3_set_ctx(&context, signer, certificate, NULL, NULL, 0);
    for (; *extensions != NULL; extensions += 2) {
        X509_EXTENSION *extension = X509V3_EXT_conf(NULL, &context, extensions[0], extensions[1]);
        if (extension == NULL) {
            fail("the certificate's extension %s cannot be made", extensions[0]);
        }
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    }
    if (X509_sign(certificate, issuer_key == NULL ? key : issuer_key, EVP_sha256()) == 0) {
        fail("a certificate cannot be signed");
    }
    return certificate;
}

void certificate_make(SSL_CTX *context, const char *domain, const char *authority_file) {
    EVP_PKEY *authority_key = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
    const char *authority_extensions[] = {"basicConstraints", "critical,CA:TRUE", "keyUsage", "critical,keyCertSign",
                                          "subjectKeyIdentifier", "hash", NULL};
    X509 *authority = new_certificate(authority_key, NULL, NULL, "bench authority", 1, authority_extensions);
    char name[200];
    snprintf(name, sizeof name, "DNS:%s", domain);
    const char *extensions[] = {"basicConstraints", "critical,CA:FALSE", "keyUsage", "critical,digitalSignature",
                                "extendedKeyUsage", "serverAuth", "subjectAltName", name, NULL};
    X509 *certificate = new_certificate(key, authority, authority_key, domain, 2, extensions);
    if (SSL_CTX_use_certificate(context, certificate) != 1 || SSL_CTX_use_PrivateKey(context, key) != 1) {
        fail("the certificate cannot be used");
    }
    FILE *file = fopen(authority_file, "w");
    if (file == NULL || PEM_write_X509(file, authority) != 1 || fclose(file) != 0) {
        fail("%s cannot be written", authority_file);
    }
    X509_free(certificate);
    X509_free(authority);
    EVP_PKEY_free(key);
    EVP_PKEY_free(authority_key);
}
