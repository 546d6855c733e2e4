#include <openssl/crypto.h>

// Before main, and so before any call that would settle it otherwise (ERR_clear_error is one): at the end of the process
// OpenSSL would free all it has, while a thread may still be reading certificates or deriving keys with it. That crashes,
// and the system frees it anyway.
__attribute__((constructor)) static void keep_openssl_to_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
