#ifndef AGONYFS_STORE_H
#define AGONYFS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions that Swift cannot call: variadic functions of libcurl, callbacks of expat, and system calls without a C
// function.

/// Prepares the process before it reads anything: no tracing, no core dumps, no end by SIGPIPE; then libcurl, which
/// must be the first to use OpenSSL. Returns 0 or a nonzero number.
int agonyfs_store_prepare(void);

/// How the kernel confines this process.
typedef struct {
    /// The version of Landlock's interface; 0 if it does not confine the process.
    int32_t landlock;
    /// Whether system calls are filtered.
    int32_t seccomp;
} agonyfs_store_confinement;

/// Gives up all rights for good, except those on open descriptors and TCP connections to one port: no files, no other
/// sockets, no processes, no threads, no new code. Needs a process with one thread. A step that the kernel cannot take
/// counts as missing.
agonyfs_store_confinement agonyfs_store_confine(uint16_t port);

/// Most bytes of an entry that `agonyfs_store_resolve` makes.
enum { AGONYFS_RESOLVED_BYTES = 2048 };

/// Looks up a name, and writes an entry for `agonyfs_connection_options.resolved`; the empty text for an IP address.
/// Returns 0, or a nonzero number if the name has no address.
int agonyfs_store_resolve(const char *host, uint16_t port, char *entry);

/// A connection to a server, kept open between requests.
typedef struct agonyfs_connection agonyfs_connection;

typedef struct {
    /// The certificates of trusted authorities in PEM, copied.
    const void *certificates;
    size_t certificate_bytes;
    /// The addresses of the server, in the form of CURLOPT_RESOLVE; empty if the server's name is an IP address.
    const char *resolved;
    /// Seconds without progress after which a request fails, and seconds that connecting may take.
    uint32_t stall_seconds, connect_seconds;
    /// A request fails if fewer than `least_rate` bytes per second pass, on average, in `rate_seconds` seconds, which are
    /// counted one after another.
    uint32_t rate_seconds, least_rate;
} agonyfs_connection_options;

/// A connection, which is opened by its first request; NULL without memory.
agonyfs_connection *agonyfs_connection_new(const agonyfs_connection_options *options);

/// Closes a connection.
void agonyfs_connection_free(agonyfs_connection *connection);

/// A request. The headers are lines without their ends; `host` is one of them.
typedef struct {
    const char *method;
    const char *url;
    const char *const *headers;
    size_t header_count;
    /// Bytes of the body of PUT.
    size_t body_count;
    /// Writes `count` bytes of the body from `start` on into a buffer: at most 256 KiB. It is called in order, and again
    /// from the first byte on if the body has to be sent twice.
    void (*read_body)(void *context, size_t start, void *buffer, size_t count);
    /// Most bytes of the reply's body.
    size_t most;
    /// Called now and then with the bytes that were sent and received so far; a value other than 0 ends the request.
    int (*progress)(void *context, int64_t bytes);
    void *context;
} agonyfs_request;

enum agonyfs_transport {
    /// A whole reply came.
    AGONYFS_REPLIED = 0,
    AGONYFS_UNREACHABLE,
    AGONYFS_UNTRUSTED,
    /// The connection ended, stood still or was too slow.
    AGONYFS_INTERRUPTED,
    /// The reply is not one of HTTP, or too long; the reason gives details.
    AGONYFS_BROKEN,
};

/// A header that occurs twice with different values makes the reply broken. Texts are empty without the header.
typedef struct {
    enum agonyfs_transport transport;
    /// Whether the server may have got the request.
    int32_t was_sent;
    int32_t status;
    /// The value of Content-Length; −1 without one.
    int64_t length;
    char date[64], entity_tag[136], content_range[72], region[72], checksum[72], request_identifier[136];
    /// A text of libcurl's, which is not about this request.
    const char *reason;
    /// From malloc(3), to be freed by the caller.
    void *body;
    size_t body_count;
} agonyfs_reply;

/// Sends a request and receives the reply. No redirect is followed, and no proxy, cookie or file with passwords is used.
void agonyfs_connection_exchange(
    agonyfs_connection *connection, const agonyfs_request *request, agonyfs_reply *reply);

/// Most bytes of the text of an element.
enum { AGONYFS_XML_TEXT_BYTES = 4096 };

/// Reads XML in UTF-8. Calls `element` at the end of each element: its path, such as "ListBucketResult/Contents/Key",
/// and its text. Returns 0, or a nonzero number unless it is one well-formed document without a document type (so
/// without entities), at most 8 elements deep, with at most 20,000 elements, names of at most 64 bytes and bounded
/// texts.
int agonyfs_store_read_xml(
    const void *bytes, size_t count, void *context,
    void (*element)(void *context, const char *path, const char *text, size_t text_count));

/// Whether the other end of a pipe or a socket is closed.
bool agonyfs_store_is_closed(int descriptor);

#endif
