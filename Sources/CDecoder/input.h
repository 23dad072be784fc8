#ifndef AGONYFS_DECODER_INPUT_H
#define AGONYFS_DECODER_INPUT_H

#include "CDecoder.h"

/// As read(2): reads at the input's position and moves it.
int64_t agonyfs_input_read(agonyfs_input *input, void *buffer, int64_t count);

/// As lseek(2): moves the position, which may be beyond the end. Returns it, or −1.
int64_t agonyfs_input_seek(agonyfs_input *input, int64_t offset, int whence);

#endif
