#include "colours.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zimg.h>

// The brightness of white paper in HDR (ITU-R BT.2408), in cd/m².
static const float reference_white = 203;
// The greatest brightness that most displays show and most films contain, in cd/m².
static const float brightest = 1000;
// Up to this light, as a multiple of the reference white, the tone curve changes nothing.
static const float knee = 0.8f;

static int is_hdr(agonyfs_colours colours) { return colours.transfer == pq || colours.transfer == hlg; }

int agonyfs_are_foreign(agonyfs_colours colours) {
    return colours.primaries == bt2020 || colours.primaries == dci_p3 || colours.primaries == display_p3 ||
           colours.transfer == linear || is_hdr(colours);
}

int agonyfs_are_known(agonyfs_colours colours) { return colours.primaries == bt709 || agonyfs_are_foreign(colours); }

// The sRGB bytes of light from 0 to 1, in steps so fine that the darkest differ by less than a byte (IEC 61966-2-1).
enum { steps = 1 << 16 };
static uint8_t encoded[steps];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void) {
    for (int i = 0; i < steps; i++) {
        double light = (double)i / (steps - 1);
        double value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
        encoded[i] = (uint8_t)(value * 255 + 0.5);
    }
}

static uint8_t encode(float light) {
    return encoded[light > 0 ? light < 1 ? (int)(light * (steps - 1) + 0.5f) : steps - 1 : 0];
}

// The factor that reduces the light of a pixel whose brightest colour is `light`. Above the knee it is Reinhard's
// curve, which reaches 1 at the greatest brightness.
static float tone(float light) {
    if (light <= knee) return 1;
    float peak = (brightest / reference_white - knee) / (1 - knee), x = (light - knee) / (1 - knee);
    return (knee + (1 - knee) * x * (1 + x / (peak * peak)) / (1 + x)) / light;
}

static zimg_filter_graph *make_graph(int width, int height, int bits, agonyfs_colours colours) {
    zimg_image_format from, to;
    zimg_graph_builder_params parameters;
    zimg_image_format_default(&from, ZIMG_API_VERSION);
    from.width = (unsigned)width;
    from.height = (unsigned)height;
    from.color_family = ZIMG_COLOR_RGB;
    from.matrix_coefficients = ZIMG_MATRIX_RGB;
    to = from;
    from.pixel_type = bits > 8 ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE;
    from.depth = (unsigned)bits;
    from.pixel_range = ZIMG_RANGE_FULL;
    // All transfer functions of SDR are shown as sRGB, as if none were stated.
    int keeps = is_hdr(colours) || colours.transfer == linear;
    from.transfer_characteristics = (zimg_transfer_characteristics_e)(keeps ? colours.transfer : srgb);
    int is_wide = colours.primaries == dci_p3 || colours.primaries == display_p3 || colours.primaries == bt2020;
    int unstated = is_hdr(colours) && colours.primaries == unspecified ? bt2020 : bt709;
    from.color_primaries = (zimg_color_primaries_e)(is_wide ? colours.primaries : unstated);
    to.pixel_type = ZIMG_PIXEL_FLOAT;
    to.transfer_characteristics = ZIMG_TRANSFER_LINEAR;
    to.color_primaries = ZIMG_PRIMARIES_BT709;
    zimg_graph_builder_params_default(&parameters, ZIMG_API_VERSION);
    parameters.nominal_peak_luminance = (double)reference_white;
    return zimg_filter_graph_build(&from, &to, &parameters);
}

// The picture is processed in bands of this many rows, each colour separately, so that a large picture takes little
// memory.
enum { rows = 16, alignment = 64 };

struct bands {
    zimg_filter_graph *graph;
    void *from[3], *to[3], *work;
    size_t from_stride, to_stride;
};

static size_t aligned(size_t count) { return (count + alignment - 1) / alignment * alignment; }

static int prepare(struct bands *bands, int width, int bits, agonyfs_colours colours) {
    size_t size = 0;
    bands->graph = make_graph(width, rows, bits, colours);
    if (!bands->graph || zimg_filter_graph_get_tmp_size(bands->graph, &size)) return -1;
    bands->from_stride = aligned((size_t)width * (size_t)(bits / 8));
    bands->to_stride = aligned((size_t)width * sizeof(float));
    bands->work = aligned_alloc(alignment, aligned(size + 1));
    int failed = !bands->work;
    for (int colour = 0; colour < 3; colour++) {
        bands->from[colour] = aligned_alloc(alignment, rows * bands->from_stride);
        bands->to[colour] = aligned_alloc(alignment, rows * bands->to_stride);
        failed |= !bands->from[colour] || !bands->to[colour];
        if (bands->from[colour]) memset(bands->from[colour], 0, rows * bands->from_stride);
    }
    return failed ? -1 : 0;
}

static void end(struct bands *bands) {
    zimg_filter_graph_free(bands->graph);
    free(bands->work);
    for (int colour = 0; colour < 3; colour++) {
        free(bands->from[colour]);
        free(bands->to[colour]);
    }
}

// Puts in one row, each colour separately.
static void take(struct bands *bands, int row, const uint8_t *pixels, int width, int bits) {
    for (int colour = 0; colour < 3; colour++) {
        uint8_t *line = (uint8_t *)bands->from[colour] + (size_t)row * bands->from_stride;
        if (bits == 8)
            for (int x = 0; x < width; x++) line[x] = pixels[3 * x + colour];
        else
            for (int x = 0; x < width; x++) memcpy(line + 2 * x, pixels + 2 * (3 * x + colour), 2);
    }
}

static void give(const struct bands *bands, int row, int width, int reduces, uint8_t *result) {
    const float *line[3];
    for (int colour = 0; colour < 3; colour++)
        line[colour] = (const float *)((const uint8_t *)bands->to[colour] + (size_t)row * bands->to_stride);
    for (int x = 0; x < width; x++) {
        float factor = reduces ? tone(fmaxf(line[0][x], fmaxf(line[1][x], line[2][x]))) : 1;
        for (int colour = 0; colour < 3; colour++) result[3 * x + colour] = encode(line[colour][x] * factor);
    }
}

int agonyfs_to_srgb(const void *pixels, int bits, int width, int height, agonyfs_colours colours, uint8_t *result) {
    pthread_once(&once, fill);
    struct bands bands = {0};
    int failed = prepare(&bands, width, bits, colours);
    zimg_image_buffer_const from = {.version = ZIMG_API_VERSION};
    zimg_image_buffer to = {.version = ZIMG_API_VERSION};
    for (int colour = 0; colour < 3; colour++) {
        from.plane[colour].data = bands.from[colour];
        from.plane[colour].stride = (ptrdiff_t)bands.from_stride;
        to.plane[colour].data = bands.to[colour];
        to.plane[colour].stride = (ptrdiff_t)bands.to_stride;
        from.plane[colour].mask = to.plane[colour].mask = ZIMG_BUFFER_MAX;
    }
    size_t row_bytes = (size_t)width * 3 * (size_t)(bits / 8);
    for (int top = 0; !failed && top < height; top += rows) {
        int count = height - top < rows ? height - top : rows;
        for (int row = 0; row < count; row++)
            take(&bands, row, (const uint8_t *)pixels + (size_t)(top + row) * row_bytes, width, bits);
        failed = zimg_filter_graph_process(bands.graph, &from, &to, bands.work, NULL, NULL, NULL, NULL) != 0;
        for (int row = 0; !failed && row < count; row++)
            give(&bands, row, width, is_hdr(colours), result + (size_t)(top + row) * (size_t)width * 3);
    }
    end(&bands);
    return failed ? -1 : 0;
}
