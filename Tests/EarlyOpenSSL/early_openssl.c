#include "early_openssl.h"

#include <openssl/crypto.h>

__attribute__((constructor)) static void use(void) { OPENSSL_free(OPENSSL_malloc(1)); }
