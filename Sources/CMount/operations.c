#include "CMount.h"

#include <stddef.h>

// Deliberately missing:
//   flush, access, ioctl: libfuse answers ENOSYS, and the kernel never asks again (ioctl(2) then fails with ENOTTY);
//   releasedir: without opendir the kernel sends none;
//   getlk, setlk, flock: the kernel manages locks itself, which is right for one machine;
//   write_buf, retrieve_reply: useful only with splice; bmap: there is no block device; poll: files are always ready.
static const struct fuse_lowlevel_ops operations = {
    .init = agonyfs_init,
    .lookup = agonyfs_lookup,
    .forget = agonyfs_forget,
    .forget_multi = agonyfs_forget_multi,
    .getattr = agonyfs_getattr,
    .setattr = agonyfs_setattr,
    .readlink = agonyfs_readlink,
    .mknod = agonyfs_mknod,
    .mkdir = agonyfs_mkdir,
    .unlink = agonyfs_unlink,
    .rmdir = agonyfs_rmdir,
    .symlink = agonyfs_symlink,
    .rename = agonyfs_rename,
    .link = agonyfs_link,
    .open = agonyfs_open,
    .create = agonyfs_create,
    .release = agonyfs_release,
    .read = agonyfs_read,
    .write = agonyfs_write,
    .fsync = agonyfs_fsync,
    .opendir = agonyfs_opendir,
    .readdir = agonyfs_readdir,
    .readdirplus = agonyfs_readdirplus,
    .fsyncdir = agonyfs_fsync,
    .statfs = agonyfs_statfs,
    .setxattr = agonyfs_setxattr,
    .getxattr = agonyfs_getxattr,
    .listxattr = agonyfs_listxattr,
    .removexattr = agonyfs_removexattr,
    .fallocate = agonyfs_fallocate,
    .copy_file_range = agonyfs_copy_file_range,
    .lseek = agonyfs_lseek,
};

struct fuse_session *agonyfs_session_new(const char *options, void *volume) {
    char *words[] = {"agonyfs", "-o", (char *)options, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session = fuse_session_new(&arguments, &operations, sizeof operations, volume);
    fuse_opt_free_args(&arguments);
    return session;
}
