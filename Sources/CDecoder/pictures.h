#ifndef AGONYFS_DECODER_PICTURES_H
#define AGONYFS_DECODER_PICTURES_H

#include "colours.h"

#include <vips/vips.h>

/// Reads from `input`, which must outlive the images made from it.
VipsSource *agonyfs_source(agonyfs_input *input);

/// The outcome for the last failure of libvips.
agonyfs_outcome agonyfs_picture_failure(void);

/// Whether a picture's colours must be converted.
int agonyfs_has_foreign_profile(VipsImage *image);

/// The colours that a picture states by numbers; unspecified if it states none, or if its profile has priority: a
/// profile comes before the numbers in HEIF and after those in PNG, as the two formats require.
agonyfs_colours agonyfs_colours_of(VipsImage *image, agonyfs_input *input);

/// Consumes `image`, which is plain and has foreign colours, and returns its pixels in memory and in sRGB, without
/// its metadata; NULL on failure.
VipsImage *agonyfs_converted(VipsImage *image, agonyfs_colours colours);

/// Consumes `image` and returns it in sRGB, three bytes per pixel, on a white background; NULL on failure. Decoding
/// happens later.
VipsImage *agonyfs_plain(VipsImage *image);

/// Consumes `image` and returns its pixels in memory, as above, without anything else that it carried; NULL on failure.
VipsImage *agonyfs_bare(VipsImage *image);

/// A copy of pixels of one byte (grey) or three, with at most `side` pixels on the longer side; NULL on failure.
VipsImage *agonyfs_fit(const uint8_t *pixels, int width, int height, int bands, int side);

/// Consumes `image`, to which nothing else may refer, and returns it upright; NULL on failure.
VipsImage *agonyfs_turned(VipsImage *image, int orientation);

#endif
