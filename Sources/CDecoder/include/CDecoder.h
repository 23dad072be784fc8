#ifndef AGONYFS_DECODER_H
#define AGONYFS_DECODER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Functions that Swift cannot call: variadic functions of libvips, macros of libav, and system calls without a C
// function.

/// How the kernel confines this process.
typedef struct {
    /// The version of Landlock's interface; 0 if it does not confine the process.
    int32_t landlock;
    /// Whether system calls are filtered.
    int32_t seccomp;
    /// Whether its threads are bounded.
    int32_t threads;
} agonyfs_confinement;

/// Makes programs of other sessions go first, for the whole session of this process. Call it before its rights are given
/// up.
void agonyfs_lower_session(void);

/// Limits the process and gives up all rights for good: priority, core dumps, files, address space and processor time;
/// then new privileges, Landlock with no rights, and a filter of system calls. Landlock needs a process with one
/// thread. Returns what the kernel applied; steps that fail count as missing.
agonyfs_confinement agonyfs_confine(int with_landlock, int with_seccomp);

/// Makes SIGXCPU end the process after this many more seconds of processor time; replaces the limit before.
void agonyfs_allow_processor_time(int seconds);

/// Starts a thread that ends the process, even during a job, when the other end of this socket is closed by all its
/// holders. Returns 0 or an error number.
int agonyfs_end_with(int socket);

/// The input of a decoder. `read` returns the number of bytes read at `offset`, 0 at the end, −1 on failure.
/// `position` is the offset at which a library reads next.
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
    /// The content is damaged or of an unknown variant; the reason gives details.
    AGONYFS_UNDECODABLE,
    /// More pixels than the caller allows.
    AGONYFS_TOO_LARGE,
    /// A container without moving pictures.
    AGONYFS_NO_VIDEO,
};

/// How a call ended. The reason is a text, valid until the next call.
typedef struct {
    enum agonyfs_status status;
    const char *reason;
} agonyfs_outcome;

/// Starts libvips with only the needed loaders, and initialises everything that would read files on first use. Returns
/// 0 or −1.
int agonyfs_load_libraries(void);

/// The size of a picture as stored, its orientation (EXIF, 1 to 8), and its blocks of metadata.
typedef struct {
    int32_t width, height, orientation;
    /// Bytes in memory while it is decoded, at most; and in addition those of its pixels, if all are kept.
    int64_t memory, whole_memory;
    agonyfs_bytes exif, xmp, iptc;
} agonyfs_header;

/// Reads only a picture's header. `header` gets the size even of a picture that is too large.
agonyfs_outcome agonyfs_picture_header(agonyfs_input *input, agonyfs_header *header);

/// JPEGs, upright, in sRGB, without metadata: the wanted sizes, and the results. `may_lack_large` leaves out the
/// large one if a thumbnail in the file suffices for the small one, so that the picture itself is not decoded.
typedef struct {
    bool wants_small, wants_large, may_lack_large;
    agonyfs_bytes small, large;
} agonyfs_derivatives;

/// Decodes a picture once and makes derivatives. `orientation` is the orientation to turn it by; 0 for the picture's
/// own.
agonyfs_outcome agonyfs_picture_derive(agonyfs_input *input, int orientation, agonyfs_derivatives *made);

/// As above, from pixels of three bytes (red, green, blue).
agonyfs_outcome agonyfs_pixels_derive(
    const uint8_t *pixels, int width, int height, int orientation, agonyfs_derivatives *made);

/// Makes a PNG of a JPEG, at most `side` pixels on the longer side.
agonyfs_outcome agonyfs_make_png(const uint8_t *jpeg, size_t count, int side, agonyfs_bytes *png);

/// Makes a JPEG of the whole picture; `orientation` as above. `side` is the most pixels on the longer side; 0 for no
/// limit.
agonyfs_outcome agonyfs_picture_full(agonyfs_input *input, int orientation, int side, agonyfs_bytes *made);

/// As above, from pixels of three bytes (red, green, blue), upright.
agonyfs_outcome agonyfs_pixels_full(const uint8_t *pixels, int width, int height, agonyfs_bytes *made);

/// SHA-256 of the colour profile, the shape and all pixels of an upright picture. Fails for a file with several
/// pictures.
agonyfs_outcome agonyfs_picture_digest(agonyfs_input *input, uint8_t digest[32]);

/// The look of a picture: its mean colour, and a bit for each pair of neighbours among 9 × 8 parts, 1 if the left one
/// is brighter, row by row.
typedef struct {
    uint8_t colour[3];
    uint64_t hash;
} agonyfs_look;

/// Computes the look of a derivative with at most `side` pixels on a side.
agonyfs_outcome agonyfs_look_at(const uint8_t *jpeg, size_t count, int side, agonyfs_look *look);

/// Takes the findings of a library: a name and a text, valid only during the call.
typedef struct {
    void *context;
    void (*take)(void *context, const char *key, size_t key_count, const void *value, size_t value_count);
} agonyfs_texts;

/// Reads XMP: paths and values. Returns whether it is XMP.
int agonyfs_xmp_read(const void *packet, size_t count, const agonyfs_texts *texts);

/// Reads IPTC, or Photoshop's block that contains it: two bytes, record and dataset, and the bytes of the text.
void agonyfs_iptc_read(const uint8_t *block, size_t count, const agonyfs_texts *texts);

/// The facts of a video, and one frame of it.
typedef struct {
    /// The size as shown: turned, and with square pixels.
    int32_t width, height;
    int32_t orientation;
    /// In seconds; negative if unknown.
    double duration;
    char codec[64];
    /// Frames in a second; 0 if unknown.
    double frame_rate;
    /// Its projection if it shows all directions: 1 for equirectangular, 2 for a cube; otherwise 0.
    int32_t projection;
    /// The frame, not yet turned, three bytes per pixel, from malloc(3).
    uint8_t *pixels;
    int32_t pixel_width, pixel_height;
} agonyfs_video;

/// Reads a video in the container `format` and finds a frame near its start that is neither dark nor nearly uniform.
/// The frame is reduced to at most `side` pixels on the longer side. Frames of more than `most_pixels` are refused.
/// If `side` is 0, no frame is decoded. `texts` gets the container's metadata. Before the search for a frame, `admit`
/// gets the bytes of memory that it may need, and returns when they are granted.
agonyfs_outcome agonyfs_video_read(
    agonyfs_input *input, const char *format, int side, int64_t most_pixels, const agonyfs_texts *texts,
    void (*admit)(int64_t memory), agonyfs_video *video);

/// Finds the picture in the tag of an MP3: the bytes of a JPEG, a PNG or another format; empty if there is none.
agonyfs_outcome agonyfs_cover_read(agonyfs_input *input, agonyfs_bytes *cover);

/// Unpacks a deflate stream.
typedef struct agonyfs_inflater agonyfs_inflater;

enum agonyfs_inflation {
    AGONYFS_INFLATING = 0,
    /// The stream has ended.
    AGONYFS_INFLATED,
    AGONYFS_NOT_DEFLATED,
};

/// A stream without a header (RFC 1951); NULL if memory runs out.
agonyfs_inflater *agonyfs_inflate_start(void);

/// Unpacks from `from` to `to`. `count` and `room` are set to the bytes that were used and made.
enum agonyfs_inflation agonyfs_inflate(
    agonyfs_inflater *inflater, const uint8_t *from, uint32_t *count, uint8_t *to, uint32_t *room);

/// Frees it; NULL is allowed.
void agonyfs_inflate_end(agonyfs_inflater *inflater);

/// The CRC-32 of bytes that follow those whose CRC-32 is `before`; that of no bytes is 0.
uint32_t agonyfs_crc32(uint32_t before, const uint8_t *bytes, size_t count);

/// A tar archive, packed by gzip, bzip2, xz or not at all, that is read from its start to its end.
typedef struct agonyfs_tar agonyfs_tar;

/// An entry's header in a tar; the texts are valid until the next entry.
typedef struct {
    const char *path, *target;
    int64_t size, seconds, nanoseconds;
    /// As in `st_mode`; 0 if it is not stated.
    uint32_t type;
    bool is_hard_link, has_size, has_time;
} agonyfs_archive_entry;

enum agonyfs_archive_step {
    AGONYFS_ARCHIVE_MORE = 0,
    /// Everything was read: the archive to its end, or the entry.
    AGONYFS_ARCHIVE_END,
    /// For the reason that `agonyfs_tar_reason` returns. Nothing more can be read.
    AGONYFS_ARCHIVE_DAMAGED,
};

/// Opens an archive; NULL if it is not one. The input must stay valid until the archive is closed.
agonyfs_tar *agonyfs_tar_open(agonyfs_input *input);

/// Finds the next entry.
enum agonyfs_archive_step agonyfs_tar_next(agonyfs_tar *tar, agonyfs_archive_entry *entry);

/// Reads the next bytes of the entry; `count` is set to their number. It is less than `room` only at the entry's end.
enum agonyfs_archive_step agonyfs_tar_read(agonyfs_tar *tar, uint8_t *buffer, size_t room, size_t *count);

/// Whether all of an entry must be read to reach the next.
bool agonyfs_tar_is_packed(agonyfs_tar *tar);

/// Why it is damaged.
const char *agonyfs_tar_reason(agonyfs_tar *tar);

/// The last oddity in a header; empty if there was none.
const char *agonyfs_tar_warning(agonyfs_tar *tar);

/// Frees it; NULL is allowed.
void agonyfs_tar_close(agonyfs_tar *tar);

#endif
