#define _GNU_SOURCE
#include "CDecoder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

// Some systems' headers lack these.
#define LANDLOCK_VERSION_FLAG 1u
struct landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif
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
// process in a session that it has for itself has no effect, but that of the session has. Without CAP_SYS_ADMIN the
// kernel takes one such change of all processes in 100 ms. 5 leaves a decoder a quarter of a busy processor: a job has a
// deadline, and programs may wait for its pictures.
static void lower_session(void) {
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

// Handles every right that the kernel's version of Landlock knows, and allows none.
static int restrict_files(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_FLAG);
    if (version < 1) return 0;
    struct landlock_rules rules = {0};
    int rights = version == 1 ? 13 : version == 2 ? 14 : version <= 4 ? 15 : 16;
    rules.files = (1ull << rights) - 1;
    if (version >= 4) rules.network = 3;
    if (version >= 6) rules.scoped = 3;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (set < 0) return 0;
    long result = syscall(SYS_landlock_restrict_self, set, 0);
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
    ALLOW(read), ALLOW(write), ALLOW(futex), ALLOW(ppoll), ALLOW(close),
    ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
    // Memory can no longer be made executable: all libraries are loaded.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
    LOAD_ARGUMENT(2),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
    ANSWER(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
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
    struct sock_fprog program = {sizeof filter / sizeof *filter, (struct sock_filter *)filter};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
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
    lower_session();
    sched_setscheduler(0, SCHED_BATCH, &none);
    syscall(SYS_ioprio_set, 1, 0, IOPRIO_CLASS_IDLE_VALUE);

    int alone = is_single_threaded();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, 0, 0);
    limit(RLIMIT_AS, (rlim_t)2 << 30, (rlim_t)2 << 30);
    limit(RLIMIT_MEMLOCK, 0, 0);
    agonyfs_allow_processor_time(120);
    if (alone) result.threads = limit_threads();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return result;
    if (with_landlock && alone) result.landlock = restrict_files();
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
