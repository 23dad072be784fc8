#ifndef AGONYFS_DECODER_ARCHIVES_H
#define AGONYFS_DECODER_ARCHIVES_H

#include "CDecoder.h"

/// Loads the character conversion that libarchive needs for names.
void agonyfs_prepare_archives(void);

/// As `agonyfs_inflate_start`, for gzip (RFC 1952), whose check sum and length are verified.
agonyfs_inflater *agonyfs_gunzip_start(void);

/// Begins a new stream of the same kind. Returns whether it succeeded.
int agonyfs_inflate_again(agonyfs_inflater *inflater);

#endif
