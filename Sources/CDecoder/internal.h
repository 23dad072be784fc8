#ifndef AGONYFS_DECODER_INTERNAL_H
#define AGONYFS_DECODER_INTERNAL_H

#include "CDecoder.h"

#include <vips/vips.h>

/// A libvips source that reads from `input`. Both must outlive the images made from it.
VipsSource *agonyfs_source(const agonyfs_input *input);

#endif
