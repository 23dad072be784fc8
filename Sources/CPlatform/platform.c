#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int agonyfs_rename_if_absent(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int agonyfs_move_if_absent(int directory, const char *from, int other_directory, const char *to) {
    return renameat2(directory, from, other_directory, to, RENAME_NOREPLACE);
}

int agonyfs_open_beneath(int directory, const char *path, int flags, mode_t mode) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC),
        .mode = flags & O_CREAT ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int agonyfs_exchange(int directory, const char *path, int other_directory, const char *other_path) {
    return renameat2(directory, path, other_directory, other_path, RENAME_EXCHANGE);
}

int agonyfs_file_birth(int descriptor, int64_t *seconds, uint32_t *nanoseconds) {
    struct statx information;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &information) != 0) return -1;
    *seconds = (information.stx_mask & STATX_BTIME) ? information.stx_btime.tv_sec : 0;
    *nanoseconds = (information.stx_mask & STATX_BTIME) ? information.stx_btime.tv_nsec : 0;
    return 0;
}

int agonyfs_ask_for_attributes(const char *path) {
    struct statx information;
    return statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &information);
}

// From linux/magic.h and the sources of the file systems that it omits.
bool agonyfs_is_on_local_file_system(int descriptor) {
    struct statfs host;
    if (fstatfs(descriptor, &host) != 0) return false;
    switch ((uint32_t)host.f_type) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // XFS
    case 0x9123683E:  // btrfs
    case 0xF2F52010:  // F2FS
    case 0xCA451A4E:  // bcachefs
    case 0x2FC12FC1:  // ZFS
    case 0x01021994:  // tmpfs
    case 0x4D44:      // FAT
    case 0x2011BAB0:  // exFAT
    case 0x7366746E:  // NTFS (ntfs3)
    case 0x3153464A:  // JFS
    case 0x52654973:  // ReiserFS
    case 0x3434:      // NILFS2
    case 0x482B:      // HFS+
        return true;
    default:
        return false;
    }
}

int agonyfs_hold_against_writers(int descriptor) {
    // The default signal, SIGIO, ends a program that does not expect it.
    if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return -1;
    return fcntl(descriptor, F_SETLEASE, F_RDLCK);
}

bool agonyfs_is_fat(int descriptor) {
    struct statfs host;
    if (fstatfs(descriptor, &host) != 0) return true;
    switch ((uint32_t)host.f_type) {
    case 0x4D44:      // FAT
    case 0x2011BAB0:  // exFAT
        return true;
    default:
        return false;
    }
}

int agonyfs_seek_data(void) { return SEEK_DATA; }

int agonyfs_seek_hole(void) { return SEEK_HOLE; }

int agonyfs_pipe(int *ends, bool blocks) {
    return pipe2(ends, blocks ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK);
}

int agonyfs_finish_output(void) {
    if (fflush(stdout) != 0) return errno;
    // Of an earlier write, only the fact of an error is known.
    return ferror(stdout) ? EIO : 0;
}

static _Thread_local int exclusions[2];

int agonyfs_exclusions(int kind, int change) { return exclusions[kind] += change; }

void agonyfs_trim_heap(void) { malloc_trim(0); }

void agonyfs_bound_heap(int arenas, int mapped, int kept) {
    mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, mapped);
    mallopt(M_TRIM_THRESHOLD, kept);
}

int agonyfs_user_groups(uid_t user, gid_t *groups, int room) {
    struct passwd entry, *found = NULL;
    char texts[16 << 10];
    if (getpwuid_r(user, &entry, texts, sizeof texts, &found) || !found) return 0;
    int count = room;
    // With more groups than fit, it stores those that fit, and returns the number of all groups.
    if (getgrouplist(found->pw_name, found->pw_gid, groups, &count) < 0) count = room;
    return count;
}

int agonyfs_allocate(int descriptor, off_t size, bool keeps_size) {
    return fallocate(descriptor, keeps_size ? FALLOC_FL_KEEP_SIZE : 0, 0, size);
}

int agonyfs_unnamed_file_flag(void) { return O_TMPFILE; }

int agonyfs_path_flag(void) { return O_PATH; }

int agonyfs_no_access_time_flag(void) { return O_NOATIME; }

int agonyfs_direct_flag(void) { return O_DIRECT; }

int agonyfs_start_flush(int descriptor, off_t offset, off_t count) {
    return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

int agonyfs_wait_for_flush(int descriptor) {
    return sync_file_range(
        descriptor, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

int agonyfs_flush_file_system(int descriptor) { return syncfs(descriptor); }

int agonyfs_lock_byte(int descriptor, off_t place, bool exclusive) {
    struct flock lock = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

bool agonyfs_byte_is_locked(int descriptor, off_t place) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

enum { catalog_text_size = 8192 };

unsigned agonyfs_catalog_request(void) {
    return _IOW('a', 16, char[catalog_text_size]);
}

int agonyfs_ask_catalog(int descriptor, const void *text, size_t size) {
    char request[catalog_text_size] = {0};
    if (size >= sizeof request) {
        errno = E2BIG;
        return -1;
    }
    memcpy(request, text, size);
    return ioctl(descriptor, agonyfs_catalog_request(), request);
}

unsigned agonyfs_stored_digest_request(void) { return _IOWR('a', 17, struct agonyfs_digest); }

int agonyfs_stored_digest(int descriptor, struct agonyfs_digest *digest) {
    return ioctl(descriptor, agonyfs_stored_digest_request(), digest);
}

bool agonyfs_contains(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
    return memmem(bytes, count, wanted, wanted_count) != NULL;
}
