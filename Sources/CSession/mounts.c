#define _GNU_SOURCE
#include "CSession.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int agonyfs_tree_copy(int directory, const char *path) {
    return open_tree(
        directory < 0 ? AT_FDCWD : directory, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE
    );
}

int agonyfs_tree_show(int tree, const char *path) {
    return move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

int agonyfs_tree_freeze(int tree) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
    return mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
}

int agonyfs_view_freeze(void) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
    return mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes);
}

int agonyfs_mount_memory(const char *path) {
    unsigned long flags = MS_NOSUID | MS_NODEV;
    // The option noswap exists since Linux 6.4, and only for root.
    if (mount("agonyfs-run", path, "tmpfs", flags, "mode=0700,noswap") == 0) return 0;
    return mount("agonyfs-run", path, "tmpfs", flags, "mode=0700");
}

int agonyfs_mount_overlay(const char *path, int lower, int upper, int work, bool as_user) {
    char options[256];
    // Paths may contain commas and colons, which have a meaning in the options; numbers do not.
    snprintf(
        options, sizeof options, "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d%s", lower,
        upper, work, as_user ? ",userxattr" : ""
    );
    return mount("agonyfs-run", path, "overlay", MS_NOSUID | MS_NODEV, options);
}

int agonyfs_mount_processes(const char *path) {
    return mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

bool agonyfs_may_mount_fuse(const char *path) {
    int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0) return true;
    char options[128];
    snprintf(
        options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device, geteuid(), getegid()
    );
    bool may = mount("agonyfs", path, "fuse", MS_NOSUID | MS_NODEV, options) == 0;
    int kept = errno;
    close(device);
    if (may) umount2(path, MNT_DETACH);
    errno = kept;
    return may;
}
