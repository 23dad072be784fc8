#define _GNU_SOURCE
#include "CPlatform.h"

#include <fcntl.h>
#include <malloc.h>
#include <linux/stat.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int agonyfs_rename_if_absent(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int agonyfs_file_identity(int descriptor, uint64_t *inode, int64_t *born_seconds, uint32_t *born_nanoseconds) {
    struct statx information;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &information) != 0) return -1;
    *inode = information.stx_ino;
    *born_seconds = (information.stx_mask & STATX_BTIME) ? information.stx_btime.tv_sec : 0;
    *born_nanoseconds = (information.stx_mask & STATX_BTIME) ? information.stx_btime.tv_nsec : 0;
    return 0;
}

int agonyfs_pipe(int *ends, bool blocks) {
    return pipe2(ends, blocks ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK);
}

void agonyfs_trim_heap(void) { malloc_trim(0); }

int agonyfs_allocate(int descriptor, off_t size, bool keeps_size) {
    return fallocate(descriptor, keeps_size ? FALLOC_FL_KEEP_SIZE : 0, 0, size);
}

int agonyfs_unnamed_file_flag(void) { return O_TMPFILE; }

int agonyfs_path_flag(void) { return O_PATH; }

int agonyfs_start_flush(int descriptor, off_t offset, off_t count) {
    return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

// On NFS, flock(2) locks all bytes of the file, and the mark replaces that lock for its byte. So the byte is far beyond
// the end of every file.
static const off_t mark_place = (off_t)1 << 62;

int agonyfs_announce_release(int descriptor) {
    struct flock mark = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = mark_place, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &mark);
}

bool agonyfs_release_is_announced(int descriptor) {
    struct flock mark = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = mark_place, .l_len = 1};
    return fcntl(descriptor, F_OFD_GETLK, &mark) == 0 && mark.l_type == F_RDLCK;
}
