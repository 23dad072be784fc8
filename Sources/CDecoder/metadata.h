#ifndef AGONYFS_DECODER_METADATA_H
#define AGONYFS_DECODER_METADATA_H

#include "CDecoder.h"

/// Starts libexempi.
void agonyfs_prepare_xmp(void);

#endif
