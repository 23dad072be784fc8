#include "archives.h"
#include "input.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <iconv.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { block_bytes = 256 << 10, end_bytes = 1024 };

static const char gzip_reason[] = "gzip is damaged or incomplete";

struct agonyfs_tar {
    struct archive *archive;
    agonyfs_input *input;
    // For gzip, whose check sum libarchive would ignore; NULL for everything else.
    agonyfs_inflater *gzip;
    int is_between_members, has_failed;
    // Bytes of the file that were read but not unpacked yet.
    size_t rest_start, rest_count;
    // The current block, and the offset of the next byte of the entry.
    const uint8_t *block;
    size_t block_count;
    int64_t block_offset, position;
    int has_entry, is_at_end;
    char warning[128];
    uint8_t file[64 << 10], out[block_bytes];
};

void agonyfs_prepare_archives(void) {
    // The C library reads a file on the first use of iconv. The converter stays open, because closing it may unload
    // what was loaded.
    iconv_open(nl_langinfo(CODESET), "UTF-8");
}

static int fill(agonyfs_tar *tar) {
    if (tar->rest_count > 0) return 1;
    int64_t got = agonyfs_input_read(tar->input, tar->file, sizeof tar->file);
    if (got < 0) return -1;
    tar->rest_start = 0;
    tar->rest_count = (size_t)got;
    return got > 0;
}

static la_ssize_t fail(agonyfs_tar *tar, const char *reason) {
    archive_set_error(tar->archive, EILSEQ, "%s", reason);
    return -1;
}

// Begins another member, or finds the end: zeros may follow, as on tapes.
static int next_member(agonyfs_tar *tar) {
    int left = fill(tar);
    if (left <= 0) return left;
    if (tar->file[tar->rest_start] == 0x1f) {
        tar->is_between_members = 0;
        return agonyfs_inflate_again(tar->gzip) ? 1 : -1;
    }
    for (; left > 0; left = fill(tar)) {
        for (size_t i = 0; i < tar->rest_count; i++)
            if (tar->file[tar->rest_start + i]) return -1;
        tar->rest_count = 0;
    }
    return left;
}

static la_ssize_t gunzip(agonyfs_tar *tar) {
    uint32_t made = 0;
    while (made < sizeof tar->out && !tar->has_failed) {
        if (tar->is_between_members) {
            int more = next_member(tar);
            if (more < 0) tar->has_failed = 1;
            if (more == 0) break;
            continue;
        }
        if (fill(tar) <= 0) {
            tar->has_failed = 1;
            break;
        }
        uint32_t used = (uint32_t)tar->rest_count, room = (uint32_t)(sizeof tar->out - made);
        enum agonyfs_inflation state =
            agonyfs_inflate(tar->gzip, tar->file + tar->rest_start, &used, tar->out + made, &room);
        tar->rest_start += used;
        tar->rest_count -= used;
        made += room;
        if (state == AGONYFS_INFLATED) tar->is_between_members = 1;
        if (state == AGONYFS_NOT_DEFLATED) tar->has_failed = 1;
    }
    // Bytes before a failure are passed on first.
    if (made == 0 && tar->has_failed) return fail(tar, gzip_reason);
    return made;
}

static la_ssize_t read_block(struct archive *archive, void *context, const void **block) {
    (void)archive;
    agonyfs_tar *tar = context;
    *block = tar->out;
    if (tar->gzip) return gunzip(tar);
    int64_t got = agonyfs_input_read(tar->input, tar->out, sizeof tar->out);
    return got < 0 ? fail(tar, "the file cannot be read") : (la_ssize_t)got;
}

static la_int64_t skip(struct archive *archive, void *context, la_int64_t count) {
    (void)archive;
    agonyfs_tar *tar = context;
    if (tar->gzip) return 0;
    int64_t left = tar->input->size - tar->input->position;
    if (count > left) count = left;
    if (count <= 0) return 0;
    tar->input->position += count;
    return count;
}

agonyfs_tar *agonyfs_tar_open(agonyfs_input *input) {
    uint8_t magic[2] = {0};
    if (input->read(input->context, 0, magic, sizeof magic) < 0) return NULL;
    agonyfs_tar *tar = calloc(1, sizeof *tar);
    if (!tar) return NULL;
    tar->input = input;
    input->position = 0;
    int is_gzip = magic[0] == 0x1f && magic[1] == 0x8b;
    if (is_gzip) tar->gzip = agonyfs_gunzip_start();
    struct archive *archive = tar->archive = archive_read_new();
    int is_open = archive && (tar->gzip || !is_gzip) && archive_read_support_filter_bzip2(archive) == ARCHIVE_OK &&
                  archive_read_support_filter_xz(archive) == ARCHIVE_OK &&
                  archive_read_support_format_tar(archive) == ARCHIVE_OK &&
                  // Reads on after the end of the archive, so that the whole file is checked.
                  archive_read_set_option(archive, "tar", "read_concatenated_archives", "1") == ARCHIVE_OK &&
                  archive_read_set_skip_callback(archive, skip) == ARCHIVE_OK &&
                  archive_read_open(archive, tar, NULL, read_block, NULL) == ARCHIVE_OK;
    if (is_open) return tar;
    agonyfs_tar_close(tar);
    return NULL;
}

void agonyfs_tar_close(agonyfs_tar *tar) {
    if (!tar) return;
    if (tar->archive) archive_read_free(tar->archive);
    agonyfs_inflate_end(tar->gzip);
    free(tar);
}

static const char *text_or_empty(const char *text) {
    return text ? text : "";
}

enum agonyfs_archive_step agonyfs_tar_next(agonyfs_tar *tar, agonyfs_archive_entry *entry) {
    struct archive_entry *found;
    // Skips the rest of the entry before, so that its bytes do not count for the end of the archive.
    if (tar->has_entry && archive_read_data_skip(tar->archive) != ARCHIVE_OK) return AGONYFS_ARCHIVE_DAMAGED;
    tar->has_entry = 0;
    int64_t start = archive_filter_bytes(tar->archive, 0);
    int result = archive_read_next_header(tar->archive, &found);
    if (result == ARCHIVE_EOF) {
        if (archive_filter_bytes(tar->archive, 0) - start >= end_bytes) return AGONYFS_ARCHIVE_END;
        fail(tar, "its end is missing: it may be incomplete");
        return AGONYFS_ARCHIVE_DAMAGED;
    }
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return AGONYFS_ARCHIVE_DAMAGED;
    const char *reason = text_or_empty(archive_error_string(tar->archive));
    // Names that the locale cannot convert are returned unchanged.
    if (result == ARCHIVE_WARN && !strstr(reason, "converted"))
        snprintf(tar->warning, sizeof tar->warning, "%s", reason);
    const char *link = archive_entry_hardlink(found);
    entry->type = (uint32_t)archive_entry_filetype(found);
    entry->is_hard_link = link != NULL;
    entry->path = text_or_empty(archive_entry_pathname(found));
    entry->target = text_or_empty(link ? link : archive_entry_symlink(found));
    entry->has_size = archive_entry_size_is_set(found);
    entry->size = archive_entry_size(found);
    entry->has_time = archive_entry_mtime_is_set(found);
    entry->seconds = archive_entry_mtime(found);
    entry->nanoseconds = archive_entry_mtime_nsec(found);
    tar->has_entry = 1;
    tar->block_count = 0;
    tar->block_offset = tar->position = 0;
    tar->is_at_end = 0;
    return AGONYFS_ARCHIVE_MORE;
}

static enum agonyfs_archive_step next_block(agonyfs_tar *tar) {
    const void *block = NULL;
    size_t count = 0;
    la_int64_t offset = tar->position;
    int result = archive_read_data_block(tar->archive, &block, &count, &offset);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF) return AGONYFS_ARCHIVE_DAMAGED;
    if (offset < tar->position) {
        fail(tar, "its parts overlap");
        return AGONYFS_ARCHIVE_DAMAGED;
    }
    tar->is_at_end = result == ARCHIVE_EOF;
    tar->block = block;
    tar->block_count = tar->is_at_end ? 0 : count;
    tar->block_offset = offset;
    return AGONYFS_ARCHIVE_MORE;
}

enum agonyfs_archive_step agonyfs_tar_read(agonyfs_tar *tar, uint8_t *buffer, size_t room, size_t *count) {
    *count = 0;
    while (*count < room) {
        size_t free = room - *count;
        // A hole precedes the block.
        int64_t hole = tar->block_offset - tar->position;
        size_t step = tar->block_count < free ? tar->block_count : free;
        if (hole > 0) {
            step = (uint64_t)hole < free ? (size_t)hole : free;
            memset(buffer + *count, 0, step);
        } else if (step > 0) {
            memcpy(buffer + *count, tar->block, step);
            tar->block += step;
            tar->block_count -= step;
            tar->block_offset += (int64_t)step;
        } else if (tar->is_at_end) {
            return AGONYFS_ARCHIVE_END;
        } else if (next_block(tar) != AGONYFS_ARCHIVE_MORE) {
            return AGONYFS_ARCHIVE_DAMAGED;
        }
        tar->position += (int64_t)step;
        *count += step;
    }
    return AGONYFS_ARCHIVE_MORE;
}

bool agonyfs_tar_is_packed(agonyfs_tar *tar) {
    return tar->gzip != NULL || archive_filter_code(tar->archive, 0) != ARCHIVE_FILTER_NONE;
}

const char *agonyfs_tar_reason(agonyfs_tar *tar) {
    // libarchive reports the consequence, not this cause.
    return tar->has_failed ? gzip_reason : text_or_empty(archive_error_string(tar->archive));
}

const char *agonyfs_tar_warning(agonyfs_tar *tar) {
    return tar->warning;
}
