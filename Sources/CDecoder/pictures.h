#ifndef AGONYFS_DECODER_PICTURES_H
#define AGONYFS_DECODER_PICTURES_H

#include "colours.h"

#include <vips/vips.h>

/// Reads from `input`, which must outlive the images made from it.
VipsSource *agonyfs_source(agonyfs_input *input);

/// The outcome of what libvips just failed to do.
agonyfs_outcome agonyfs_picture_failure(void);

/// Whether a picture's colours must be converted.
int agonyfs_has_foreign_profile(VipsImage *image);

/// The colours that a picture states by numbers; unspecified if it states none, or if its profile is to be used: that
/// stands before what HEIF states, and behind what PNG states, as the two formats have it.
agonyfs_colours agonyfs_colours_of(VipsImage *image, agonyfs_input *input);

/// Consumes `image`, which is plain and whose colours are foreign, and returns its pixels in memory and in sRGB, without
/// its metadata; NULL on failure.
VipsImage *agonyfs_converted(VipsImage *image, agonyfs_colours colours);

/// Consumes `image` and returns it in sRGB, three bytes per pixel, laid on white; NULL on failure. Nothing is decoded
/// yet.
VipsImage *agonyfs_plain(VipsImage *image);

#endif
