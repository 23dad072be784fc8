#define _GNU_SOURCE
#include "CStore.h"

#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

int agonyfs_store_prepare(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : 1;
}

// Landlock confines only the calling thread and threads that it starts later.
static int is_single_threaded(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 1;
    int count = 0;
    struct dirent *entry;
    while ((entry = readdir(tasks))) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count == 1;
}

// Handles every right that the kernel's version of Landlock knows, and allows connections to one port.
static int restrict_rights(uint16_t port) {
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
    struct landlock_port rule = {LANDLOCK_CONNECT, port};
    long result = version >= 4 ? syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PORT, &rule, 0) : 0;
    if (result == 0) result = syscall(SYS_landlock_restrict_self, set, 0);
    close(set);
    return result == 0 ? (int)version : 0;
}

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE_ARCHITECTURE
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The lower half of an argument; both architectures are little-endian.
#define LOAD_ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
// Allows a call unless an argument has the flag.
#define ALLOW_WITHOUT(name, argument, flag)                                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(argument),                                    \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 1, 0), ANSWER(SECCOMP_RET_ALLOW), REFUSE(EPERM)

static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#ifdef __x86_64__
    // The x32 interface has the same architecture and other numbers.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    ALLOW(poll),
#endif
    ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(ppoll), ALLOW(close), ALLOW(futex),
    ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
    // Connections; which ports they may have is Landlock's part.
    ALLOW(connect), ALLOW(recvfrom), ALLOW(recvmsg), ALLOW(shutdown),
    ALLOW(getsockname), ALLOW(getpeername), ALLOW(getsockopt), ALLOW(setsockopt), ALLOW(fcntl),
    // With this flag a call connects, and Landlock does not see it.
    ALLOW_WITHOUT(sendto, 3, MSG_FASTOPEN), ALLOW_WITHOUT(sendmsg, 2, MSG_FASTOPEN),
    // Descriptors with which libcurl wakes itself.
    ALLOW(socketpair), ALLOW(pipe2), ALLOW(eventfd2),
    // Memory can no longer be made executable: all libraries are loaded.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
    LOAD_ARGUMENT(2),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
    // TCP only: no sockets of other processes, no datagrams, no raw packets, and no other protocols of streams, whose
    // connections Landlock does not see.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 11),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 7),
    LOAD_ARGUMENT(1),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 0, 4),
    LOAD_ARGUMENT(2),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 1),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
    // Only the mode in which a descriptor does not block.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4),
    LOAD_ARGUMENT(1),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FIONBIO, 0, 1),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
    ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
    ALLOW(rseq), ALLOW(set_robust_list), ALLOW(exit), ALLOW(exit_group),
    ALLOW(sched_yield), ALLOW(gettid), ALLOW(getpid), ALLOW(geteuid), ALLOW(getuid),
    ALLOW(clock_gettime), ALLOW(clock_nanosleep), ALLOW(getrandom),
    REFUSE(EPERM),
};

static int filter_calls(void) {
    struct sock_fprog program = {sizeof filter / sizeof *filter, (struct sock_filter *)filter};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
#else
static int filter_calls(void) {
    return 0;
}
#endif

static void limit(int resource, rlim_t most) {
    struct rlimit both = {most, most};
    setrlimit(resource, &both);
}

agonyfs_store_confinement agonyfs_store_confine(uint16_t port) {
    agonyfs_store_confinement result = {0, 0};
    int alone = is_single_threaded();
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_AS, (rlim_t)2 << 30);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return result;
    if (alone) result.landlock = restrict_rights(port);
    limit(RLIMIT_NOFILE, 16);
    result.seccomp = filter_calls();
    return result;
}

bool agonyfs_store_is_closed(int descriptor) {
    struct pollfd end = {descriptor, 0, 0};
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}
