#include "frames.h"
#include "colours.h"

#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The mean brightness (of 255) of a frame that is not dark, and the deviation of one that is not uniform.
enum { bright_enough = 28, varied_enough = 14, worthy = bright_enough * varied_enough };
// At most `most_frames` are decoded from each place, and every `frame_step`-th is examined. `most_seconds` limits the
// whole search.
enum { most_frames = 150, frame_step = 10, most_seconds = 8 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct SwsContext *scaler(const AVFrame *frame, int width, int height, enum AVPixelFormat format) {
    struct SwsContext *scaler = sws_getContext(
        frame->width, frame->height, frame->format, width, height, format, SWS_BICUBIC | SWS_ACCURATE_RND, NULL, NULL,
        NULL);
    if (!scaler) return NULL;
    int standard = frame->colorspace == AVCOL_SPC_UNSPECIFIED
                       ? (frame->height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601)
                       : (int)frame->colorspace;
    int is_full = frame->color_range == AVCOL_RANGE_JPEG;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    if (pixels && pixels->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) {
        // RGB is also scaled as brightness and colour. Any coefficients do, if the way back uses the same.
        standard = SWS_CS_DEFAULT;
        is_full = 1;
    }
    sws_setColorspaceDetails(
        scaler, sws_getCoefficients(standard), is_full,
        sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    return scaler;
}

// Reduces a frame to a size and format. The caller frees planes[0]. Returns 0 or an error of libav.
static int reduce(
    const AVFrame *frame, int width, int height, enum AVPixelFormat format, uint8_t *planes[4], int strides[4]) {
    struct SwsContext *context = scaler(frame, width, height, format);
    int code = context ? av_image_alloc(planes, strides, width, height, format, 64) : AVERROR(EINVAL);
    if (code >= 0) {
        const uint8_t *const *data = (const uint8_t *const *)frame->data;
        int lines = sws_scale(context, data, frame->linesize, 0, frame->height, planes, strides);
        code = lines == height ? 0 : AVERROR(EINVAL);
    }
    sws_freeContext(context);
    return code;
}

// How much a reduced grey copy shows: at least `worthy` if it is bright and varied enough; -1 on failure.
static int worth(const AVFrame *frame) {
    enum { side = 32 };
    uint8_t *planes[4] = {0};
    int strides[4] = {0};
    int result = -1;
    if (reduce(frame, side, side, AV_PIX_FMT_GRAY8, planes, strides) == 0) {
        double sum = 0, squares = 0, count = side * side;
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                double value = planes[0][y * strides[0] + x];
                sum += value;
                squares += value * value;
            }
        double mean = sum / count, deviation = sqrt(fmax(0, squares / count - mean * mean));
        result = (int)fmin(mean * varied_enough, deviation * bright_enough);
    }
    av_freep(&planes[0]);
    return result;
}

struct search {
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *decoder;
    AVPacket *packet;
    AVFrame *frame, *best;
    int best_worth;
    double end;
};

static int is_over(const struct search *search) {
    return search->best_worth >= worthy || seconds() > search->end;
}

static void consider(struct search *search) {
    int value = worth(search->frame);
    if (value <= search->best_worth) return;
    search->best_worth = value;
    av_frame_unref(search->best);
    av_frame_move_ref(search->best, search->frame);
}

// Examines the first of the decoded frames and every `frame_step`-th after it.
static void take_frames(struct search *search, int *count) {
    while (*count < most_frames && avcodec_receive_frame(search->decoder, search->frame) == 0) {
        if ((*count)++ % frame_step == 0) consider(search);
        av_frame_unref(search->frame);
        if (is_over(search)) return;
    }
}

static void look_from_here(struct search *search) {
    int count = 0, packets = 0;
    while (count < most_frames && packets++ < 8 * most_frames && !is_over(search)) {
        if (av_read_frame(search->format, search->packet) < 0) {
            avcodec_send_packet(search->decoder, NULL);
            take_frames(search, &count);
            break;
        }
        // Damaged packets are skipped, as players do.
        if (search->packet->stream_index == search->stream->index) avcodec_send_packet(search->decoder, search->packet);
        av_packet_unref(search->packet);
        take_frames(search, &count);
    }
}

static void look_everywhere(struct search *search) {
    look_from_here(search);
    int64_t duration = search->format->duration;
    for (int percent = 10; percent <= 50 && duration > 0 && !is_over(search); percent += 20) {
        if (av_seek_frame(search->format, -1, duration / 100 * percent, AVSEEK_FLAG_BACKWARD) < 0) break;
        avcodec_flush_buffers(search->decoder);
        look_from_here(search);
    }
}

void agonyfs_shape(int stored_width, int stored_height, AVRational aspect, agonyfs_video *video) {
    double shape = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1;
    if (shape < 1.0 / 16 || shape > 16) shape = 1;
    double width = shape > 1 ? stored_width * shape : stored_width;
    double height = shape < 1 ? stored_height / shape : stored_height;
    int turned = video->orientation > 4;
    video->width = (int32_t)(turned ? height : width);
    video->height = (int32_t)(turned ? width : height);
}

// Scales to square pixels, and never enlarges.
static int scale(const AVFrame *frame, AVRational aspect, int side, agonyfs_video *video) {
    agonyfs_shape(frame->width, frame->height, aspect, video);
    int turned = video->orientation > 4;
    double width = turned ? video->height : video->width, height = turned ? video->width : video->height;
    double longer = width > height ? width : height;
    double factor = longer > side ? side / longer : 1;
    int pixel_width = (int)(width * factor + 0.5), pixel_height = (int)(height * factor + 0.5);
    if (pixel_width < 1) pixel_width = 1;
    if (pixel_height < 1) pixel_height = 1;
    uint8_t *planes[4] = {0};
    int strides[4] = {0};
    agonyfs_colours colours = {(int)frame->color_primaries, (int)frame->color_trc};
    int is_foreign = agonyfs_are_foreign(colours);
    // Dark tones of HDR need more than eight bits.
    enum AVPixelFormat format = is_foreign ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24;
    int code = reduce(frame, pixel_width, pixel_height, format, planes, strides);
    if (code == 0) {
        size_t row = (size_t)pixel_width * (is_foreign ? 6 : 3);
        video->pixels = malloc(row * (size_t)pixel_height);
        if (!video->pixels) code = AVERROR(ENOMEM);
        for (int y = 0; code == 0 && y < pixel_height; y++)
            memcpy(video->pixels + row * (size_t)y, planes[0] + (ptrdiff_t)y * strides[0], row);
        if (code == 0 && is_foreign &&
            agonyfs_to_srgb(video->pixels, 16, pixel_width, pixel_height, colours, video->pixels))
            code = AVERROR(ENOMEM);
    }
    av_freep(&planes[0]);
    video->pixel_width = pixel_width;
    video->pixel_height = pixel_height;
    return code;
}

int agonyfs_find_frame(
    AVFormatContext *format, AVStream *stream, AVCodecContext *decoder, int side, agonyfs_video *video) {
    struct search search = {
        format, stream, decoder, av_packet_alloc(), av_frame_alloc(), av_frame_alloc(), -1, seconds() + most_seconds,
    };
    int code = AVERROR(ENOMEM);
    if (search.packet && search.frame && search.best) {
        look_everywhere(&search);
        code = AVERROR_INVALIDDATA;
        if (search.best_worth >= 0)
            code = scale(search.best, av_guess_sample_aspect_ratio(format, stream, search.best), side, video);
    }
    av_packet_free(&search.packet);
    av_frame_free(&search.frame);
    av_frame_free(&search.best);
    return code;
}
