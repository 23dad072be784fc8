#ifndef AGONYFS_DECODER_SCALE_H
#define AGONYFS_DECODER_SCALE_H

#include <stdint.h>

/// Reduces a picture of one or three bytes per pixel (`bands`) with Lanczos' filter, by libswscale's loops: those of
/// libvips are several times slower if they may not write code at run time. The caller frees the result; NULL if memory
/// runs out.
uint8_t *agonyfs_scale(const uint8_t *pixels, int width, int height, int bands, int to_width, int to_height);

#endif
