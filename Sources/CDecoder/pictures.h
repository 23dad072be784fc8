#ifndef AGONYFS_DECODER_PICTURES_H
#define AGONYFS_DECODER_PICTURES_H

#include "CDecoder.h"

#include <vips/vips.h>

/// Reads from `input`, which must outlive the images made from it.
VipsSource *agonyfs_source(agonyfs_input *input);

/// The outcome of what libvips just failed to do.
agonyfs_outcome agonyfs_picture_failure(void);

/// Whether a picture's colours must be converted.
int agonyfs_has_foreign_profile(VipsImage *image);

/// Consumes `image` and returns it in sRGB, three bytes per pixel, laid on white; NULL on failure. Nothing is decoded
/// yet.
VipsImage *agonyfs_plain(VipsImage *image);

#endif
