#ifndef AGONYFS_SESSION_H
#define AGONYFS_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// All functions return 0 or a descriptor, or -1 with errno, where nothing else is said. Processes that call those about
// namespaces have one thread.

// Namespaces.

/// Whether this process may mount without a user namespace of its own: it has CAP_SYS_ADMIN.
bool agonyfs_session_is_privileged(void);

/// unshare(2): a mount namespace of its own, to which mounts of the others come, and from which none go out. With
/// `as_user` in a new user namespace, in which the user and the group have the numbers that they have outside, and the
/// process has all capabilities. The process can be traced afterwards, which opens its files in /proc: it must never have
/// held a secret, and gets none.
int agonyfs_session_separate(bool as_user);

/// A mount namespace of its own, in the user namespace of the process.
int agonyfs_session_separate_view(void);

/// Has the next child be the first process of a new process namespace.
int agonyfs_session_separate_processes(void);

/// Enters the namespaces of another process; -1 for `user` leaves the user namespace as it is. `root` becomes the root
/// and the working directory.
int agonyfs_session_enter(int user, int mounts, int root);

/// Takes all capabilities away for good, also from programs that are executed later. Of those of root only the one to
/// mount. Programs that set the user lose their effect if `as_user`.
int agonyfs_session_drop_privileges(bool as_user);

// Mounts.

/// open_tree(2): a copy of everything mounted at a path and below it; the path is relative to `directory`, or to the
/// working directory if that is -1. Symbolic links are followed.
int agonyfs_tree_copy(int directory, const char *_Nonnull path);

/// move_mount(2): mounts a copy.
int agonyfs_tree_show(int tree, const char *_Nonnull path);

/// mount_setattr(2): everything in a copy becomes read-only.
int agonyfs_tree_freeze(int tree);

/// The same for all that this process sees.
int agonyfs_view_freeze(void);

/// Mounts memory, and keeps it from the swap space where the kernel does so.
int agonyfs_mount_memory(const char *_Nonnull path);

/// Mounts an overlay over `path`, whose files are those of the directory `lower` until they are changed. Changes go to
/// `upper` and `work`, directories of one file system.
int agonyfs_mount_overlay(const char *_Nonnull path, int lower, int upper, int work, bool as_user);

/// Mounts the files of this process namespace.
int agonyfs_mount_processes(const char *_Nonnull path);

/// Whether the kernel lets this process mount FUSE at a path; true also if the device cannot be opened, which mounting
/// says better.
bool agonyfs_may_mount_fuse(const char *_Nonnull path);

// Processes.

/// fork(2), in a process with one thread. No memory is locked in the child.
pid_t agonyfs_fork(void);

/// Executes a program, searched for in PATH as shells do. Returns an error number.
int agonyfs_execute(char *_Nullable const *_Nonnull arguments);

/// Has the calling process killed when the one that started it ends.
int agonyfs_end_with_parent(void);

/// Makes processes whose parent has ended children of this process.
int agonyfs_adopt_orphans(void);

/// What a wait for signals tells.
struct agonyfs_signal {
    int number;
    bool is_from_process;  ///< Somebody sent it with kill(2), not the terminal.
};

/// Blocks the signals that end a program from outside, and SIGCHLD, in the calling thread. `before` becomes the mask.
void agonyfs_waiting_signals_block(sigset_t *_Nonnull before);

/// Waits for one of them for some milliseconds at most; the number is 0 if none came.
struct agonyfs_signal agonyfs_waiting_signals_take(int milliseconds);

/// Gives a child that is about to execute a program its signals back: the mask, and SIGPIPE.
void agonyfs_waiting_signals_restore(const sigset_t *_Nonnull before);

/// Gives the terminal, if this process has one, back to its process group, and keeps its settings.
void agonyfs_terminal_take_back(void);

#endif
