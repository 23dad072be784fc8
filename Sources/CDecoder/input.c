#include "input.h"

#include <stdio.h>

int64_t agonyfs_input_read(agonyfs_input *input, void *buffer, int64_t count) {
    int64_t got = input->read(input->context, input->position, buffer, count);
    if (got > 0) input->position += got;
    return got;
}

int64_t agonyfs_input_seek(agonyfs_input *input, int64_t offset, int whence) {
    int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? input->position : input->size;
    int64_t target;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return -1;
    return input->position = target;
}
