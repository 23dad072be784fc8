#ifndef AGONYFS_PLATFORM_H
#define AGONYFS_PLATFORM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/types.h>
#include <sys/xattr.h>

/// renameat2(2) with RENAME_NOREPLACE, in one directory.
int agonyfs_rename_if_absent(int directory, const char *from, const char *to);

/// The same, into another directory.
int agonyfs_move_if_absent(int directory, const char *from, int other_directory, const char *to);

/// openat2(2): opens a path that must stay below an open directory and on its file system, and has no symbolic link in
/// it (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_XDEV).
int agonyfs_open_beneath(int directory, const char *path, int flags, mode_t mode);

/// renameat2(2) with RENAME_EXCHANGE: exchanges what two paths lead to, each in its directory.
int agonyfs_exchange(int directory, const char *path, int other_directory, const char *other_path);

/// Birth time of an open file, by statx(2): 0 where the file system keeps none.
int agonyfs_file_birth(int descriptor, int64_t *seconds, uint32_t *nanoseconds);

/// Asks the file system itself what is at a path, whatever the kernel remembers of it (statx(2), AT_STATX_FORCE_SYNC).
/// Fails with ENOTCONN for a FUSE file system whose process has ended.
int agonyfs_ask_for_attributes(const char *path);

/// Whether an open file is on a file system that only this machine can write, as far as is known (statfs(2)): one of a
/// disk or of memory, but not of a network or of a program, and not one that lies over another.
bool agonyfs_is_on_local_file_system(int descriptor);

/// fcntl(2) with F_SETLEASE and F_RDLCK: until the descriptor is closed, whoever opens the file for writing waits. Fails
/// with EAGAIN if somebody has it open for writing. No signal is sent that ends a program.
int agonyfs_hold_against_writers(int descriptor);

/// Whether an open file is on a file system of the FAT family, where inode numbers do not last: vfat, msdos, exFAT.
bool agonyfs_is_fat(int descriptor);

/// Values of `whence` of lseek(2) that Glibc shows to GNU programs only.
int agonyfs_seek_data(void);
int agonyfs_seek_hole(void);

/// The request of ioctl(2) that asks a mount's catalog through a descriptor of `.agonyfs/query` that cannot be written to:
/// `_IOW('a', 16, char[8192])`, a text that ends with a zero byte.
unsigned agonyfs_catalog_request(void);

/// Makes that request with a text of some bytes. Fails with E2BIG if there is no room for its zero byte.
int agonyfs_ask_catalog(int descriptor, const void *text, size_t size);

/// What `agonyfs_stored_digest` is asked, and tells.
struct agonyfs_digest {
    uint8_t key[16];   ///< A random number that the caller chose.
    uint64_t size;     ///< Bytes of the file.
    uint8_t hash[16];  ///< GMAC of its content under the key, with AES-128 and a nonce of zeros.
};

/// The request of ioctl(2) that has a mount write a file out and read it again from the vault's storage, past all memory:
/// `_IOWR('a', 17, struct agonyfs_digest)`.
unsigned agonyfs_stored_digest_request(void);

/// Makes that request through a descriptor of a regular file.
int agonyfs_stored_digest(int descriptor, struct agonyfs_digest *digest);

/// pipe2(2), close-on-exec; neither end blocks if `blocks` is false.
int agonyfs_pipe(int *ends, bool blocks);

/// Writes what waits in the buffer of standard output. Returns 0, or the error of this write or an earlier one.
int agonyfs_finish_output(void);

/// The groups of a user by the system's databases, the first one included, at most `room`; their number, 0 if the user is
/// not known.
int agonyfs_user_groups(uid_t user, gid_t *groups, int room);

/// How many locks the calling thread holds that exclude what `kind` (0 or 1) stands for, after `change`.
int agonyfs_exclusions(int kind, int change);

/// malloc_trim(3): gives the free pages of the heap back to the system.
void agonyfs_trim_heap(void);

/// mallopt(3): how many arenas the heap has at most, and from how many bytes on a block is mapped by itself.
void agonyfs_bound_heap(int arenas, int mapped);

/// fallocate(2) for the first `size` bytes of a file. With `keeps_size` it does not get longer by that.
int agonyfs_allocate(int descriptor, off_t size, bool keeps_size);

/// O_TMPFILE, O_PATH and O_NOATIME, which Glibc shows to GNU programs only.
int agonyfs_unnamed_file_flag(void);
int agonyfs_path_flag(void);
int agonyfs_no_access_time_flag(void);

/// O_DIRECT, a flag of open(2).
int agonyfs_direct_flag(void);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writing out, does not wait.
int agonyfs_start_flush(int descriptor, off_t offset, off_t count);

/// sync_file_range(2) of a whole file: writes out what is left, and waits until all of it is written out.
int agonyfs_wait_for_flush(int descriptor);

/// syncfs(2): makes everything on the file system of an open file durable.
int agonyfs_flush_file_system(int descriptor);

/// Locks one byte of a file, which may be beyond its end, without waiting: an open file description lock of fcntl(2). It
/// takes the place of the lock that this open file has on the byte, and ends when the file is closed.
int agonyfs_lock_byte(int descriptor, off_t place, bool exclusive);

/// Whether somebody else has a lock on the byte.
bool agonyfs_byte_is_locked(int descriptor, off_t place);

/// The process's argument vector itself, not a copy: what is overwritten in it is overwritten in the process title.
char **agonyfs_arguments(int *count);

/// prctl(2) with PR_SET_NAME: the name of the calling thread, of which 15 bytes count; that of the first one is shown as the
/// process's.
int agonyfs_set_name(const char *name);

/// Tells the service manager that started this process, if one did, that the service is ready: the protocol of sd_notify(3).
void agonyfs_notify_ready(void);

/// How many processors this process may use, by sched_getaffinity(2); at least 1.
int agonyfs_processors(void);

/// setpriority(2) for the calling thread, ten lower than it was: others come first, with their disk accesses as well. Where
/// that is refused, it goes on as before.
void agonyfs_give_way(void);

/// prctl(2) with PR_SET_DUMPABLE: no core dumps of this process, and no tracing by others of the user.
int agonyfs_set_not_dumpable(void);

/// signalfd(2), close-on-exec: readable while one of the signals, which the caller has blocked, is pending.
int agonyfs_signal_descriptor(const sigset_t *signals);

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT in the calling thread, except those that the program ignores or has
/// blocked already. `held` becomes what was blocked.
void agonyfs_signals_hold(sigset_t *held);

/// Whether one of them has come meanwhile. In any thread that has them blocked.
bool agonyfs_signals_are_pending(const sigset_t *held);

/// Lets them in again. If one has come, it acts now and may end the process.
void agonyfs_signals_release(const sigset_t *held);

/// posix_spawn(3). In the child, descriptor n is `descriptors[n]`, or /dev/null if that is -1 or not open; all from
/// `count` (at most 10) on are closed, and no signal is blocked. `new_session` gives it a session of its own. `alone`
/// also gives it an empty environment, the root directory and default signals. Returns 0 or an error number.
int agonyfs_spawn(
    pid_t *process, const char *path, char *const arguments[], const int *descriptors, int count, bool new_session,
    bool alone
);

/// pidfd_open(2): a descriptor that can be read when the process has ended, or -1.
int agonyfs_process_descriptor(pid_t process);

/// Whether a child was ended by a signal that others send (SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP). Waits up to a
/// tenth of a second for a child that is ending. The child stays a zombie.
bool agonyfs_was_killed(pid_t process);

/// wcwidth(3) in UTF-8: how many columns of a terminal a Unicode scalar takes, 0 for one that joins another; 1 if that is
/// not known.
int agonyfs_columns(uint32_t scalar);

/// TIOCGWINSZ: how many columns the terminal of a descriptor has; 0 if it is none, or does not know.
int agonyfs_terminal_columns(int descriptor);

/// Whether some bytes are among others (memmem(3)).
bool agonyfs_contains(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

#endif
