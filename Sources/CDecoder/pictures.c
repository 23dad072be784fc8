#define _GNU_SOURCE
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { small_side = 256, large_side = 1024, quality = 80 };

// Limits for decoders that hold a whole picture in memory, and for those that work line by line.
enum { most_whole_pixels = 100000000, most_streamed_pixels = 260000000 };

static enum agonyfs_status fail(char *error, size_t error_size) {
    snprintf(error, error_size, "%s", vips_error_buffer());
    vips_error_clear();
    return strstr(error, "out of memory") ? AGONYFS_TOO_LARGE : AGONYFS_UNDECODABLE;
}

static int is_streamed(VipsImage *image, const char *loader) {
    int interlaced = 0;
    if (vips_image_get_typeof(image, "interlaced")) vips_image_get_int(image, "interlaced", &interlaced);
    if (vips_image_get_typeof(image, "jpeg-multiscan")) vips_image_get_int(image, "jpeg-multiscan", &interlaced);
    return !interlaced && loader &&
           (g_str_has_prefix(loader, "jpegload") || g_str_has_prefix(loader, "pngload") ||
            g_str_has_prefix(loader, "tiffload"));
}

enum agonyfs_status agonyfs_picture_header(
    const agonyfs_input *input, agonyfs_header *header, char *error, size_t error_size) {
    VipsSource *source = agonyfs_source(input);
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    g_object_unref(source);
    if (!image) return fail(error, error_size);
    const char *loader = NULL;
    if (vips_image_get_typeof(image, "vips-loader")) vips_image_get_string(image, "vips-loader", &loader);
    header->width = vips_image_get_width(image);
    header->height = vips_image_get_page_height(image);
    header->orientation = vips_image_get_orientation(image);
    const void *exif;
    size_t count;
    if (vips_image_get_typeof(image, VIPS_META_EXIF_NAME) &&
        vips_image_get_blob(image, VIPS_META_EXIF_NAME, &exif, &count) == 0 && count > 0 &&
        (header->exif.bytes = malloc(count))) {
        memcpy(header->exif.bytes, exif, count);
        header->exif.count = count;
    }
    gint64 pixels = (gint64)header->width * header->height;
    gint64 most = is_streamed(image, loader) ? most_streamed_pixels : most_whole_pixels;
    g_object_unref(image);
    vips_error_clear();
    return pixels > most ? AGONYFS_TOO_LARGE : AGONYFS_DONE;
}

// Returns three bytes per pixel in memory and nothing else that the picture carried; NULL on failure. Consumes `image`.
static VipsImage *bare(VipsImage *image) {
    VipsImage *next = NULL, *result = NULL;
    if (vips_colourspace(image, &next, VIPS_INTERPRETATION_sRGB, NULL)) next = NULL;
    g_object_unref(image);
    if (!next) return NULL;
    image = next;
    if (vips_image_hasalpha(image)) {
        double white = 255;
        VipsArrayDouble *background = vips_array_double_new(&white, 1);
        int failed = vips_flatten(image, &next, "background", background, NULL);
        vips_area_unref(VIPS_AREA(background));
        g_object_unref(image);
        if (failed) return NULL;
        image = next;
    }
    if (image->Bands > 3) {
        int failed = vips_extract_band(image, &next, 0, "n", 3, NULL);
        g_object_unref(image);
        if (failed) return NULL;
        image = next;
    }
    int is_plain = image->Bands == 3 && image->BandFmt == VIPS_FORMAT_UCHAR;
    size_t count = 0;
    void *pixels = is_plain ? vips_image_write_to_memory(image, &count) : NULL;
    int width = image->Xsize, height = image->Ysize;
    g_object_unref(image);
    if (!pixels) return NULL;
    VipsImage *memory = vips_image_new_from_memory_copy(pixels, count, width, height, 3, VIPS_FORMAT_UCHAR);
    g_free(pixels);
    if (!memory) return NULL;
    if (vips_copy(memory, &result, "interpretation", VIPS_INTERPRETATION_sRGB, NULL)) result = NULL;
    g_object_unref(memory);
    return result;
}

// Turns a picture upright. Consumes `image`.
static VipsImage *turn(VipsImage *image, int orientation) {
    VipsImage *copy = NULL, *turned = NULL;
    int failed = vips_copy(image, &copy, NULL);
    g_object_unref(image);
    if (failed) return NULL;
    vips_image_set_int(copy, VIPS_META_ORIENTATION, orientation);
    failed = vips_autorot(copy, &turned, NULL);
    g_object_unref(copy);
    return failed ? NULL : turned;
}

static int save(VipsImage *image, agonyfs_bytes *result) {
    void *bytes = NULL;
    size_t count = 0;
    if (vips_jpegsave_buffer(image, &bytes, &count, "Q", quality, "strip", TRUE, NULL)) return -1;
    // libvips frees with g_free, which is free since GLib 2.46.
    result->bytes = bytes;
    result->count = count;
    return 0;
}

// Turns and saves `image`, which is at most as large as the largest derivative, and consumes it.
static enum agonyfs_status save_both(
    VipsImage *image, int orientation, agonyfs_bytes *small, agonyfs_bytes *large, char *error, size_t error_size) {
    image = bare(image);
    if (image && orientation > 1) image = turn(image, orientation);
    if (!image) return fail(error, error_size);
    int failed = large ? save(image, large) : 0;
    if (!failed && small) {
        VipsImage *reduced = NULL;
        failed = vips_thumbnail_image(image, &reduced, small_side, "height", small_side, "size", VIPS_SIZE_DOWN, NULL);
        if (!failed) {
            failed = save(reduced, small);
            g_object_unref(reduced);
        }
    }
    g_object_unref(image);
    return failed ? fail(error, error_size) : AGONYFS_DONE;
}

// Whether colours must be converted. Most profiles are sRGB itself, recognised by its makers' name in one or two bytes
// per character. Pictures without a profile are not converted: libvips would go through Lab and change the colours.
static int has_foreign_profile(VipsImage *image) {
    static const char name[] = "sRGB IEC61966-2";
    static const char paired[] = "\0s\0R\0G\0B\0 \0I\0E\0C\0006\0001\0009\0006\0006\0-\0002";
    const void *profile;
    size_t count;
    if (!vips_image_get_typeof(image, VIPS_META_ICC_NAME)) return 0;
    if (vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &count)) return 0;
    return !memmem(profile, count, name, sizeof name - 1) && !memmem(profile, count, paired, sizeof paired - 1);
}

enum agonyfs_status agonyfs_picture_derive(
    const agonyfs_input *input, int orientation, agonyfs_bytes *small, agonyfs_bytes *large, char *error,
    size_t error_size) {
    int side = large ? large_side : small_side;
    VipsSource *source = agonyfs_source(input);
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    const char *profile = image && has_foreign_profile(image) ? "srgb" : NULL;
    int failed = !image;
    if (image) g_object_unref(image);
    if (!failed) {
        failed = vips_thumbnail_source(
            source, &image, side, "height", side, "size", VIPS_SIZE_DOWN, "no_rotate", orientation != 0,
            profile ? "export_profile" : NULL, profile, NULL);
    }
    g_object_unref(source);
    if (failed) return fail(error, error_size);
    return save_both(image, orientation, small, large, error, error_size);
}

enum agonyfs_status agonyfs_pixels_derive(
    const uint8_t *pixels, int width, int height, int orientation, agonyfs_bytes *small, agonyfs_bytes *large,
    char *error, size_t error_size) {
    size_t count = (size_t)width * (size_t)height * 3;
    VipsImage *image = vips_image_new_from_memory(pixels, count, width, height, 3, VIPS_FORMAT_UCHAR);
    if (!image) return fail(error, error_size);
    VipsImage *coloured = NULL, *reduced = NULL;
    int failed = vips_copy(image, &coloured, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
    g_object_unref(image);
    if (!failed) {
        int side = large ? large_side : small_side;
        failed = vips_thumbnail_image(coloured, &reduced, side, "height", side, "size", VIPS_SIZE_DOWN, NULL);
        g_object_unref(coloured);
    }
    if (failed) return fail(error, error_size);
    return save_both(reduced, orientation, small, large, error, error_size);
}

enum agonyfs_status agonyfs_make_png(
    const uint8_t *jpeg, size_t count, int side, agonyfs_bytes *png, char *error, size_t error_size) {
    VipsImage *image = NULL;
    if (vips_thumbnail_buffer(
            (void *)jpeg, count, &image, side, "height", side, "size", VIPS_SIZE_DOWN, NULL))
        return fail(error, error_size);
    image = bare(image);
    if (!image) return fail(error, error_size);
    void *bytes = NULL;
    size_t size = 0;
    int failed = vips_pngsave_buffer(image, &bytes, &size, "compression", 3, NULL);
    g_object_unref(image);
    if (failed) return fail(error, error_size);
    png->bytes = bytes;
    png->count = size;
    return AGONYFS_DONE;
}
