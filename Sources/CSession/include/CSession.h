#ifndef AGONYFS_SESSION_H
#define AGONYFS_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// Unless noted, functions return 0 or a descriptor, or -1 with errno. Processes that call the functions about
// namespaces have one thread.

// Namespaces.

/// Whether this process may mount without a new user namespace: it has CAP_SYS_ADMIN.
bool agonyfs_session_is_privileged(void);

/// unshare(2): a new mount namespace, which receives mounts from outside but passes none on. With `as_user` also a new
/// user namespace, in which user and group keep their numbers and the process has all capabilities. The process can be
/// traced afterwards, which opens its files in /proc: it must never have held a secret, and gets none.
int agonyfs_session_separate(bool as_user);

/// A new mount namespace, in the user namespace of the process.
int agonyfs_session_separate_view(void);

/// Makes the next child the first process of a new process namespace.
int agonyfs_session_separate_processes(void);

/// Enters the namespaces of another process; -1 for `user` keeps the user namespace. `root` becomes the root and the
/// working directory.
int agonyfs_session_enter(int user, int mounts, int root);

/// Drops all capabilities for good, also for programs that are executed later. Root loses only the one to mount. With
/// `as_user`, set-user-ID programs lose their effect.
int agonyfs_session_drop_privileges(bool as_user);

// Mounts.

/// open_tree(2): copies all mounts at a path and below it; the path is relative to `directory`, or to the working
/// directory if that is -1. Symbolic links are followed.
int agonyfs_tree_copy(int directory, const char *_Nonnull path);

/// move_mount(2): mounts a copy at a path.
int agonyfs_tree_show(int tree, const char *_Nonnull path);

/// mount_setattr(2): makes all mounts of a copy read-only.
int agonyfs_tree_freeze(int tree);

/// Makes all mounts that this process sees read-only.
int agonyfs_view_freeze(void);

/// Mounts a memory file system, outside the swap space if the kernel supports that.
int agonyfs_mount_memory(const char *_Nonnull path);

/// Mounts an overlay at `path`, which shows the files of the directory `lower` until they are changed. Changes go to
/// `upper` and `work`, directories of one file system.
int agonyfs_mount_overlay(const char *_Nonnull path, int lower, int upper, int work, bool as_user);

/// Mounts the /proc of this process namespace.
int agonyfs_mount_processes(const char *_Nonnull path);

/// Whether the kernel lets this process mount FUSE at a path. True also if the device cannot be opened: mounting gives
/// a better error.
bool agonyfs_may_mount_fuse(const char *_Nonnull path);

// Processes.

/// fork(2), in a process with one thread. The child has no locked memory.
pid_t agonyfs_fork(void);

/// Executes a program; PATH is searched as in a shell. Returns only on failure, with an error number.
int agonyfs_execute(char *_Nullable const *_Nonnull arguments);

/// Asks the kernel to kill the calling process when its parent ends.
int agonyfs_end_with_parent(void);

/// Makes orphaned descendants children of this process.
int agonyfs_adopt_orphans(void);

/// A signal that was waited for.
struct agonyfs_signal {
    int number;
    bool is_from_process;  ///< Sent with kill(2), not by the terminal.
};

/// Blocks the signals that end a program from outside, and SIGCHLD, in the calling thread. `before` becomes the old
/// mask.
void agonyfs_waiting_signals_block(sigset_t *_Nonnull before);

/// Waits for one of them, at most this long; the number is 0 if none came.
struct agonyfs_signal agonyfs_waiting_signals_take(int milliseconds);

/// Restores the signals of a child that is about to execute a program: the mask, and SIGPIPE.
void agonyfs_waiting_signals_restore(const sigset_t *_Nonnull before);

/// Gives the terminal, if this process has one, back to its own process group, and keeps the terminal's settings.
void agonyfs_terminal_take_back(void);

#endif
