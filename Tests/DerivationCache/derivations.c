#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "derivations.h"

typedef void (*fill)(void *const, const size_t);
typedef int (*derive)(unsigned char *, unsigned long long, const char *, unsigned long long, const unsigned char *,
                      unsigned long long, size_t, int);
typedef int (*hash)(unsigned char *, size_t, const unsigned char *, unsigned long long, const unsigned char *, size_t);

// Whether this is `agonyfs create`.
static int creates(void) {
    char words[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? 0 : read(file, words, sizeof words - 1);
    if (file >= 0) close(file);
    words[count > 0 ? count : 0] = 0;
    size_t first = strlen(words) + 1;
    return (ssize_t) first < count && strcmp(words + first, "create") == 0;
}

void randombytes_buf(void *const bytes, const size_t size) {
    static atomic_int drawn;
    fill real = (fill) dlsym(RTLD_NEXT, "randombytes_buf");
    Dl_info caller;
    if (!real) abort();
    real(bytes, size);
    if (size != 16 || !getenv(DERIVATION_CACHE) || !getenv(ONE_SALT) || !creates()) return;
    // libsodium draws some for itself. What the program draws first are salts: that of its default, and that of the vault.
    if (!dladdr(__builtin_return_address(0), &caller) || strstr(caller.dli_fname, "libsodium")) return;
    if (atomic_fetch_add(&drawn, 1) < 2) memset(bytes, 0x5a, size);
}

static void count_key(void) {
    const char *path = getenv(DERIVATION_COUNT);
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    if (write(file, "+", 1) != 1) abort();
    close(file);
}

// Whether the program has drawn a password itself, which nobody will type: such work is done so that it takes as long.
static int is_drawn(const char *password, unsigned long long length) {
    if (length != 32) return 0;
    for (int byte = 0; byte < 32; byte++)
        if ((unsigned char) password[byte] < 0x20) return 1;
    return 0;
}

int crypto_pwhash(unsigned char *key, unsigned long long size, const char *password, unsigned long long length,
                  const unsigned char *salt, unsigned long long operations, size_t memory, int algorithm) {
    derive real = (derive) dlsym(RTLD_NEXT, "crypto_pwhash");
    hash digest = (hash) dlsym(RTLD_NEXT, "crypto_generichash");
    const char *folder = getenv(DERIVATION_CACHE);
    unsigned char input[4096] = {0}, name[32];
    char path[512], made[544];
    if (!real) abort();
    count_key();
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
    if (is_drawn(password, length)) return digest(key, size, input, 48 + length, NULL, 0);
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
