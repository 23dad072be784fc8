#ifndef AGONYFS_PLATFORM_H
#define AGONYFS_PLATFORM_H

#include <stdint.h>
#include <sys/types.h>

/// renameat2(2) with RENAME_NOREPLACE.
int agonyfs_rename_if_absent(int directory, const char *from, const char *to);

/// Inode number and birth time (seconds, nanoseconds; 0 where the file system keeps none) of an open file, by statx(2).
int agonyfs_file_identity(int descriptor, uint64_t *inode, int64_t *born_seconds, uint32_t *born_nanoseconds);

#endif
