#ifndef AGONYFS_MOUNT_H
#define AGONYFS_MOUNT_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/xattr.h>

// The callbacks. Their bodies are in the Swift target Mount, written with `@c @implementation`, so that the compiler
// compares the two; the table of them is in operations.c.

void agonyfs_init(void *_Nullable volume, struct fuse_conn_info *_Nonnull connection);
void agonyfs_lookup(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name);
void agonyfs_forget(fuse_req_t _Nonnull request, fuse_ino_t inode, uint64_t count);
void agonyfs_forget_multi(fuse_req_t _Nonnull request, size_t count, struct fuse_forget_data *_Nonnull inodes);
void agonyfs_getattr(fuse_req_t _Nonnull request, fuse_ino_t inode, struct fuse_file_info *_Nullable file);
void agonyfs_setattr(fuse_req_t _Nonnull request, fuse_ino_t inode, struct stat *_Nonnull status, int which,
                     struct fuse_file_info *_Nullable file);
void agonyfs_readlink(fuse_req_t _Nonnull request, fuse_ino_t inode);
void agonyfs_mknod(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name, mode_t mode,
                   dev_t device);
void agonyfs_mkdir(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name, mode_t mode);
void agonyfs_unlink(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name);
void agonyfs_rmdir(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name);
void agonyfs_symlink(fuse_req_t _Nonnull request, const char *_Nonnull target, fuse_ino_t parent,
                     const char *_Nonnull name);
void agonyfs_rename(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name, fuse_ino_t new_parent,
                    const char *_Nonnull new_name, unsigned int flags);
void agonyfs_link(fuse_req_t _Nonnull request, fuse_ino_t inode, fuse_ino_t parent, const char *_Nonnull name);
void agonyfs_open(fuse_req_t _Nonnull request, fuse_ino_t inode, struct fuse_file_info *_Nonnull file);
void agonyfs_create(fuse_req_t _Nonnull request, fuse_ino_t parent, const char *_Nonnull name, mode_t mode,
                    struct fuse_file_info *_Nonnull file);
void agonyfs_release(fuse_req_t _Nonnull request, fuse_ino_t inode, struct fuse_file_info *_Nonnull file);
void agonyfs_read(fuse_req_t _Nonnull request, fuse_ino_t inode, size_t size, off_t offset,
                  struct fuse_file_info *_Nonnull file);
void agonyfs_write(fuse_req_t _Nonnull request, fuse_ino_t inode, const char *_Nonnull bytes, size_t size,
                   off_t offset, struct fuse_file_info *_Nonnull file);
void agonyfs_fsync(fuse_req_t _Nonnull request, fuse_ino_t inode, int data_only,
                   struct fuse_file_info *_Nullable file);
void agonyfs_opendir(fuse_req_t _Nonnull request, fuse_ino_t inode, struct fuse_file_info *_Nonnull file);
void agonyfs_readdir(fuse_req_t _Nonnull request, fuse_ino_t inode, size_t size, off_t cookie,
                     struct fuse_file_info *_Nonnull file);
void agonyfs_readdirplus(fuse_req_t _Nonnull request, fuse_ino_t inode, size_t size, off_t cookie,
                         struct fuse_file_info *_Nonnull file);
void agonyfs_statfs(fuse_req_t _Nonnull request, fuse_ino_t inode);
void agonyfs_setxattr(fuse_req_t _Nonnull request, fuse_ino_t inode, const char *_Nonnull name,
                      const char *_Nullable value, size_t size, int flags);
void agonyfs_getxattr(fuse_req_t _Nonnull request, fuse_ino_t inode, const char *_Nonnull name, size_t size);
void agonyfs_listxattr(fuse_req_t _Nonnull request, fuse_ino_t inode, size_t size);
void agonyfs_removexattr(fuse_req_t _Nonnull request, fuse_ino_t inode, const char *_Nonnull name);
void agonyfs_fallocate(fuse_req_t _Nonnull request, fuse_ino_t inode, int mode, off_t offset, off_t length,
                       struct fuse_file_info *_Nonnull file);
void agonyfs_copy_file_range(fuse_req_t _Nonnull request, fuse_ino_t source, off_t source_offset,
                             struct fuse_file_info *_Nonnull source_file, fuse_ino_t target, off_t target_offset,
                             struct fuse_file_info *_Nonnull target_file, size_t length, int flags);
void agonyfs_lseek(fuse_req_t _Nonnull request, fuse_ino_t inode, off_t offset, int whence,
                   struct fuse_file_info *_Nonnull file);

/// A message of libfuse, one line; level as in syslog(3).
void agonyfs_library_message(int level, const char *_Nonnull text);

// The session.

/// Makes a session for `volume`, which the callbacks get as user data. `options` is a list as after `-o`. NULL if
/// libfuse refuses.
struct fuse_session *_Nullable agonyfs_session_new(const char *_Nonnull options, void *_Nonnull volume);

/// Gives a mounted session our own reading and writing; one session per process at a time. After the reply to INIT,
/// requests are read from the channels, not by libfuse.
int agonyfs_session_hook(struct fuse_session *_Nonnull session);

/// The protocol flags that both sides agreed on (FUSE_* of linux/fuse.h), after the reply to INIT.
uint32_t agonyfs_session_flags(void);

/// Opens another channel to the kernel for the session whose own channel is `shared`; negative if there is none.
int agonyfs_channel_open(int shared, bool blocks);

/// Sends the replies of the calling thread to this channel from now on: the channel of the request.
void agonyfs_channel_reply_to(int channel);

/// Sends what libfuse logs to `agonyfs_library_message`.
void agonyfs_library_log_install(void);

// Signals.

/// From now on SIGTERM, SIGINT and SIGHUP write an "S" to `descriptor`, a pipe that does not block. SIGPIPE is ignored,
/// and SIGUSR1 only interrupts a call. The second function restores what they did before.
void agonyfs_signals_catch(int descriptor);
void agonyfs_signals_restore(void);

/// Unblocks SIGUSR1 in the calling thread, so that it can interrupt it.
void agonyfs_interruption_allow(void);

// Calls that Swift cannot see.

/// Values of `whence` that Glibc shows to GNU programs only.
int agonyfs_seek_data(void);
int agonyfs_seek_hole(void);
void agonyfs_system_log_open(void);
void agonyfs_system_log(int level, const char *_Nonnull text);
int agonyfs_pidfd_open(pid_t process);
int agonyfs_set_not_dumpable(void);

/// getxattr(2) as another user and group. It changes the calling thread for good, which must end right after it.
ssize_t agonyfs_getxattr_as(uid_t user, gid_t group, const char *_Nonnull path, const char *_Nonnull name,
                            void *_Nonnull value, size_t size);

#endif
