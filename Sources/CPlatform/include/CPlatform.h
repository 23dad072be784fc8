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

/// renameat2(2) with RENAME_NOREPLACE, from one directory into another.
int agonyfs_move_if_absent(int directory, const char *from, int other_directory, const char *to);

/// openat2(2): opens a path that must stay below an open directory and on its file system, and has no symbolic link in
/// it (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_XDEV).
int agonyfs_open_beneath(int directory, const char *path, int flags, mode_t mode);

/// renameat2(2) with RENAME_EXCHANGE: exchanges the files of two paths, each in its directory.
int agonyfs_exchange(int directory, const char *path, int other_directory, const char *other_path);

/// Birth time of an open file, by statx(2); 0 if the file system stores none.
int agonyfs_file_birth(int descriptor, int64_t *seconds, uint32_t *nanoseconds);

/// Asks the file system itself for the attributes at a path, without the kernel's cache (statx(2),
/// AT_STATX_FORCE_SYNC). Fails with ENOTCONN for a FUSE file system whose process has ended.
int agonyfs_ask_for_attributes(const char *path);

/// Whether an open file is on a file system that only this machine can write, as far as is known (statfs(2)): one on a
/// disk or in memory, but not one of a network or of a program, and not one that lies over another.
bool agonyfs_is_on_local_file_system(int descriptor);

/// fcntl(2) with F_SETLEASE and F_RDLCK: until the descriptor is closed, a process that opens the file for writing
/// waits. Fails with EAGAIN if a process has the file open for writing. The signal of the lease ends no program.
int agonyfs_hold_against_writers(int descriptor);

/// Whether an open file is on a file system of the FAT family, where inode numbers do not last: vfat, msdos, exFAT.
bool agonyfs_is_fat(int descriptor);

/// Values of `whence` of lseek(2) that Glibc shows to GNU programs only.
int agonyfs_seek_data(void);
int agonyfs_seek_hole(void);

/// The request of ioctl(2) that asks a mount's catalog through a read-only descriptor of `.agonyfs/query`:
/// `_IOW('a', 16, char[8192])`, a text that ends with a zero byte.
unsigned agonyfs_catalog_request(void);

/// Makes that request with a text of `size` bytes. Fails with E2BIG if the zero byte does not fit.
int agonyfs_ask_catalog(int descriptor, const void *text, size_t size);

/// The question and the answer of `agonyfs_stored_digest`.
struct agonyfs_digest {
    uint8_t key[16];   ///< A random number that the caller chose.
    uint64_t size;     ///< Bytes of the file.
    uint8_t hash[16];  ///< GMAC of its content under the key, with AES-128 and a nonce of zeros.
};

/// The request of ioctl(2) that makes a mount write a file out and read it back from the vault's storage, past all
/// memory: `_IOWR('a', 17, struct agonyfs_digest)`.
unsigned agonyfs_stored_digest_request(void);

/// Makes that request through a descriptor of a regular file.
int agonyfs_stored_digest(int descriptor, struct agonyfs_digest *digest);

/// pipe2(2), close-on-exec; neither end blocks if `blocks` is false.
int agonyfs_pipe(int *ends, bool blocks);

/// Writes the buffer of standard output. Returns 0, or the error of this write or an earlier one.
int agonyfs_finish_output(void);

/// The groups of a user according to the system's databases, the first one included, at most `room`. Returns their
/// number, 0 if the user is not known.
int agonyfs_user_groups(uid_t user, gid_t *groups, int room);

/// The number of locks of the calling thread that exclude operations of `kind` (0 or 1), after `change` is added to it.
int agonyfs_exclusions(int kind, int change);

/// malloc_trim(3): returns the free pages of the heap to the system.
void agonyfs_trim_heap(void);

/// mallopt(3): the most arenas of the heap, the least size in bytes of a block that is mapped separately, and the most free
/// bytes at the end of the heap that are kept.
void agonyfs_bound_heap(int arenas, int mapped, int kept);

/// fallocate(2) for the first `size` bytes of a file. With `keeps_size` the file does not get longer.
int agonyfs_allocate(int descriptor, off_t size, bool keeps_size);

/// O_TMPFILE, O_PATH and O_NOATIME, which Glibc shows only to GNU programs.
int agonyfs_unnamed_file_flag(void);
int agonyfs_path_flag(void);
int agonyfs_no_access_time_flag(void);

/// O_DIRECT, a flag of open(2).
int agonyfs_direct_flag(void);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writing out, without waiting.
int agonyfs_start_flush(int descriptor, off_t offset, off_t count);

/// sync_file_range(2) of a whole file: writes out the rest, and waits until everything is written out.
int agonyfs_wait_for_flush(int descriptor);

/// syncfs(2): makes everything on the file system of an open file durable.
int agonyfs_flush_file_system(int descriptor);

/// Locks one byte of a file, which may be beyond its end, without waiting: an open file description lock of fcntl(2).
/// It replaces the lock that this open file has on the byte, and ends when the file is closed.
int agonyfs_lock_byte(int descriptor, off_t place, bool exclusive);

/// Whether another open file has a lock on the byte.
bool agonyfs_byte_is_locked(int descriptor, off_t place);

/// The process's argument vector itself, not a copy: overwriting it overwrites the process title.
char **agonyfs_arguments(int *count);

/// prctl(2) with PR_SET_NAME: sets the name of the calling thread, of which 15 bytes count. The name of the first
/// thread is shown as the process's.
int agonyfs_set_name(const char *name);

/// Reports to the service manager that started this process, if one did: `READY=1`, or `STATUS=` with a line of text
/// for users, as in sd_notify(3).
void agonyfs_notify(const char *state);

/// The number of processors that this process may use, by sched_getaffinity(2); at least 1.
int agonyfs_processors(void);

/// setpriority(2) for the calling thread, ten lower than before: other threads come first, also in disk access. If that
/// is refused, the priority stays as it is.
void agonyfs_give_way(void);

/// prctl(2) with PR_SET_DUMPABLE: no core dumps of this process, and no tracing by other processes of the user.
int agonyfs_set_not_dumpable(void);

/// signalfd(2), close-on-exec: readable while one of the signals, which the caller has blocked, is pending.
int agonyfs_signal_descriptor(const sigset_t *signals);

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT in the calling thread, except those that the program ignores or has
/// blocked already. Stores the blocked ones in `held`.
void agonyfs_signals_hold(sigset_t *held);

/// Whether one of them has come since. Call it in any thread that has them blocked.
bool agonyfs_signals_are_pending(const sigset_t *held);

/// Unblocks them again. If one has come, it acts now and may end the process.
void agonyfs_signals_release(const sigset_t *held);

/// posix_spawn(3). In the child, descriptor n is `descriptors[n]`, or /dev/null if that is -1 or not open; all from
/// `count` (at most 10) on are closed, and no signal is blocked. `new_session` gives the child a separate session.
/// `alone` also gives it an empty environment, the root directory and default signals. Returns 0 or an error number.
int agonyfs_spawn(
    pid_t *process, const char *path, char *const arguments[], const int *descriptors, int count, bool new_session,
    bool alone
);

/// Copies this process for each request from the other end of descriptor 0, until that end is closed: then it ends the
/// process. Returns in each copy, which is a child of this process's parent, has the given socket as descriptor 0 and no
/// others above 2, and has written its process number to the socket in 4 bytes. The process must have one thread.
void agonyfs_fork_on_request(void);

/// Asks such a process for a copy of itself that gets this socket. If it cannot, it answers with an error number in 4
/// bytes. Returns 0, or -1 and an error.
int agonyfs_request_fork(int template, int given);

/// pidfd_open(2): a descriptor that can be read when the process has ended, or -1.
int agonyfs_process_descriptor(pid_t process);

/// Whether a child was ended by a signal that other processes send (SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP). Waits
/// up to a tenth of a second for a child that is ending. The child stays a zombie.
bool agonyfs_was_killed(pid_t process);

/// wcwidth(3) in UTF-8: the number of terminal columns that a Unicode scalar takes, 0 for one that joins another; 1 if
/// that is not known.
int agonyfs_columns(uint32_t scalar);

/// TIOCGWINSZ: the number of columns of a descriptor's terminal; 0 if it is not a terminal, or the number is not known.
int agonyfs_terminal_columns(int descriptor);

/// Whether `bytes` contain the bytes `wanted` (memmem(3)).
bool agonyfs_contains(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

#endif
