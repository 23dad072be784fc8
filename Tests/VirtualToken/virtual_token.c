#include "virtual_token.h"

#include <fido.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <unlock.h>

static void *open_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int *descriptor = malloc(sizeof *descriptor);
    *descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(*descriptor, (struct sockaddr *) &address, sizeof address) == 0) return descriptor;
    close(*descriptor);
    free(descriptor);
    return NULL;
}

static void close_socket(void *handle) {
    close(*(int *) handle);
    free(handle);
}

static int read_report(void *handle, unsigned char *buffer, size_t size, int milliseconds) {
    struct pollfd waited = {.fd = *(int *) handle, .events = POLLIN};
    if (poll(&waited, 1, milliseconds) != 1) return -1;
    return recv(*(int *) handle, buffer, size, MSG_WAITALL) == (ssize_t) size ? (int) size : -1;
}

static int write_report(void *handle, const unsigned char *buffer, size_t size) {
    // The first byte is the number of the report, which is not sent.
    return send(*(int *) handle, buffer + 1, size - 1, MSG_NOSIGNAL) == (ssize_t) size - 1 ? (int) size : -1;
}

void agonyfs_use_virtual_tokens(const char *text) {
    static const fido_dev_io_t functions = {open_socket, close_socket, read_report, write_report};
    static const char *paths[4];
    size_t count = 0;
    char *rest = strdup(text);
    for (char *path; count < 4 && (path = strsep(&rest, ":"));) paths[count++] = path;
    agonyfs_token_use(&functions, paths, count);
}
