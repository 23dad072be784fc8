// Reads requests and writes replies instead of libfuse, for three purposes that libfuse does not serve:
//
// 1. libfuse before 3.17 never sends FUSE_PARALLEL_DIROPS, so the kernel would serialise all lookups in a directory. If
//    the kernel offers the flag, it is added to the reply to INIT.
// 2. libfuse 3.14 does not know FUSE_HANDLE_KILLPRIV_V2. With it the kernel does not ask for a capability before each
//    write; instead the file system clears set-user-ID and set-group-ID bits when a request says so. If the kernel
//    offers the flag, it is added to the reply to INIT.
// 3. Threads of agonyfs read requests, from several channels. A reply must go to the channel of its request.

#define _GNU_SOURCE
#include "CMount.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic bool answered;
static uint64_t init_request;
static uint32_t init_offer;
static uint32_t init_agreement;

// The channel for the replies of the calling thread; negative for the session's first one. libfuse does not pass to
// `channel_write` which request it answers.
static _Thread_local int reply_channel = -1;

// Only INIT is read here, and until the reply to it only one thread reads.
static ssize_t channel_read(int shared, void *buffer, size_t size, void *volume) {
    (void)volume;
    ssize_t count = read(shared, buffer, size);
    const struct fuse_in_header *header = buffer;
    if (count >= (ssize_t)(sizeof *header + offsetof(struct fuse_init_in, flags) + sizeof(uint32_t)) &&
        header->opcode == FUSE_INIT) {
        const struct fuse_init_in *offer = (const void *)(header + 1);
        init_request = header->unique;
        init_offer = offer->flags;
    }
    return count;
}

static ssize_t channel_write(int shared, struct iovec *parts, int count, void *volume) {
    (void)volume;
    if (!atomic_load_explicit(&answered, memory_order_acquire) && count == 2 &&
        parts[0].iov_len == sizeof(struct fuse_out_header) &&
        parts[1].iov_len >= offsetof(struct fuse_init_out, flags) + sizeof(uint32_t)) {
        const struct fuse_out_header *header = parts[0].iov_base;
        struct fuse_init_out *reply = parts[1].iov_base;
        if (header->unique == init_request && header->error == 0 && reply->major == FUSE_KERNEL_VERSION) {
            reply->flags |= init_offer & (FUSE_PARALLEL_DIROPS | FUSE_HANDLE_KILLPRIV_V2);
            init_agreement = reply->flags;
            atomic_store_explicit(&answered, true, memory_order_release);
        }
    }
    return writev(reply_channel >= 0 ? reply_channel : shared, parts, count);
}

int agonyfs_session_hook(struct fuse_session *session) {
    static const struct fuse_custom_io io = {.read = channel_read, .writev = channel_write};
    init_request = 0;
    init_offer = 0;
    init_agreement = 0;
    atomic_store(&answered, false);
    return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

uint32_t agonyfs_session_flags(void) {
    return init_agreement;
}

int agonyfs_channel_open(int shared, bool blocks) {
    int further = open("/dev/fuse", O_RDWR | O_CLOEXEC | (blocks ? 0 : O_NONBLOCK));
    if (further < 0) return -1;
    uint32_t number = (uint32_t)shared;
    if (ioctl(further, FUSE_DEV_IOC_CLONE, &number) == 0) return further;
    close(further);
    return -1;
}

void agonyfs_channel_reply_to(int channel) {
    reply_channel = channel;
}

int agonyfs_channel_of_reply(void) {
    return reply_channel;
}
