#include "CStore.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct agonyfs_connection {
    CURL *curl;
    struct curl_slist *resolved;
    uint32_t rate_seconds, least_rate;
};

// The request that is being carried out.
struct exchange {
    const agonyfs_connection *connection;
    const agonyfs_request *request;
    agonyfs_reply *reply;
    size_t sent;
    size_t room;
    // Why a callback ended the exchange.
    const char *broken;
    // The time and the bytes from which the rate is counted.
    int64_t counted_time, counted_bytes;
};

static size_t send_body(char *buffer, size_t size, size_t count, void *context) {
    struct exchange *exchange = context;
    const agonyfs_request *request = exchange->request;
    size_t rest = request->body_count - exchange->sent;
    size_t wanted = size * count < rest ? size * count : rest;
    if (wanted > 0) request->read_body(request->context, exchange->sent, buffer, wanted);
    exchange->sent += wanted;
    return wanted;
}

// libcurl sends a body again if a connection that it kept was closed before the request arrived.
static int seek_body(void *context, curl_off_t offset, int origin) {
    struct exchange *exchange = context;
    if (origin != SEEK_SET || offset < 0 || (size_t)offset > exchange->request->body_count) return CURL_SEEKFUNC_FAIL;
    exchange->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *context) {
    struct exchange *exchange = context;
    agonyfs_reply *reply = exchange->reply;
    size_t more = size * count;
    if (more > exchange->request->most - reply->body_count) {
        exchange->broken = "a body that is too long";
        return 0;
    }
    if (reply->body_count + more > exchange->room) {
        size_t room = exchange->room * 2 > reply->body_count + more ? exchange->room * 2 : reply->body_count + more;
        void *larger = realloc(reply->body, room);
        if (!larger) {
            exchange->broken = "no memory for the body";
            return 0;
        }
        reply->body = larger;
        exchange->room = room;
    }
    memcpy((char *)reply->body + reply->body_count, bytes, more);
    reply->body_count += more;
    return more;
}

// Keeps the value of a header line if it has this name. Returns 0 if the header had another value before.
static int keep(const char *line, size_t count, const char *name, char *value, size_t room) {
    size_t name_count = strlen(name);
    if (count <= name_count || strncasecmp(line, name, name_count) != 0 || line[name_count] != ':') return 1;
    const char *start = line + name_count + 1, *end = line + count;
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r' || end[-1] == '\n')) end--;
    size_t value_count = (size_t)(end - start);
    if (value_count >= room || memchr(start, 0, value_count)) return 0;
    if (value[0] != 0 && (strlen(value) != value_count || memcmp(value, start, value_count) != 0)) return 0;
    memcpy(value, start, value_count);
    value[value_count] = 0;
    return 1;
}

static size_t receive_header(char *line, size_t size, size_t count, void *context) {
    struct exchange *exchange = context;
    agonyfs_reply *reply = exchange->reply;
    size_t bytes = size * count;
    // A reply begins; one of status 100 may have come before.
    if (bytes >= 5 && memcmp(line, "HTTP/", 5) == 0) {
        reply->date[0] = reply->entity_tag[0] = reply->content_range[0] = 0;
        reply->region[0] = reply->checksum[0] = reply->request_identifier[0] = 0;
        return bytes;
    }
    if (keep(line, bytes, "date", reply->date, sizeof reply->date) &&
        keep(line, bytes, "etag", reply->entity_tag, sizeof reply->entity_tag) &&
        keep(line, bytes, "content-range", reply->content_range, sizeof reply->content_range) &&
        keep(line, bytes, "x-amz-bucket-region", reply->region, sizeof reply->region) &&
        keep(line, bytes, "x-amz-checksum-sha256", reply->checksum, sizeof reply->checksum) &&
        keep(line, bytes, "x-amz-request-id", reply->request_identifier, sizeof reply->request_identifier))
        return bytes;
    exchange->broken = "headers that contradict each other";
    return 0;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// libcurl has one such limit, which is used for a standstill. A server that sends single bytes never stands still.
static int is_too_slow(struct exchange *exchange, int64_t bytes) {
    const agonyfs_connection *connection = exchange->connection;
    int64_t now = milliseconds();
    if (now - exchange->counted_time < (int64_t)connection->rate_seconds * 1000) return 0;
    int64_t passed = bytes - exchange->counted_bytes;
    exchange->counted_time = now;
    exchange->counted_bytes = bytes;
    return passed < (int64_t)connection->rate_seconds * connection->least_rate;
}

static int tell_progress(void *context, curl_off_t all_down, curl_off_t down, curl_off_t all_up, curl_off_t up) {
    (void)all_down, (void)all_up;
    struct exchange *exchange = context;
    int64_t bytes = (int64_t)down + (int64_t)up;
    if (is_too_slow(exchange, bytes)) return 1;
    return exchange->request->progress(exchange->request->context, bytes);
}

agonyfs_connection *agonyfs_connection_new(const agonyfs_connection_options *options) {
    agonyfs_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->rate_seconds = options->rate_seconds;
    connection->least_rate = options->least_rate;
    CURL *curl = connection->curl = curl_easy_init();
    if (options->resolved[0]) connection->resolved = curl_slist_append(NULL, options->resolved);
    struct curl_blob certificates = {
        (void *)options->certificates, options->certificate_bytes, CURL_BLOB_COPY,
    };
    CURLcode failed = curl ? CURLE_OK : CURLE_OUT_OF_MEMORY;
#define SET(option, value) (failed = failed ? failed : curl_easy_setopt(curl, option, value))
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    // The paths that libcurl was built with cannot be read any more.
    SET(CURLOPT_CAINFO, NULL);
    SET(CURLOPT_CAPATH, NULL);
    if (options->certificate_bytes > 0) SET(CURLOPT_CAINFO_BLOB, &certificates);
    SET(CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    if (options->resolved[0]) SET(CURLOPT_RESOLVE, connection->resolved);
    SET(CURLOPT_CONNECTTIMEOUT, (long)options->connect_seconds);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, (long)options->stall_seconds);
    SET(CURLOPT_MAXCONNECTS, 1L);
    SET(CURLOPT_MAXAGE_CONN, 30L);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_BUFFERSIZE, 256L << 10);
    SET(CURLOPT_UPLOAD_BUFFERSIZE, 256L << 10);
    SET(CURLOPT_READFUNCTION, send_body);
    SET(CURLOPT_SEEKFUNCTION, seek_body);
    SET(CURLOPT_WRITEFUNCTION, receive_body);
    SET(CURLOPT_HEADERFUNCTION, receive_header);
    SET(CURLOPT_XFERINFOFUNCTION, tell_progress);
    SET(CURLOPT_NOPROGRESS, 0L);
#undef SET
    if (!failed && (!options->resolved[0] || connection->resolved)) return connection;
    agonyfs_connection_free(connection);
    return NULL;
}

void agonyfs_connection_free(agonyfs_connection *connection) {
    if (!connection) return;
    curl_easy_cleanup(connection->curl);
    curl_slist_free_all(connection->resolved);
    free(connection);
}

static enum agonyfs_transport transport(CURLcode code, int was_sent) {
    switch (code) {
    case CURLE_OK: return AGONYFS_REPLIED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return AGONYFS_UNREACHABLE;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR: return AGONYFS_UNTRUSTED;
    case CURLE_OPERATION_TIMEDOUT: return was_sent ? AGONYFS_INTERRUPTED : AGONYFS_UNREACHABLE;
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_ABORTED_BY_CALLBACK: return AGONYFS_INTERRUPTED;
    default: return AGONYFS_BROKEN;
    }
}

void agonyfs_connection_exchange(
    agonyfs_connection *connection, const agonyfs_request *request, agonyfs_reply *reply
) {
    memset(reply, 0, sizeof *reply);
    reply->length = -1;
    struct exchange exchange = {connection, request, reply, 0, 0, NULL, milliseconds(), 0};
    CURL *curl = connection->curl;
    int is_put = strcmp(request->method, "PUT") == 0, is_head = strcmp(request->method, "HEAD") == 0;
    struct curl_slist *lines = NULL;
    CURLcode failed = CURLE_OK;
    // libcurl adds these unless they are given without a value.
    static const char *const none[] = {"Accept:", "Expect:", "User-Agent:", "Content-Type:"};
    for (size_t place = 0; place < 4 + request->header_count && !failed; place++) {
        const char *line = place < 4 ? none[place] : request->headers[place - 4];
        if (place == 3 && is_put) continue;
        struct curl_slist *more = curl_slist_append(lines, line);
        if (more) lines = more;
        else failed = CURLE_OUT_OF_MEMORY;
    }
#define SET(option, value) (failed = failed ? failed : curl_easy_setopt(curl, option, value))
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_HTTPHEADER, lines);
    // The order matters: each of these changes the method.
    SET(CURLOPT_CUSTOMREQUEST, NULL);
    SET(CURLOPT_UPLOAD, 0L);
    SET(CURLOPT_NOBODY, 0L);
    SET(CURLOPT_HTTPGET, 1L);
    if (is_put) SET(CURLOPT_UPLOAD, 1L);
    if (is_head) SET(CURLOPT_NOBODY, 1L);
    if (strcmp(request->method, "DELETE") == 0) SET(CURLOPT_CUSTOMREQUEST, "DELETE");
    SET(CURLOPT_INFILESIZE_LARGE, is_put ? (curl_off_t)request->body_count : (curl_off_t)-1);
    SET(CURLOPT_READDATA, &exchange);
    SET(CURLOPT_SEEKDATA, &exchange);
    SET(CURLOPT_WRITEDATA, &exchange);
    SET(CURLOPT_HEADERDATA, &exchange);
    SET(CURLOPT_XFERINFODATA, &exchange);
#undef SET
    int could_begin = !failed;
    if (could_begin) failed = curl_easy_perform(curl);
    long sent = 0, status = 0;
    curl_off_t length = -1;
    if (could_begin) {
        curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &sent);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    }
    // The structures above end with this call.
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(lines);
    reply->was_sent = sent > 0;
    reply->status = (int32_t)status;
    reply->length = (int64_t)length;
    reply->transport = exchange.broken ? AGONYFS_BROKEN : transport(failed, reply->was_sent);
    reply->reason = exchange.broken ? exchange.broken : curl_easy_strerror(failed);
}
