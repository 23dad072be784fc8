#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int argument_count;
static char **argument_values;

// The C library passes the arguments of main to constructors. Swift's own copy of the arguments is made later, on first
// use.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    argument_values = values;
}

// A program that was started without standard input, output or error would take the next file that it opens for one of
// them. The descriptors opened in their place fail when they are used, like a closed descriptor.
__attribute__((constructor)) static void open_standard_descriptors(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // open returns the lowest free number, which is this one.
        if (open("/dev/null", modes[descriptor]) < 0) _exit(1);
    }
}

char **agonyfs_arguments(int *count) {
    *count = argument_count;
    return argument_values;
}

int agonyfs_set_name(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

int agonyfs_processors(void) {
    cpu_set_t usable;
    // It fails if there are more processors than the set can hold.
    long count = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

void agonyfs_give_way(void) {
    // Linux stores this for each thread, and also uses it for the disk if no other class was set. An earlier reduction
    // of the process's priority stays, and 19 is the limit.
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 10);
}

int agonyfs_set_not_dumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int agonyfs_signal_descriptor(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_CLOEXEC);
}

// Moves a descriptor above all targets in the child, so that no dup2 overwrites the source of another.
static int moved_above(int descriptor, int limit) {
    if (descriptor >= 0) {
        int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, limit);
        // A program that was started without standard error starts children without one.
        if (moved >= 0 || errno != EBADF) return moved;
    }
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return -1;
    int moved = fcntl(nothing, F_DUPFD_CLOEXEC, limit);
    close(nothing);
    return moved;
}

static int set_attributes(posix_spawnattr_t *attributes, bool new_session, bool alone) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    short flags = POSIX_SPAWN_SETSIGMASK;
    if (new_session || alone) flags |= POSIX_SPAWN_SETSID;
    if (alone) flags |= POSIX_SPAWN_SETSIGDEF;
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error == 0 ? posix_spawnattr_setflags(attributes, flags) : error;
}

int agonyfs_spawn(
    pid_t *process, const char *path, char *const arguments[], const int *descriptors, int count, bool new_session,
    bool alone
) {
    enum { most = 10 };
    char *nothing[] = {NULL};
    int sources[most];
    int opened = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (count > most) return EINVAL;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    for (; opened < count && error == 0; opened++) {
        sources[opened] = moved_above(descriptors[opened], most);
        if (sources[opened] < 0) {
            error = errno;
            break;
        }
        error = posix_spawn_file_actions_adddup2(&actions, sources[opened], opened);
    }
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, count);
    if (error == 0 && alone) error = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (error == 0) error = set_attributes(&attributes, new_session, alone);
    if (error == 0) {
        error = posix_spawn(process, path, &actions, &attributes, arguments, alone ? nothing : environ);
    }
    while (opened > 0) close(sources[--opened]);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int agonyfs_process_descriptor(pid_t process) {
    return pidfd_open(process, 0);
}

bool agonyfs_was_killed(pid_t process) {
    for (int tries = 0; tries < 100; tries++) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
        if (info.si_pid == process) {
            int signal = info.si_status;
            bool is_sent_by_others = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGQUIT ||
                                     signal == SIGHUP;
            return info.si_code == CLD_KILLED && is_sent_by_others;
        }
        usleep(1000);
    }
    return false;
}

void agonyfs_notify(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path ? strlen(path) : 0;
    if (length < 2 || length > sizeof address.sun_path || (path[0] != '/' && path[0] != '@')) return;
    memcpy(address.sun_path, path, length);
    // The name of an abstract socket begins with a zero byte.
    if (path[0] == '@') address.sun_path[0] = 0;
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0) return;
    sendto(sender, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
           offsetof(struct sockaddr_un, sun_path) + length);
    close(sender);
}
