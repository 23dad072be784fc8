#define _GNU_SOURCE
#include "CStore.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int agonyfs_store_resolve(const char *host, uint16_t port, char *entry) {
    unsigned char address[sizeof(struct in6_addr)];
    entry[0] = 0;
    if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1) return 0;
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(host, NULL, &wanted, &found);
    // A machine that has only the loopback interface has no address of either family for AI_ADDRCONFIG.
    if (error != 0) {
        wanted.ai_flags = 0;
        error = getaddrinfo(host, NULL, &wanted, &found);
    }
    if (error != 0) return error;
    int count = snprintf(entry, AGONYFS_RESOLVED_BYTES, "%s:%u:", host, port);
    int places = 0;
    for (struct addrinfo *each = found; each && places < 16; each = each->ai_next) {
        char text[INET6_ADDRSTRLEN + 3] = "";
        char name[INET6_ADDRSTRLEN];
        // A scope would need a name of an interface.
        if (getnameinfo(each->ai_addr, each->ai_addrlen, name, sizeof name, NULL, 0, NI_NUMERICHOST) != 0) continue;
        if (strchr(name, '%')) continue;
        snprintf(text, sizeof text, each->ai_family == AF_INET6 ? "[%s]" : "%s", name);
        if (count < 0 || count + (int)strlen(text) + 2 > AGONYFS_RESOLVED_BYTES) break;
        count += snprintf(entry + count, (size_t)(AGONYFS_RESOLVED_BYTES - count), "%s%s", places ? "," : "", text);
        places++;
    }
    freeaddrinfo(found);
    if (places > 0) return 0;
    entry[0] = 0;
    return EAI_NONAME;
}
