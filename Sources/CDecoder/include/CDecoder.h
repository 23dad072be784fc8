#ifndef AGONYFS_DECODER_H
#define AGONYFS_DECODER_H

#include <stdint.h>
#include <sys/types.h>

// What the decoder's Swift part cannot call itself: variadic functions of libvips, macros of libav, and system calls for
// which the C library has no function.

/// What the kernel confines this process with.
typedef struct {
    /// The version of Landlock's interface; 0 where there is none, or where it was not asked for.
    int32_t landlock;
    /// Whether system calls are filtered.
    int32_t seccomp;
} agonyfs_confinement;

/// Limits the process and gives up all rights, for ever: address space, processor time, files, core dumps, priority, then new
/// privileges, Landlock with nothing allowed, and a filter of system calls. The process must have one thread.
/// Gives what the kernel has of what was asked for; steps that fail count as missing.
agonyfs_confinement agonyfs_confine(int with_landlock, int with_seccomp);

/// Ends the process by SIGXCPU after this many more seconds of processor time, whatever was allowed before.
void agonyfs_allow_processor_time(int seconds);

/// Ends the process, in whatever it is, when nobody holds the other end of this socket any longer. Gives 0 or an error number.
int agonyfs_end_with(int socket);

/// Tries what a confined process must not be able to do; writes a line for each to standard output: its name, and "done" or the
/// name of the error.
void agonyfs_try_everything(void);

/// What a decoder reads: `read` gives the number of bytes at `offset`, 0 at the end, −1 on failure.
typedef struct {
    void *context;
    int64_t size;
    int64_t (*read)(void *context, int64_t offset, void *buffer, int64_t count);
} agonyfs_input;

/// Bytes from malloc(3), which the caller frees; NULL where there are none.
typedef struct {
    uint8_t *bytes;
    size_t count;
} agonyfs_bytes;

enum agonyfs_status {
    AGONYFS_DONE = 0,
    /// The content is damaged or of an unknown kind; the error text says more.
    AGONYFS_UNDECODABLE,
    /// More pixels than the caller allows.
    AGONYFS_TOO_LARGE,
    /// A container without moving pictures.
    AGONYFS_NO_VIDEO,
};

/// Starts libvips with the loaders that are needed and no others, and everything that reads files on first use.
/// Gives 0, or −1.
int agonyfs_load_libraries(void);

/// The size of a picture as stored, how it is to be turned (EXIF, 1 to 8), and its EXIF block.
typedef struct {
    int32_t width, height, orientation;
    agonyfs_bytes exif;
} agonyfs_header;

/// Reads a picture's header only. `error` gets a text on failure; a picture that is too large has its size in `header` all the same.
enum agonyfs_status agonyfs_picture_header(
    const agonyfs_input *input, agonyfs_header *header, char *error, size_t error_size);

/// Decodes a picture once and makes JPEGs of it, upright, in sRGB, without metadata.
///
/// `orientation` is what to turn it by, 0 for what the picture itself says. A derivative is made where its pointer is not NULL.
enum agonyfs_status agonyfs_picture_derive(
    const agonyfs_input *input, int orientation, agonyfs_bytes *small, agonyfs_bytes *large, char *error,
    size_t error_size);

/// The same from pixels of three bytes (red, green, blue).
enum agonyfs_status agonyfs_pixels_derive(
    const uint8_t *pixels, int width, int height, int orientation, agonyfs_bytes *small, agonyfs_bytes *large,
    char *error, size_t error_size);

/// Makes a PNG of a JPEG, at most `side` pixels on the longer side.
enum agonyfs_status agonyfs_make_png(
    const uint8_t *jpeg, size_t count, int side, agonyfs_bytes *png, char *error, size_t error_size);

/// What a video says about itself, and one frame of it. Texts are empty where it says nothing.
typedef struct {
    /// As it is shown: turned, and with square pixels.
    int32_t width, height;
    int32_t orientation;
    /// In seconds; negative where it is unknown.
    double duration;
    char codec[64], creation[64], local_creation[64], location[64], make[192], model[192];
    /// The frame, not turned yet, three bytes a pixel, from malloc(3).
    uint8_t *pixels;
    int32_t pixel_width, pixel_height;
} agonyfs_video;

/// Reads a video of the container `format` and finds a frame near its start that is not dark, at most `side` pixels on the longer
/// side, from pictures of at most `most_pixels`.
enum agonyfs_status agonyfs_video_read(
    const agonyfs_input *input, const char *format, int side, int64_t most_pixels, agonyfs_video *video, char *error,
    size_t error_size);

#endif
