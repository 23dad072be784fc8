#include "internal.h"

#include <stdio.h>

// One per source, freed with it.
struct cursor {
    const agonyfs_input *input;
    gint64 position;
};

static gint64 read_some(VipsSourceCustom *source, void *buffer, gint64 count, void *user) {
    struct cursor *cursor = user;
    (void)source;
    gint64 got = cursor->input->read(cursor->input->context, cursor->position, buffer, count);
    if (got > 0) cursor->position += got;
    return got;
}

static gint64 seek(VipsSourceCustom *source, gint64 offset, int whence, void *user) {
    struct cursor *cursor = user;
    (void)source;
    gint64 base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? cursor->position : cursor->input->size;
    gint64 target;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return -1;
    cursor->position = target;
    return target;
}

static void release(void *cursor, GClosure *closure) {
    (void)closure;
    g_free(cursor);
}

VipsSource *agonyfs_source(const agonyfs_input *input) {
    struct cursor *cursor = g_new0(struct cursor, 1);
    cursor->input = input;
    VipsSourceCustom *source = vips_source_custom_new();
    g_signal_connect_data(source, "read", G_CALLBACK(read_some), cursor, release, 0);
    g_signal_connect(source, "seek", G_CALLBACK(seek), cursor);
    return VIPS_SOURCE(source);
}
