#define _GNU_SOURCE
#include "CMount.h"

#include <fcntl.h>
#include <fuse_log.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <unistd.h>

void agonyfs_system_log_open(void) {
    openlog("agonyfs", LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

void agonyfs_system_log(int level, const char *text) {
    syslog(level, "%s", text);
}

ssize_t agonyfs_getxattr_as(uid_t user, gid_t group, const char *path, const char *name, void *value, size_t size) {
    // The bare system calls change one thread; the C library's functions would change all.
    if (syscall(SYS_setresgid, group, group, group) != 0) return -1;
    if (syscall(SYS_setresuid, user, user, user) != 0) return -1;
    return getxattr(path, name, value, size);
}

bool agonyfs_may_mount(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0) return geteuid() == 0;
    return sets[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
}

static void forward(enum fuse_log_level level, const char *format, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = 0;
    if (text[0] != 0) agonyfs_library_message((int)level, text);
}

void agonyfs_library_log_install(void) {
    fuse_set_log_func(forward);
}

struct fuse_session *agonyfs_session_new(
    const char *options, const struct fuse_lowlevel_ops *operations, void *volume
) {
    char *words[] = {"agonyfs", "-o", (char *)options, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session = fuse_session_new(&arguments, operations, sizeof *operations, volume);
    fuse_opt_free_args(&arguments);
    return session;
}
