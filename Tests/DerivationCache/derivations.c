#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "derivations.h"

typedef int (*derive)(unsigned char *, unsigned long long, const char *, unsigned long long, const unsigned char *,
                      unsigned long long, size_t, int);
typedef int (*hash)(unsigned char *, size_t, const unsigned char *, unsigned long long, const unsigned char *, size_t);

int crypto_pwhash(unsigned char *key, unsigned long long size, const char *password, unsigned long long length,
                  const unsigned char *salt, unsigned long long operations, size_t memory, int algorithm) {
    derive real = (derive) dlsym(RTLD_NEXT, "crypto_pwhash");
    hash digest = (hash) dlsym(RTLD_NEXT, "crypto_generichash");
    const char *folder = getenv(DERIVATION_CACHE);
    unsigned char input[4096] = {0}, name[32];
    char path[512], made[544];
    if (!real) abort();
    if (!digest || !folder || strlen(folder) > 400 || length > sizeof input - 64)
        return real(key, size, password, length, salt, operations, memory, algorithm);
    memcpy(input, &operations, sizeof operations);
    memcpy(input + 8, &memory, sizeof memory);
    memcpy(input + 16, &size, sizeof size);
    memcpy(input + 24, &algorithm, sizeof algorithm);
    memcpy(input + 32, salt, 16);
    memcpy(input + 48, password, length);
    digest(name, sizeof name, input, 48 + length, NULL, 0);
    int count = sprintf(path, "%s/", folder);
    for (size_t byte = 0; byte < sizeof name; byte++) count += sprintf(path + count, "%02x", name[byte]);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t got = read(file, key, size);
        close(file);
        if (got == (ssize_t) size) return 0;
    }
    int status = real(key, size, password, length, salt, operations, memory, algorithm);
    sprintf(made, "%s.%d", path, (int) getpid());
    if (status == 0 && (file = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) >= 0) {
        if (write(file, key, size) == (ssize_t) size) rename(made, path); else unlink(made);
        close(file);
    }
    return status;
}
