#ifndef AGONYFS_DECODER_FRAMES_H
#define AGONYFS_DECODER_FRAMES_H

#include "CDecoder.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/// Finds a frame near the start that is not dark, and gives its pixels and its size as shown. Gives 0 or an error of libav.
int agonyfs_find_frame(
    AVFormatContext *format, AVStream *stream, AVCodecContext *decoder, int side, agonyfs_video *video);

#endif
