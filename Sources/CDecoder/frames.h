#ifndef AGONYFS_DECODER_FRAMES_H
#define AGONYFS_DECODER_FRAMES_H

#include "CDecoder.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/// Finds a frame near the start that is neither dark nor nearly uniform; stores its pixels and its size as shown.
/// Returns 0 or an error of libav.
int agonyfs_find_frame(
    AVFormatContext *format, AVStream *stream, AVCodecContext *decoder, int side, agonyfs_video *video);

/// Stores the size of a video as it is shown: with square pixels, and turned.
void agonyfs_shape(int stored_width, int stored_height, AVRational aspect, agonyfs_video *video);

#endif
