#define _GNU_SOURCE
#include "CDecoder.h"
#include "CConfine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define IOPRIO_CLASS_IDLE_VALUE (3 << 13)

static void limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit both = {soft, hard};
    setrlimit(resource, &both);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec;
}

enum { most_processor_seconds = 24 * 3600 };

void agonyfs_allow_processor_time(int seconds) {
    limit(RLIMIT_CPU, (rlim_t)processor_seconds() + 1 + (rlim_t)seconds, most_processor_seconds);
}

// The kernel may weigh sessions against each other first (sched(7), "The autogroup feature"). Then the niceness of a
// process in a session that has no other processes has no effect, but that of the session has. Without CAP_SYS_ADMIN the
// kernel takes one such change of all processes in 100 ms. 5 leaves decoders a quarter of what they share with one
// other busy session: a job has a deadline, and programs may wait for its pictures.
void agonyfs_lower_session(void) {
    int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (group < 0) return;
    for (int tries = 0; tries < 20 && write(group, "5", 1) < 0 && errno == EAGAIN; tries++)
        usleep(20000 + (useconds_t)getpid() % 10000);
    close(group);
}

// Whether the kernel counts the tasks of each user namespace separately: since Linux 5.14.
static int counts_by_namespace(void) {
    struct utsname system;
    int major = 0, minor = 0;
    return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 14));
}

// Bounds the threads of this process. RLIMIT_NPROC counts all tasks of a user, but in a user namespace only those in
// it, and this process is alone in its namespace. The kernel never bounds root's tasks.
static int limit_threads(void) {
    int is_root = geteuid() == 0;
    if (!counts_by_namespace() || unshare(CLONE_NEWUSER) != 0) return 0;
    // A new namespace gives the process all capabilities in it, which it does not need.
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    syscall(SYS_capset, &header, none);
    struct rlimit most = {64, 64};
    return setrlimit(RLIMIT_NPROC, &most) == 0 && !is_root;
}

#ifdef NATIVE_ARCHITECTURE
static const struct sock_filter filter[] = {
    BEGIN_FILTER,
#ifdef __x86_64__
    ALLOW(poll),
#endif
    ALLOW(read), ALLOW(write), ALLOW(futex), ALLOW(ppoll), ALLOW(close),
    ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
    ALLOW_MEMORY_WITHOUT_CODE,
    ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
    ALLOW(rseq), ALLOW(set_robust_list), ALLOW(exit), ALLOW(exit_group),
    ALLOW(sched_getaffinity), ALLOW(sched_yield), ALLOW(gettid), ALLOW(getpid),
    ALLOW(clock_gettime), ALLOW(clock_nanosleep), ALLOW(getrandom),
    // A filter cannot see the flags of clone3. After ENOSYS the C library uses clone instead.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
    REFUSE(ENOSYS),
    // Threads, but no processes.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
    // Names of threads.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 0, 1),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
    // This process's own limit on processor time.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 6),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
    LOAD_ARGUMENT(1),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RLIMIT_CPU, 0, 1),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
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

agonyfs_confinement agonyfs_confine(int with_landlock, int with_seccomp) {
    agonyfs_confinement result = {0, 0, 0};
    struct sched_param none = {0};
    setpriority(PRIO_PROCESS, 0, 19);
    sched_setscheduler(0, SCHED_BATCH, &none);
    syscall(SYS_ioprio_set, 1, 0, IOPRIO_CLASS_IDLE_VALUE);

    int alone = agonyfs_is_single_threaded();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, 0, 0);
    limit(RLIMIT_AS, (rlim_t)2 << 30, (rlim_t)2 << 30);
    limit(RLIMIT_MEMLOCK, 0, 0);
    agonyfs_allow_processor_time(120);
    if (alone) result.threads = limit_threads();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return result;
    if (with_landlock && alone) result.landlock = agonyfs_restrict_rights(NULL);
    limit(RLIMIT_NOFILE, 3, 3);
    if (with_seccomp) result.seccomp = filter_calls();
    return result;
}

static void *wait_for_end(void *argument) {
    struct pollfd socket = {(int)(intptr_t)argument, 0, 0};
    while (!(socket.revents & (POLLHUP | POLLERR | POLLNVAL)))
        if (poll(&socket, 1, -1) < 0 && errno != EINTR) break;
    _exit(0);
}

int agonyfs_end_with(int socket) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, wait_for_end, (void *)(intptr_t)socket);
    pthread_attr_destroy(&attributes);
    return error;
}
