#ifndef AGONYFS_MOUNT_H
#define AGONYFS_MOUNT_H

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/pidfd.h>
#include <sys/types.h>
#include <sys/xattr.h>

/// Receives a message of libfuse, one line; the level is that of syslog(3).
void agonyfs_library_message(int level, const char *_Nonnull text);

// The session.

/// fuse_session_new(3), which is a macro in newer versions. `options` is a list as after `-o`. `volume` is the user
/// data of all requests. NULL if libfuse refuses.
struct fuse_session *_Nullable agonyfs_session_new(const char *_Nonnull options,
                                                   const struct fuse_lowlevel_ops *_Nonnull operations,
                                                   void *_Nonnull volume);

/// Replaces the reading and writing of a mounted session; one session per process at a time. After the reply to INIT,
/// threads read requests from the channels, not libfuse.
int agonyfs_session_hook(struct fuse_session *_Nonnull session);

/// The negotiated protocol flags (FUSE_* of linux/fuse.h), after the reply to INIT.
uint32_t agonyfs_session_flags(void);

/// Opens another channel to the kernel for the session whose first channel is `shared`; negative if the kernel refuses.
int agonyfs_channel_open(int shared, bool blocks);

/// Sends the replies of the calling thread to this channel from now on: the channel of the request.
void agonyfs_channel_reply_to(int channel);

/// The channel for the replies of the calling thread; negative for the session's first one.
int agonyfs_channel_of_reply(void);

/// Sends libfuse's log messages to `agonyfs_library_message`.
void agonyfs_library_log_install(void);

// Signals.

/// From now on SIGTERM, SIGINT and SIGHUP write an "S" to `descriptor`, a non-blocking pipe. SIGPIPE is ignored, and
/// SIGUSR1 only interrupts a call. The second function restores their previous actions.
void agonyfs_signals_catch(int descriptor);
void agonyfs_signals_restore(void);

/// Unblocks SIGUSR1 in the calling thread, so that the signal can interrupt it.
void agonyfs_interruption_allow(void);

// Calls that Swift cannot see.

void agonyfs_system_log_open(void);
void agonyfs_system_log(int level, const char *_Nonnull text);

/// Whether this process may call mount(2): it has CAP_SYS_ADMIN. Otherwise libfuse uses the helper.
bool agonyfs_may_mount(void);

/// getxattr(2) as another user and group. It changes the calling thread for good, so the thread must end right after
/// it.
ssize_t agonyfs_getxattr_as(uid_t user, gid_t group, const char *_Nonnull path, const char *_Nonnull name,
                            void *_Nonnull value, size_t size);

#endif
