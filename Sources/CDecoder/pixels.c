#include "pictures.h"
#include "scale.h"

#include <stdlib.h>
#include <string.h>

static void free_pixels(VipsImage *image, void *pixels) {
    (void)image;
    free(pixels);
}

// A picture of pixels of `bands` bytes: one for grey ones, or three. Takes the pixels, which are freed with it; NULL on
// failure. libvips allocates with g_malloc, which is malloc since GLib 2.46.
static VipsImage *from_pixels(void *pixels, int width, int height, int bands) {
    size_t count = (size_t)width * (size_t)height * (size_t)bands;
    VipsImage *image = vips_image_new_from_memory(pixels, count, width, height, bands, VIPS_FORMAT_UCHAR);
    if (!image) {
        free(pixels);
        return NULL;
    }
    g_signal_connect(image, "postclose", G_CALLBACK(free_pixels), pixels);
    image->Type = bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    return image;
}

VipsImage *agonyfs_fit(const uint8_t *pixels, int width, int height, int bands, int side) {
    int longer = width > height ? width : height;
    if (longer <= side) {
        size_t count = (size_t)width * (size_t)height * (size_t)bands;
        void *copy = malloc(count);
        if (!copy) {
            vips_error("agonyfs", "out of memory");
            return NULL;
        }
        return from_pixels(memcpy(copy, pixels, count), width, height, bands);
    }
    int to_width = (int)(((gint64)width * side + longer / 2) / longer);
    int to_height = (int)(((gint64)height * side + longer / 2) / longer);
    if (to_width < 1) to_width = 1;
    if (to_height < 1) to_height = 1;
    uint8_t *scaled = agonyfs_scale(pixels, width, height, bands, to_width, to_height);
    if (!scaled) {
        vips_error("agonyfs", "out of memory");
        return NULL;
    }
    return from_pixels(scaled, to_width, to_height, bands);
}

VipsImage *agonyfs_plain(VipsImage *image) {
    VipsImage *next = NULL;
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
    if (image->Bands == 3 && image->BandFmt == VIPS_FORMAT_UCHAR) return image;
    g_object_unref(image);
    return NULL;
}

VipsImage *agonyfs_converted(VipsImage *image, agonyfs_colours colours) {
    size_t count = 0;
    uint8_t *pixels = vips_image_write_to_memory(image, &count);
    int width = image->Xsize, height = image->Ysize;
    g_object_unref(image);
    if (!pixels) return NULL;
    if (agonyfs_to_srgb(pixels, 8, width, height, colours, pixels)) {
        vips_error("agonyfs", "out of memory");
        g_free(pixels);
        return NULL;
    }
    return from_pixels(pixels, width, height, 3);
}

// Whether a picture has three bytes per pixel in memory and nothing else, like those that are made here.
static int is_bare(VipsImage *image) {
    return image->dtype == VIPS_IMAGE_SETBUF_FOREIGN && image->Bands == 3 && image->BandFmt == VIPS_FORMAT_UCHAR &&
           image->Type == VIPS_INTERPRETATION_sRGB;
}

VipsImage *agonyfs_bare(VipsImage *image) {
    if (is_bare(image)) return image;
    image = agonyfs_plain(image);
    if (!image) return NULL;
    size_t count = 0;
    void *pixels = vips_image_write_to_memory(image, &count);
    int width = image->Xsize, height = image->Ysize;
    g_object_unref(image);
    return pixels ? from_pixels(pixels, width, height, 3) : NULL;
}

VipsImage *agonyfs_turned(VipsImage *image, int orientation) {
    VipsImage *turned = NULL;
    vips_image_set_int(image, VIPS_META_ORIENTATION, orientation);
    int failed = vips_autorot(image, &turned, NULL);
    g_object_unref(image);
    return failed ? NULL : turned;
}
