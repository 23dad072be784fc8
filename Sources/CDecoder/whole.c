#define _GNU_SOURCE
#include "pictures.h"

#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

enum { full_quality = 90, most_jpeg_side = 65535 };

// All pixels are in memory at once, and decoding them needs the same amount again.
static const gint64 most_whole_pixels = 120000000;

static int is_too_large(VipsImage *image) {
    return (gint64)image->Xsize * image->Ysize > most_whole_pixels || image->Xsize > most_jpeg_side ||
           image->Ysize > most_jpeg_side;
}

// Loads the picture into memory, upright. Consumes `image`.
static VipsImage *upright(VipsImage *image, int orientation) {
    VipsImage *held = vips_image_copy_memory(image);
    g_object_unref(image);
    if (!held) return NULL;
    if (orientation > 0 && orientation != vips_image_get_orientation(held)) {
        VipsImage *copy = NULL;
        int failed = vips_copy(held, &copy, NULL);
        g_object_unref(held);
        if (failed) return NULL;
        held = copy;
        vips_image_set_int(held, VIPS_META_ORIENTATION, orientation);
    }
    VipsImage *turned = NULL;
    int failed = vips_autorot(held, &turned, NULL);
    g_object_unref(held);
    return failed ? NULL : turned;
}

// Reduces a picture to at most `side` pixels on the longer side. Consumes `image`.
static VipsImage *reduced(VipsImage *image, int side) {
    if (side <= 0 || (image->Xsize <= side && image->Ysize <= side)) return image;
    VipsImage *small = NULL;
    int failed = vips_thumbnail_image(image, &small, side, "height", side, "size", VIPS_SIZE_DOWN, NULL);
    g_object_unref(image);
    return failed ? NULL : small;
}

agonyfs_outcome agonyfs_picture_full(agonyfs_input *input, int orientation, int side, agonyfs_bytes *made) {
    VipsSource *source = agonyfs_source(input);
    // A copy that the user keeps must come from a complete picture; a picture that is only shown may be incomplete.
    VipsFailOn fail_on = side > 0 ? VIPS_FAIL_ON_TRUNCATED : VIPS_FAIL_ON_NONE;
    VipsImage *image =
        vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on, NULL);
    g_object_unref(source);
    if (!image) return agonyfs_picture_failure();
    agonyfs_colours colours = agonyfs_colours_of(image, input);
    if (is_too_large(image)) {
        g_object_unref(image);
        return (agonyfs_outcome){AGONYFS_TOO_LARGE, ""};
    }
    if (!agonyfs_are_known(colours) && agonyfs_has_foreign_profile(image)) {
        VipsImage *converted = NULL;
        int failed = vips_icc_transform(image, &converted, "srgb", "embedded", TRUE, NULL);
        // An unusable profile is ignored, as browsers do.
        if (!failed) {
            g_object_unref(image);
            image = converted;
        }
        vips_error_clear();
    }
    image = agonyfs_plain(image);
    if (image) image = upright(image, orientation);
    if (image && agonyfs_are_foreign(colours)) image = agonyfs_converted(image, colours);
    if (image) image = reduced(image, side);
    if (!image) return agonyfs_picture_failure();
    int failed = vips_jpegsave_buffer(image, &made->bytes, &made->count, "Q", full_quality, "strip", TRUE, NULL);
    g_object_unref(image);
    return failed ? agonyfs_picture_failure() : (agonyfs_outcome){AGONYFS_DONE, ""};
}

agonyfs_outcome agonyfs_pixels_full(const uint8_t *pixels, int width, int height, agonyfs_bytes *made) {
    size_t count = (size_t)width * (size_t)height * 3;
    VipsImage *image = vips_image_new_from_memory(pixels, count, width, height, 3, VIPS_FORMAT_UCHAR);
    if (!image) return agonyfs_picture_failure();
    if (is_too_large(image)) {
        g_object_unref(image);
        return (agonyfs_outcome){AGONYFS_TOO_LARGE, ""};
    }
    image->Type = VIPS_INTERPRETATION_sRGB;
    int failed = vips_jpegsave_buffer(image, &made->bytes, &made->count, "Q", full_quality, "strip", TRUE, NULL);
    g_object_unref(image);
    return failed ? agonyfs_picture_failure() : (agonyfs_outcome){AGONYFS_DONE, ""};
}

// The meaning of the pixels' numbers.
static void add_colours(GChecksum *sum, VipsImage *image, agonyfs_colours colours) {
    if (agonyfs_are_foreign(colours)) {
        int32_t stated[] = {colours.primaries, colours.transfer};
        g_checksum_update(sum, (const guchar *)stated, sizeof stated);
    }
    const void *profile;
    size_t count;
    if (!vips_image_get_typeof(image, VIPS_META_ICC_NAME)) return;
    if (vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &count) == 0)
        g_checksum_update(sum, profile, (gssize)count);
}

agonyfs_outcome agonyfs_picture_digest(agonyfs_input *input, uint8_t digest[32]) {
    VipsSource *source = agonyfs_source(input);
    VipsImage *image = vips_image_new_from_source(
        source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    g_object_unref(source);
    if (!image) return agonyfs_picture_failure();
    if (vips_image_get_n_pages(image) > 1 || is_too_large(image)) {
        int has_many = !is_too_large(image);
        g_object_unref(image);
        return (agonyfs_outcome){has_many ? AGONYFS_UNDECODABLE : AGONYFS_TOO_LARGE, "several pictures"};
    }
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    add_colours(sum, image, agonyfs_colours_of(image, input));
    image = upright(image, 0);
    size_t count = 0;
    void *pixels = image ? vips_image_write_to_memory(image, &count) : NULL;
    if (pixels) {
        // Pixels with another meaning make a different picture, even if the bytes are equal.
        int32_t shape[] = {image->Xsize, image->Ysize, image->Bands, image->BandFmt, image->Type};
        g_checksum_update(sum, (const guchar *)shape, sizeof shape);
        g_checksum_update(sum, pixels, (gssize)count);
        gsize length = 32;
        g_checksum_get_digest(sum, digest, &length);
    }
    g_free(pixels);
    if (image) g_object_unref(image);
    g_checksum_free(sum);
    return pixels ? (agonyfs_outcome){AGONYFS_DONE, ""} : agonyfs_picture_failure();
}

enum { across = 9, down = 8 };

// The mean brightness of a part of the picture, times a thousand.
static uint64_t brightness(const uint8_t *pixels, int width, int height, int column, int row) {
    int left = width * column / across, top = height * row / down;
    int right = width * (column + 1) / across, bottom = height * (row + 1) / down;
    if (right <= left) right = left + 1;
    if (bottom <= top) bottom = top + 1;
    uint64_t sum = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            const uint8_t *pixel = pixels + 3 * ((size_t)y * (size_t)width + (size_t)x);
            sum += 299u * pixel[0] + 587u * pixel[1] + 114u * pixel[2];
        }
    return sum / ((uint64_t)(right - left) * (uint64_t)(bottom - top));
}

agonyfs_outcome agonyfs_look_at(const uint8_t *jpeg, size_t count, int side, agonyfs_look *look) {
    VipsImage *image = vips_image_new_from_buffer(jpeg, count, "", NULL);
    if (!image) return agonyfs_picture_failure();
    int is_known =
        image->Xsize <= side && image->Ysize <= side && image->Bands == 3 && image->BandFmt == VIPS_FORMAT_UCHAR;
    size_t size = 0;
    uint8_t *pixels = is_known ? vips_image_write_to_memory(image, &size) : NULL;
    int width = image->Xsize, height = image->Ysize;
    g_object_unref(image);
    if (!is_known) return (agonyfs_outcome){AGONYFS_UNDECODABLE, "no derivative"};
    if (!pixels) return agonyfs_picture_failure();
    uint64_t sums[3] = {0}, total = (uint64_t)width * (uint64_t)height;
    for (uint64_t i = 0; i < total; i++)
        for (int band = 0; band < 3; band++) sums[band] += pixels[3 * i + (uint64_t)band];
    for (int band = 0; band < 3; band++) look->colour[band] = (uint8_t)((sums[band] + total / 2) / total);
    look->hash = 0;
    for (int row = 0; row < down; row++)
        for (int column = 0; column < across - 1; column++)
            look->hash = look->hash << 1 | (brightness(pixels, width, height, column, row) >
                                            brightness(pixels, width, height, column + 1, row));
    g_free(pixels);
    return (agonyfs_outcome){AGONYFS_DONE, ""};
}
