#define _GNU_SOURCE
#include "pictures.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

enum { small_side = 256, large_side = 1024, quality = 80 };

// The memory that a decoder may need for a picture that it holds as a whole: the part of the address space that the
// libraries, their threads and this program leave. A decoder that works line by line needs little, whatever the
// number of pixels.
static const gint64 most_memory = (gint64)1700 << 20;

// For a picture decoded line by line, a job's time limits the pixels. More than these would only waste that time.
static const gint64 most_streamed_pixels = 500000000;

static const agonyfs_outcome done = {AGONYFS_DONE, ""};

agonyfs_outcome agonyfs_picture_failure(void) {
    static char reason[512];
    snprintf(reason, sizeof reason, "%s", vips_error_buffer());
    vips_error_clear();
    // Each library has its own wording.
    int lacks_memory = strcasestr(reason, "out of memory") || strcasestr(reason, "memory allocation") ||
                       strcasestr(reason, "insufficient memory");
    return (agonyfs_outcome){lacks_memory ? AGONYFS_TOO_LARGE : AGONYFS_UNDECODABLE, reason};
}

static gint64 read_source(VipsSourceCustom *source, void *buffer, gint64 count, void *input) {
    (void)source;
    return agonyfs_input_read(input, buffer, count);
}

static gint64 seek_source(VipsSourceCustom *source, gint64 offset, int whence, void *input) {
    (void)source;
    return agonyfs_input_seek(input, offset, whence);
}

VipsSource *agonyfs_source(agonyfs_input *input) {
    VipsSourceCustom *source = vips_source_custom_new();
    g_signal_connect(source, "read", G_CALLBACK(read_source), input);
    g_signal_connect(source, "seek", G_CALLBACK(seek_source), input);
    return VIPS_SOURCE(source);
}

static const char *loader_of(VipsImage *image) {
    const char *loader = NULL;
    if (vips_image_get_typeof(image, "vips-loader")) vips_image_get_string(image, "vips-loader", &loader);
    return loader;
}

static int is_streamed(VipsImage *image, const char *loader) {
    int interlaced = 0;
    if (vips_image_get_typeof(image, "interlaced")) vips_image_get_int(image, "interlaced", &interlaced);
    if (vips_image_get_typeof(image, "jpeg-multiscan")) vips_image_get_int(image, "jpeg-multiscan", &interlaced);
    return !interlaced && loader &&
           (g_str_has_prefix(loader, "jpegload") || g_str_has_prefix(loader, "pngload") ||
            g_str_has_prefix(loader, "tiffload"));
}

// Bytes in memory while a picture is decoded, at most: measured for HEIC, otherwise by the way the libraries work.
// Planes and the pixels made from them are in memory together; JPEG XL calculates in 32-bit numbers.
static gint64 memory_of(VipsImage *image, const char *loader) {
    if (is_streamed(image, loader)) return 0;
    gint64 copies = loader && g_str_has_prefix(loader, "jxlload") ? 6 : 2;
    gint64 pixels = (gint64)vips_image_get_width(image) * vips_image_get_page_height(image);
    return pixels * (gint64)VIPS_IMAGE_SIZEOF_PEL(image) * copies;
}

// Copies a block of metadata.
static agonyfs_bytes copy_block(VipsImage *image, const char *name) {
    agonyfs_bytes result = {NULL, 0};
    const void *block;
    size_t count;
    if (!vips_image_get_typeof(image, name) || vips_image_get_blob(image, name, &block, &count) || count == 0)
        return result;
    result.bytes = malloc(count);
    if (!result.bytes) return result;
    memcpy(result.bytes, block, count);
    result.count = count;
    return result;
}

// XMP in HEIF that does not begin with its outermost element has only a number in libvips.
static agonyfs_bytes copy_xmp(VipsImage *image) {
    agonyfs_bytes result = copy_block(image, VIPS_META_XMP_NAME);
    for (int number = 0; number < 16 && !result.count; number++) {
        char name[32];
        snprintf(name, sizeof name, "heif-mime-%d", number);
        result = copy_block(image, name);
        if (!result.count || memmem(result.bytes, result.count, "xmpmeta", 7)) continue;
        free(result.bytes);
        result = (agonyfs_bytes){NULL, 0};
    }
    return result;
}

agonyfs_outcome agonyfs_picture_header(agonyfs_input *input, agonyfs_header *header) {
    VipsSource *source = agonyfs_source(input);
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    g_object_unref(source);
    if (!image) return agonyfs_picture_failure();
    const char *loader = loader_of(image);
    header->width = vips_image_get_width(image);
    header->height = vips_image_get_page_height(image);
    header->orientation = vips_image_get_orientation(image);
    header->exif = copy_block(image, VIPS_META_EXIF_NAME);
    header->xmp = copy_xmp(image);
    header->iptc = copy_block(image, VIPS_META_IPTC_NAME);
    if (!header->iptc.count) header->iptc = copy_block(image, VIPS_META_PHOTOSHOP_NAME);
    gint64 memory = memory_of(image, loader);
    header->memory = memory;
    int lacks_time = (gint64)header->width * header->height > most_streamed_pixels;
    // The pixels, and their converted, turned or copied form. The pixels of a refused picture may overflow the count.
    if (!lacks_time)
        header->whole_memory = 2 * (gint64)header->width * header->height * (gint64)VIPS_IMAGE_SIZEOF_PEL(image);
    g_object_unref(image);
    vips_error_clear();
    return memory > most_memory || lacks_time ? (agonyfs_outcome){AGONYFS_TOO_LARGE, ""} : done;
}

// libvips frees bytes with g_free, which is free since GLib 2.46.
static int save(VipsImage *image, agonyfs_bytes *result) {
    return vips_jpegsave_buffer(image, &result->bytes, &result->count, "Q", quality, "strip", TRUE, NULL);
}

// Converts, turns and saves `image`, which is at most as large as the largest derivative, and consumes it.
static agonyfs_outcome save_both(
    VipsImage *image, int orientation, agonyfs_colours colours, agonyfs_derivatives *made) {
    image = agonyfs_bare(image);
    if (image && agonyfs_are_foreign(colours)) image = agonyfs_converted(image, colours);
    if (image && orientation > 1) image = agonyfs_turned(image, orientation);
    if (!image) return agonyfs_picture_failure();
    int failed = made->wants_large ? save(image, &made->large) : 0;
    if (!failed && made->wants_small) {
        // Bare pixels are in memory already; turned ones are put there now.
        const void *pixels = vips_image_get_data(image);
        VipsImage *reduced = pixels ? agonyfs_fit(pixels, image->Xsize, image->Ysize, 3, small_side) : NULL;
        failed = !reduced;
        if (!failed) {
            failed = save(reduced, &made->small);
            g_object_unref(reduced);
        }
    }
    g_object_unref(image);
    return failed ? agonyfs_picture_failure() : done;
}

// Whether colours must be converted. Most profiles are sRGB itself, recognised by the name of its makers in one or
// two bytes per character. Pictures without a profile are not converted: libvips would go through Lab and change the
// colours.
int agonyfs_has_foreign_profile(VipsImage *image) {
    static const char name[] = "sRGB IEC61966-2";
    static const char paired[] = "\0s\0R\0G\0B\0 \0I\0E\0C\0006\0001\0009\0006\0006\0-\0002";
    const void *profile;
    size_t count;
    if (!vips_image_get_typeof(image, VIPS_META_ICC_NAME)) return 0;
    if (vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &count)) return 0;
    return !memmem(profile, count, name, sizeof name - 1) && !memmem(profile, count, paired, sizeof paired - 1);
}

agonyfs_colours agonyfs_colours_of(VipsImage *image, agonyfs_input *input) {
    const char *loader = loader_of(image);
    int has_profile = vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
    if (has_profile && !(loader && g_str_has_prefix(loader, "pngload"))) {
        const void *profile;
        size_t count;
        if (vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &count)) return agonyfs_unstated;
        return agonyfs_hdr_of_profile(profile, count);
    }
    return agonyfs_stated_colours(input, loader);
}

// Whether a picture is like nearly all photos: a JPEG in colours that need no conversion, or in grey.
static int is_plain_jpeg(VipsImage *image) {
    const char *loader = loader_of(image);
    int is_colour = image->Bands == 3 && image->Type == VIPS_INTERPRETATION_sRGB;
    int is_grey = image->Bands == 1 && image->Type == VIPS_INTERPRETATION_B_W;
    return loader && g_str_has_prefix(loader, "jpegload") && (is_colour || is_grey) &&
           image->BandFmt == VIPS_FORMAT_UCHAR && !agonyfs_has_foreign_profile(image);
}

// Makes derivatives of such a JPEG. The library decodes it at half, a quarter or an eighth of its size if that
// suffices, but at least one pixel of the shorter side must remain: otherwise libvips ends the process.
static agonyfs_outcome derive_plain_jpeg(
    VipsSource *source, int longer, int shorter, int side, int orientation, agonyfs_derivatives *made) {
    int shrink = 1;
    while (shrink < 8 && longer / (2 * shrink) >= side && shorter >= 2 * shrink) shrink *= 2;
    VipsImage *image = vips_image_new_from_source(
        source, "", "access", VIPS_ACCESS_SEQUENTIAL, "shrink", shrink, NULL);
    // The file may have changed since it was examined.
    int bands = image ? image->Bands : 0;
    if (image && ((bands != 3 && bands != 1) || image->BandFmt != VIPS_FORMAT_UCHAR)) {
        vips_error("agonyfs", "the file changes while it is read");
        g_object_unref(image);
        return agonyfs_picture_failure();
    }
    size_t count = 0;
    void *pixels = image ? vips_image_write_to_memory(image, &count) : NULL;
    int is_whole = pixels && count == (size_t)image->Xsize * (size_t)image->Ysize * (size_t)bands;
    VipsImage *reduced = is_whole ? agonyfs_fit(pixels, image->Xsize, image->Ysize, bands, side) : NULL;
    g_free(pixels);
    if (image) g_object_unref(image);
    return reduced ? save_both(reduced, orientation, agonyfs_unstated, made) : agonyfs_picture_failure();
}

// The thumbnail in a HEIF, if it can serve for the small derivative: it must be smaller than the picture, and must
// not need enlarging. NULL if there is none.
static VipsImage *useful_thumbnail(agonyfs_input *input, int width) {
    VipsSource *source = agonyfs_source(input);
    VipsImage *thumbnail = vips_image_new_from_source(
        source, "", "access", VIPS_ACCESS_SEQUENTIAL, "thumbnail", TRUE, NULL);
    g_object_unref(source);
    vips_error_clear();
    // If there is none, libvips opens the picture itself.
    if (thumbnail && thumbnail->Xsize < width && VIPS_MAX(thumbnail->Xsize, thumbnail->Ysize) > small_side)
        return thumbnail;
    if (thumbnail) g_object_unref(thumbnail);
    return NULL;
}

// Makes derivatives of an open HEIF, and consumes it. vips_thumbnail_source would open it three more times, and some
// versions of libheif read the whole file each time. libheif seeks before it reads, so two images may share the
// input.
static agonyfs_outcome derive_heif(
    VipsImage *image, agonyfs_input *input, int orientation, const char *profile, agonyfs_colours colours,
    agonyfs_derivatives *made) {
    if (!made->wants_large || made->may_lack_large) {
        VipsImage *thumbnail = useful_thumbnail(input, image->Xsize);
        if (thumbnail) {
            made->wants_large = false;
            g_object_unref(image);
            image = thumbnail;
        }
    }
    int side = made->wants_large ? large_side : small_side;
    VipsImage *reduced = NULL;
    int failed = vips_thumbnail_image(
        image, &reduced, side, "height", side, "size", VIPS_SIZE_DOWN, "no_rotate", orientation != 0,
        profile ? "export_profile" : NULL, profile, NULL);
    if (failed && profile) {
        // The profile may be damaged, or not fit the picture.
        vips_error_clear();
        failed = vips_thumbnail_image(
            image, &reduced, side, "height", side, "size", VIPS_SIZE_DOWN, "no_rotate", orientation != 0, NULL);
    }
    g_object_unref(image);
    return failed ? agonyfs_picture_failure() : save_both(reduced, orientation, colours, made);
}

agonyfs_outcome agonyfs_picture_derive(agonyfs_input *input, int orientation, agonyfs_derivatives *made) {
    int side = made->wants_large ? large_side : small_side;
    VipsSource *source = agonyfs_source(input);
    VipsImage *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    agonyfs_colours colours = image ? agonyfs_colours_of(image, input) : agonyfs_unstated;
    const char *profile = image && !agonyfs_are_known(colours) && agonyfs_has_foreign_profile(image) ? "srgb" : NULL;
    const char *loader = image ? loader_of(image) : NULL;
    if (loader && g_str_has_prefix(loader, "heifload")) {
        g_object_unref(source);
        return derive_heif(image, input, orientation, profile, colours, made);
    }
    int failed = !image;
    int is_plain = image && is_plain_jpeg(image);
    int longer = image ? VIPS_MAX(image->Xsize, image->Ysize) : 0;
    int shorter = image ? VIPS_MIN(image->Xsize, image->Ysize) : 0;
    int own = image ? vips_image_get_orientation(image) : 1;
    if (image) g_object_unref(image);
    if (is_plain) {
        agonyfs_outcome outcome = derive_plain_jpeg(
            source, longer, shorter, side, orientation ? orientation : own, made);
        g_object_unref(source);
        return outcome;
    }
    if (!failed) {
        failed = vips_thumbnail_source(
            source, &image, side, "height", side, "size", VIPS_SIZE_DOWN, "no_rotate", orientation != 0,
            profile ? "export_profile" : NULL, profile, NULL);
    }
    g_object_unref(source);
    if (failed && profile) {
        // The profile may be damaged, or not fit the picture, such as a colour profile in a grey JPEG.
        vips_error_clear();
        source = agonyfs_source(input);
        failed = vips_thumbnail_source(
            source, &image, side, "height", side, "size", VIPS_SIZE_DOWN, "no_rotate", orientation != 0, NULL);
        g_object_unref(source);
    }
    if (failed) return agonyfs_picture_failure();
    return save_both(image, orientation, colours, made);
}

agonyfs_outcome agonyfs_pixels_derive(
    const uint8_t *pixels, int width, int height, int orientation, agonyfs_derivatives *made) {
    VipsImage *reduced = agonyfs_fit(pixels, width, height, 3, made->wants_large ? large_side : small_side);
    return reduced ? save_both(reduced, orientation, agonyfs_unstated, made) : agonyfs_picture_failure();
}

agonyfs_outcome agonyfs_make_png(const uint8_t *jpeg, size_t count, int side, agonyfs_bytes *png) {
    VipsImage *image = NULL;
    if (vips_thumbnail_buffer((void *)jpeg, count, &image, side, "height", side, "size", VIPS_SIZE_DOWN, NULL))
        return agonyfs_picture_failure();
    image = agonyfs_bare(image);
    if (!image) return agonyfs_picture_failure();
    int failed = vips_pngsave_buffer(image, &png->bytes, &png->count, "compression", 3, NULL);
    g_object_unref(image);
    return failed ? agonyfs_picture_failure() : done;
}
