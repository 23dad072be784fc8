#ifndef AGONYFS_DECODER_INTERNAL_H
#define AGONYFS_DECODER_INTERNAL_H

#include "CDecoder.h"

#include <vips/vips.h>

/// A libvips source that asks `input` for what it needs. Both must outlive what is made of it.
VipsSource *agonyfs_source(const agonyfs_input *input);

#endif
