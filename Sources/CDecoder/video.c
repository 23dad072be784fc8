#include "frames.h"
#include "input.h"

#include <libavutil/display.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libavutil/spherical.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The formats from cameras, phones and the web. libavcodec supports hundreds of others that are not needed here.
static const char decoders[] =
    "h264,hevc,libdav1d,av1,vp8,vp9,libvpx,libvpx-vp9,mpeg4,mjpeg,mpeg1video,mpeg2video,h263,prores,dvvideo,msmpeg4v2,"
    "msmpeg4,theora,wmv1,wmv2,wmv3,vc1,flv,vp6f,svq1,svq3,cinepak,rawvideo,png,ffv1,bmp";

enum { buffer_bytes = 64 << 10, most_streams = 64 };

static int read_some(void *input, uint8_t *buffer, int count) {
    int64_t got = agonyfs_input_read(input, buffer, count);
    return got < 0 ? AVERROR(EIO) : got == 0 ? AVERROR_EOF : (int)got;
}

static int64_t seek(void *opaque, int64_t offset, int whence) {
    agonyfs_input *input = opaque;
    if (whence & AVSEEK_SIZE) return input->size;
    int64_t target = agonyfs_input_seek(input, offset, whence & ~AVSEEK_FORCE);
    return target < 0 ? AVERROR(EINVAL) : target;
}

// A file may refer to other files, which are never opened.
static int refuse(AVFormatContext *format, AVIOContext **io, const char *name, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)name, (void)flags, (void)options;
    return AVERROR(EPERM);
}

static void tell(const AVDictionary *texts, const agonyfs_texts *taker) {
    const AVDictionaryEntry *entry = NULL;
    while ((entry = av_dict_get(texts, "", entry, AV_DICT_IGNORE_SUFFIX)))
        taker->take(taker->context, entry->key, strlen(entry->key), entry->value, strlen(entry->value));
}

static const void *side_data(AVStream *stream, enum AVPacketSideDataType type, size_t least) {
    size_t size = 0;
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    const AVPacketSideData *data = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    if (!data) return NULL;
    size = data->size;
    return size >= least ? data->data : NULL;
#else
    const uint8_t *data = av_stream_get_side_data(stream, type, &size);
    return data && size >= least ? data : NULL;
#endif
}

// The EXIF orientation of a display matrix.
static int orientation(AVStream *stream) {
    int32_t matrix[9];
    const void *data = side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof matrix);
    if (!data) return 1;
    memcpy(matrix, data, sizeof matrix);
    int mirrored = (double)matrix[0] * matrix[4] - (double)matrix[1] * matrix[3] < 0;
    if (mirrored) av_display_matrix_flip(matrix, 1, 0);
    double counterclockwise = av_display_rotation_get(matrix);
    if (!isfinite(counterclockwise)) return 1;
    int quarters = ((int)lround(-counterclockwise / 90) % 4 + 4) % 4;
    static const int plain[] = {1, 6, 3, 8}, turned[] = {2, 7, 4, 5};
    return mirrored ? turned[quarters] : plain[quarters];
}

static int projection(AVStream *stream) {
    const AVSphericalMapping *sphere = side_data(stream, AV_PKT_DATA_SPHERICAL, sizeof *sphere);
    if (!sphere) return 0;
    return sphere->projection == AV_SPHERICAL_EQUIRECTANGULAR ? 1 : sphere->projection == AV_SPHERICAL_CUBEMAP ? 2 : 0;
}

static void describe(AVFormatContext *format, AVStream *stream, const agonyfs_texts *texts, agonyfs_video *video) {
    tell(format->metadata, texts);
    tell(stream->metadata, texts);
    snprintf(video->codec, sizeof video->codec, "%s", avcodec_get_name(stream->codecpar->codec_id));
    video->duration = format->duration > 0 ? (double)format->duration / AV_TIME_BASE : -1;
    AVRational rate = stream->avg_frame_rate;
    video->frame_rate = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
    video->orientation = orientation(stream);
    video->projection = projection(stream);
}

static agonyfs_outcome fail(int code) {
    static char reason[AV_ERROR_MAX_STRING_SIZE];
    if (av_strerror(code, reason, sizeof reason)) snprintf(reason, sizeof reason, "no frame");
    return (agonyfs_outcome){code == AVERROR(ENOMEM) ? AGONYFS_TOO_LARGE : AGONYFS_UNDECODABLE, reason};
}

// Bytes in memory while a frame is chosen, by the levels of codecs: the frames that a codec keeps, the best and the
// next frame, and the result. Codecs whose frames are independent keep one; the others at most 16, but only small
// ones: of the largest frames of a level, H.264 keeps 4, and H.265 and AV1 keep 6 to 8.
static int64_t memory_of(const AVStream *stream, int side) {
    const AVCodecParameters *shape = stream->codecpar;
    const AVCodecDescriptor *codec = avcodec_descriptor_get(shape->codec_id);
    int64_t frames = codec && codec->props & AV_CODEC_PROP_INTRA_ONLY ? 3 : 12;
    int64_t pixels = (int64_t)shape->width * shape->height;
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(shape->format);
    int64_t bits = format ? av_get_padded_bits_per_pixel(format) : 24;
    int longer = shape->width > shape->height ? shape->width : shape->height;
    // A reduced result is small compared with the frames.
    int64_t made = longer > side ? 0 : pixels * 6;
    return pixels * bits / 8 * frames + made;
}

static agonyfs_outcome read_stream(
    AVFormatContext *format, int side, int64_t most_pixels, const agonyfs_texts *texts, void (*admit)(int64_t),
    agonyfs_video *video) {
    int code = avformat_find_stream_info(format, NULL);
    if (code < 0) return fail(code);
    int number = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    if (number < 0 || format->streams[number]->disposition & AV_DISPOSITION_ATTACHED_PIC)
        return (agonyfs_outcome){AGONYFS_NO_VIDEO, ""};
    AVStream *stream = format->streams[number];
    for (unsigned i = 0; i < format->nb_streams; i++)
        if ((int)i != number) format->streams[i]->discard = AVDISCARD_ALL;
    describe(format, stream, texts, video);
    if ((int64_t)stream->codecpar->width * stream->codecpar->height > most_pixels)
        return (agonyfs_outcome){AGONYFS_TOO_LARGE, ""};
    if (side == 0) {
        AVRational aspect = av_guess_sample_aspect_ratio(format, stream, NULL);
        agonyfs_shape(stream->codecpar->width, stream->codecpar->height, aspect, video);
        return (agonyfs_outcome){AGONYFS_DONE, ""};
    }
    admit(memory_of(stream, side));
    const AVCodec *codec = avcodec_find_decoder(stream->codecpar->codec_id);
    AVCodecContext *decoder = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!decoder) return fail(AVERROR_DECODER_NOT_FOUND);
    code = avcodec_parameters_to_context(decoder, stream->codecpar);
    decoder->thread_count = 1;
    decoder->max_pixels = most_pixels;
    decoder->pkt_timebase = stream->time_base;
    decoder->codec_whitelist = av_strdup(decoders);
    if (code >= 0) code = avcodec_open2(decoder, codec, NULL);
    if (code >= 0) code = agonyfs_find_frame(format, stream, decoder, side, video);
    avcodec_free_context(&decoder);
    return code < 0 ? fail(code) : (agonyfs_outcome){AGONYFS_DONE, ""};
}

// A container that is read from an input.
struct container {
    AVFormatContext *format;
    AVIOContext *io;
};

// Reads its header. Returns 0 or an error of libav; the caller must close it in any case.
static int open_container(struct container *container, agonyfs_input *input, const char *name) {
    uint8_t *buffer = av_malloc(buffer_bytes);
    *container = (struct container){avformat_alloc_context(), NULL};
    if (buffer) container->io = avio_alloc_context(buffer, buffer_bytes, 0, input, read_some, NULL, seek);
    if (!container->io) av_free(buffer);
    AVFormatContext *format = container->format;
    if (!format || !container->io) return AVERROR(ENOMEM);
    format->pb = container->io;
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    format->io_open = refuse;
    format->max_streams = most_streams;
    format->codec_whitelist = av_strdup(decoders);
    format->protocol_whitelist = av_strdup("none");
    // On failure this frees the context.
    return avformat_open_input(&container->format, NULL, av_find_input_format(name), NULL);
}

static void close_container(struct container *container) {
    if (container->format) avformat_close_input(&container->format);
    if (!container->io) return;
    av_freep(&container->io->buffer);
    avio_context_free(&container->io);
}

agonyfs_outcome agonyfs_video_read(
    agonyfs_input *input, const char *format_name, int side, int64_t most_pixels, const agonyfs_texts *texts,
    void (*admit)(int64_t), agonyfs_video *video) {
    memset(video, 0, sizeof *video);
    struct container container;
    int code = open_container(&container, input, format_name);
    agonyfs_outcome outcome =
        code < 0 ? fail(code) : read_stream(container.format, side, most_pixels, texts, admit, video);
    close_container(&container);
    return outcome;
}

agonyfs_outcome agonyfs_cover_read(agonyfs_input *input, agonyfs_bytes *cover) {
    struct container container;
    int code = open_container(&container, input, "mp3");
    for (unsigned i = 0; code >= 0 && i < container.format->nb_streams; i++) {
        const AVStream *stream = container.format->streams[i];
        size_t count = (size_t)stream->attached_pic.size;
        if (!(stream->disposition & AV_DISPOSITION_ATTACHED_PIC) || stream->attached_pic.size <= 0) continue;
        cover->bytes = malloc(count);
        if (!cover->bytes) {
            code = AVERROR(ENOMEM);
            break;
        }
        memcpy(cover->bytes, stream->attached_pic.data, count);
        cover->count = count;
        break;
    }
    agonyfs_outcome outcome = code < 0 ? fail(code) : (agonyfs_outcome){AGONYFS_DONE, ""};
    close_container(&container);
    return outcome;
}
