#define _GNU_SOURCE
#include "CSession.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int get_capabilities(struct __user_cap_header_struct *header, struct __user_cap_data_struct *sets) {
    *header = (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
    return (int)syscall(SYS_capget, header, sets);
}

bool agonyfs_session_is_privileged(void) {
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (get_capabilities(&header, sets) != 0) return false;
    return geteuid() == 0 && sets[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
}

static int write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = write(file, text, strlen(text));
    int kept = errno;
    close(file);
    errno = kept;
    return count == (ssize_t)strlen(text) ? 0 : -1;
}

static int write_map(const char *path, unsigned number) {
    char text[64];
    snprintf(text, sizeof text, "%u %u 1\n", number, number);
    return write_text(path, text);
}

int agonyfs_session_separate(bool as_user) {
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWNS | (as_user ? CLONE_NEWUSER : 0)) != 0) return -1;
    // The files in /proc of a process that cannot be traced belong to root, so the maps below could not be written.
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return -1;
    if (as_user) {
        // The kernel accepts a map of groups from a user only after this.
        if (write_text("/proc/self/setgroups", "deny") != 0) return -1;
        if (write_map("/proc/self/uid_map", user) != 0 || write_map("/proc/self/gid_map", group) != 0) return -1;
    }
    return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

int agonyfs_session_separate_view(void) {
    if (unshare(CLONE_NEWNS) != 0) return -1;
    // Otherwise, file systems that are mounted outside later would be writable inside.
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int agonyfs_session_separate_processes(void) {
    return unshare(CLONE_NEWPID);
}

int agonyfs_session_enter(int user, int mounts, int root) {
    if (user >= 0 && setns(user, CLONE_NEWUSER) != 0) return -1;
    if (setns(mounts, CLONE_NEWNS) != 0) return -1;
    if (fchdir(root) != 0 || chroot(".") != 0) return -1;
    return chdir("/");
}

int agonyfs_session_drop_privileges(bool as_user) {
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (get_capabilities(&header, sets) != 0) return -1;
    for (int number = 0; number <= CAP_LAST_CAP; number++) {
        if (!as_user && number != CAP_SYS_ADMIN) continue;
        // An older kernel may know fewer capabilities.
        if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0 && errno != EINVAL) return -1;
    }
    for (int index = 0; index < _LINUX_CAPABILITY_U32S_3; index++) {
        unsigned kept = as_user ? 0 : ~0u;
        if (index == CAP_TO_INDEX(CAP_SYS_ADMIN)) kept &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
        sets[index].effective &= kept;
        sets[index].permitted &= kept;
        sets[index].inheritable &= kept;
    }
    // The ambient set is always a subset of the others, so it is empty as well.
    if (as_user && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_capset, &header, sets);
}
