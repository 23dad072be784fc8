#ifndef AGONYFS_DECODER_COLOURS_H
#define AGONYFS_DECODER_COLOURS_H

#include "CDecoder.h"

#include <stddef.h>
#include <stdint.h>

/// Colours that are stated by numbers: code points of ITU-T H.273, as `cICP` of PNG, `nclx` of HEIF and videos have them.
typedef struct {
    int primaries, transfer;
} agonyfs_colours;

static const agonyfs_colours agonyfs_unstated = {2, 2};

enum { bt709 = 1, unspecified = 2, linear = 8, bt2020 = 9, dci_p3 = 11, display_p3 = 12, srgb = 13, pq = 16, hlg = 18 };

/// Whether pixels in such colours look different in sRGB: those of wide primaries, of HDR (PQ and HLG), and in linear
/// light. Others are close enough, or unknown.
int agonyfs_are_foreign(agonyfs_colours colours);

/// Whether they are foreign, or those of sRGB and of usual videos: whoever states them needs no profile.
int agonyfs_are_known(agonyfs_colours colours);

/// What a picture states, if its loader of libvips passes that over.
agonyfs_colours agonyfs_stated_colours(agonyfs_input *input, const char *loader);

/// HDR that a profile states by numbers (the tag `cicp` of ICC.1:2022, 9.2.17), or by the name that libjxl gives to the
/// profiles that it makes. libvips takes the curve of such a profile for one of SDR.
agonyfs_colours agonyfs_hdr_of_profile(const uint8_t *profile, size_t size);

/// Converts pixels of three numbers of 8 or 16 bits to sRGB of three bytes; `result` may be `pixels`. In HDR the reference
/// white of 203 cd/m² (ITU-R BT.2408) becomes 243, nothing is changed up to 162 cd/m², and what is brighter, up to 1,000
/// cd/m², shares the rest. Returns 0, or −1 if the library fails or there is no memory; then the result is undefined.
int agonyfs_to_srgb(const void *pixels, int bits, int width, int height, agonyfs_colours colours, uint8_t *result);

#endif
