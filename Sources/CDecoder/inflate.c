#include "archives.h"

#include <stdlib.h>
#include <zlib.h>

struct agonyfs_inflater {
    z_stream stream;
};

static agonyfs_inflater *start(int window) {
    agonyfs_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater && inflateInit2(&inflater->stream, window) == Z_OK) return inflater;
    free(inflater);
    return NULL;
}

agonyfs_inflater *agonyfs_inflate_start(void) {
    return start(-MAX_WBITS);
}

agonyfs_inflater *agonyfs_gunzip_start(void) {
    return start(MAX_WBITS + 16);
}

int agonyfs_inflate_again(agonyfs_inflater *inflater) {
    return inflateReset(&inflater->stream) == Z_OK;
}

enum agonyfs_inflation agonyfs_inflate(
    agonyfs_inflater *inflater, const uint8_t *from, uint32_t *count, uint8_t *to, uint32_t *room) {
    z_stream *stream = &inflater->stream;
    stream->next_in = (Bytef *)from;
    stream->avail_in = *count;
    stream->next_out = to;
    stream->avail_out = *room;
    int result = inflate(stream, Z_NO_FLUSH);
    *count -= stream->avail_in;
    *room -= stream->avail_out;
    if (result == Z_STREAM_END) return AGONYFS_INFLATED;
    return result == Z_OK || result == Z_BUF_ERROR ? AGONYFS_INFLATING : AGONYFS_NOT_DEFLATED;
}

void agonyfs_inflate_end(agonyfs_inflater *inflater) {
    if (inflater) inflateEnd(&inflater->stream);
    free(inflater);
}

uint32_t agonyfs_crc32(uint32_t before, const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(before, bytes, count);
}
