#define _GNU_SOURCE
#include "CConfine.h"

#include <dirent.h>
#include <unistd.h>

// Some systems' headers lack these.
#define LANDLOCK_VERSION_FLAG 1u
#define LANDLOCK_RULE_PORT 2
#define LANDLOCK_BIND 1u
#define LANDLOCK_CONNECT 2u
struct landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};
struct landlock_port {
    uint64_t allowed;
    uint64_t port;
};
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

int agonyfs_is_single_threaded(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 1;
    int count = 0;
    struct dirent *entry;
    while ((entry = readdir(tasks))) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count == 1;
}

int agonyfs_restrict_rights(const uint16_t *port) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
    if (version < 1) return 0;
    struct landlock_rules rules = {0};
    int rights = version == 1 ? 13 : version == 2 ? 14 : version <= 4 ? 15 : 16;
    rules.files = (1ull << rights) - 1;
    if (version >= 4) rules.network = LANDLOCK_BIND | LANDLOCK_CONNECT;
    if (version >= 6) rules.scoped = 3;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (set < 0) return 0;
    long result = 0;
    if (port && version >= 4) {
        struct landlock_port rule = {LANDLOCK_CONNECT, *port};
        result = syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PORT, &rule, 0);
    }
    if (result == 0) result = syscall(SYS_landlock_restrict_self, set, 0);
    close(set);
    return result == 0 ? (int)version : 0;
}

int agonyfs_filter_calls(const struct sock_filter *filter, size_t count) {
    struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)filter};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
