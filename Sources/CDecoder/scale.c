#include "scale.h"

#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>

// Scales each colour as a grey picture, because libswscale would convert colours to YUV.
static int scale_plane(struct SwsContext *scaler, const uint8_t *from, int width, int height, uint8_t *to, int to_width) {
    const uint8_t *const planes[4] = {from};
    uint8_t *const results[4] = {to};
    const int strides[4] = {width}, result_strides[4] = {to_width};
    return sws_scale(scaler, planes, strides, 0, height, results, result_strides);
}

uint8_t *agonyfs_scale(const uint8_t *pixels, int width, int height, int bands, int to_width, int to_height) {
    size_t count = (size_t)width * (size_t)height, to_count = (size_t)to_width * (size_t)to_height;
    struct SwsContext *scaler = sws_getContext(
        width, height, AV_PIX_FMT_GRAY8, to_width, to_height, AV_PIX_FMT_GRAY8, SWS_LANCZOS | SWS_ACCURATE_RND, NULL,
        NULL, NULL);
    // Some of its loops read and write whole vectors.
    uint8_t *result = malloc(to_count * (size_t)bands + 64);
    uint8_t *plane = malloc(count + 64), *reduced = bands == 1 ? NULL : malloc(to_count + 64);
    int works = scaler && plane && result && (bands == 1 || reduced);
    if (works && bands == 1) {
        memcpy(plane, pixels, count);
        works = scale_plane(scaler, plane, width, height, result, to_width) == to_height;
    }
    for (size_t band = 0; works && bands == 3 && band < 3; band++) {
        for (size_t i = 0; i < count; i++) plane[i] = pixels[3 * i + band];
        works = scale_plane(scaler, plane, width, height, reduced, to_width) == to_height;
        for (size_t i = 0; works && i < to_count; i++) result[3 * i + band] = reduced[i];
    }
    sws_freeContext(scaler);
    free(plane);
    free(reduced);
    if (works) return result;
    free(result);
    return NULL;
}
