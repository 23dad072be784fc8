#ifndef AGONYFS_DECODER_COLOURS_H
#define AGONYFS_DECODER_COLOURS_H

#include "CDecoder.h"

#include <stddef.h>
#include <stdint.h>

/// Colours stated by numbers: code points of ITU-T H.273, as in `cICP` of PNG, `nclx` of HEIF, and videos.
typedef struct {
    int primaries, transfer;
} agonyfs_colours;

static const agonyfs_colours agonyfs_unstated = {2, 2};

enum { bt709 = 1, unspecified = 2, linear = 8, bt2020 = 9, dci_p3 = 11, display_p3 = 12, srgb = 13, pq = 16, hlg = 18 };

/// Whether pixels in such colours look different in sRGB: those with wide primaries, in HDR (PQ and HLG), and in
/// linear light. Others are close enough, or unknown.
int agonyfs_are_foreign(agonyfs_colours colours);

/// Whether they are foreign, or those of sRGB and usual videos; a picture that states these needs no profile.
int agonyfs_are_known(agonyfs_colours colours);

/// The colours that a picture states, if libvips' loader ignores them.
agonyfs_colours agonyfs_stated_colours(agonyfs_input *input, const char *loader);

/// HDR that a profile states by numbers (the tag `cicp` of ICC.1:2022, 9.2.17), or by the name that libjxl gives to
/// its profiles. libvips would treat the curve of such a profile as SDR.
agonyfs_colours agonyfs_hdr_of_profile(const uint8_t *profile, size_t size);

/// Converts pixels of three numbers of 8 or 16 bits to sRGB of three bytes; `result` may be `pixels`. In HDR the
/// reference white of 203 cd/m² (ITU-R BT.2408) becomes 243, brightness up to 162 cd/m² stays unchanged, and brighter
/// light, up to 1,000 cd/m², shares the remaining range. Returns 0, or −1 if the library fails or memory runs out;
/// then the result is undefined.
int agonyfs_to_srgb(const void *pixels, int bits, int width, int height, agonyfs_colours colours, uint8_t *result);

#endif
