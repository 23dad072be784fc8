#define _GNU_SOURCE
#include "CStore.h"
#include "CConfine.h"

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int agonyfs_store_prepare(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : 1;
}

#ifdef NATIVE_ARCHITECTURE
static const struct sock_filter filter[] = {
    BEGIN_FILTER,
#ifdef __x86_64__
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
    ALLOW_MEMORY_WITHOUT_CODE,
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
    return agonyfs_filter_calls(filter, sizeof filter / sizeof *filter);
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
    int alone = agonyfs_is_single_threaded();
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_AS, (rlim_t)2 << 30);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return result;
    if (alone) result.landlock = agonyfs_restrict_rights(&port);
    limit(RLIMIT_NOFILE, 16);
    result.seccomp = filter_calls();
    return result;
}

bool agonyfs_store_is_closed(int descriptor) {
    struct pollfd end = {descriptor, 0, 0};
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}
