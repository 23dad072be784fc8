#ifndef AGONYFS_DECODER_H
#define AGONYFS_DECODER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift cannot call: variadic functions of libvips, macros of libav, and system calls without a C function.

/// How the kernel confines this process.
typedef struct {
    /// The version of Landlock's interface; 0 if it does not confine the process.
    int32_t landlock;
    /// Whether system calls are filtered.
    int32_t seccomp;
    /// Whether its threads are bounded.
    int32_t threads;
} agonyfs_confinement;

/// Limits the process and gives up all rights for good: priority, core dumps, files, address space and processor time;
/// then new privileges, Landlock with no rights, and a filter of system calls. Landlock needs a process with one
/// thread. Returns what the kernel applied; steps that fail count as missing.
agonyfs_confinement agonyfs_confine(int with_landlock, int with_seccomp);

/// Has SIGXCPU end the process after this many more seconds of processor time; replaces the limit before.
void agonyfs_allow_processor_time(int seconds);

/// Starts a thread that ends the process, whatever it is doing, when nobody holds the other end of this socket any
/// more. Returns 0 or an error number.
int agonyfs_end_with(int socket);

/// What a decoder reads. `read` returns the number of bytes read at `offset`, 0 at the end, −1 on failure. `position`
/// is where a library reads next.
typedef struct {
    void *context;
    int64_t size;
    int64_t (*read)(void *context, int64_t offset, void *buffer, int64_t count);
    int64_t position;
} agonyfs_input;

/// Bytes from malloc(3), which the caller frees; NULL if there are none.
typedef struct {
    void *bytes;
    size_t count;
} agonyfs_bytes;

enum agonyfs_status {
    AGONYFS_DONE = 0,
    /// The content is damaged or of an unknown variant; the reason says more.
    AGONYFS_UNDECODABLE,
    /// More pixels than the caller allows.
    AGONYFS_TOO_LARGE,
    /// A container without moving pictures.
    AGONYFS_NO_VIDEO,
};

/// How a call ended. The reason is a text, and valid until the next call.
typedef struct {
    enum agonyfs_status status;
    const char *reason;
} agonyfs_outcome;

/// Starts libvips with only the needed loaders, and initialises everything that would read files on first use. Returns
/// 0 or −1.
int agonyfs_load_libraries(void);

/// The size of a picture as stored, its orientation (EXIF, 1 to 8), and its EXIF block.
typedef struct {
    int32_t width, height, orientation;
    agonyfs_bytes exif;
} agonyfs_header;

/// Reads only a picture's header. `header` gets the size even of a picture that is too large.
agonyfs_outcome agonyfs_picture_header(agonyfs_input *input, agonyfs_header *header);

/// JPEGs, upright, in sRGB, without metadata: those that are wanted, and what was made of them.
typedef struct {
    bool wants_small, wants_large;
    agonyfs_bytes small, large;
} agonyfs_derivatives;

/// Decodes a picture once and makes derivatives. `orientation` is the orientation to turn it by; 0 for the picture's
/// own.
agonyfs_outcome agonyfs_picture_derive(agonyfs_input *input, int orientation, agonyfs_derivatives *made);

/// The same from pixels of three bytes (red, green, blue).
agonyfs_outcome agonyfs_pixels_derive(
    const uint8_t *pixels, int width, int height, int orientation, agonyfs_derivatives *made);

/// Makes a PNG of a JPEG, at most `side` pixels on the longer side.
agonyfs_outcome agonyfs_make_png(const uint8_t *jpeg, size_t count, int side, agonyfs_bytes *png);

/// What a video says about itself, and one frame of it. Texts that it lacks are empty.
typedef struct {
    /// The size as shown: turned, and with square pixels.
    int32_t width, height;
    int32_t orientation;
    /// In seconds; negative if unknown.
    double duration;
    char codec[64], creation[64], local_creation[64], location[64], make[192], model[192];
    /// The frame, not yet turned, three bytes per pixel, from malloc(3).
    uint8_t *pixels;
    int32_t pixel_width, pixel_height;
} agonyfs_video;

/// Reads a video in the container `format` and finds a frame near its start that is neither dark nor of one shade. The
/// frame is reduced to at most `side` pixels on the longer side. Frames of more than `most_pixels` are refused.
agonyfs_outcome agonyfs_video_read(
    agonyfs_input *input, const char *format, int side, int64_t most_pixels, agonyfs_video *video);

#endif
