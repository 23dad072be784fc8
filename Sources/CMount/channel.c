// Reading requests and writing replies in place of libfuse, for three things it does not do:
//
// 1. libfuse before 3.17 never sends FUSE_PARALLEL_DIROPS, so the kernel would serialise all lookups in a directory.
//    The flag is put into the reply to INIT, when the kernel offered it.
// 2. The threads are ours, and each may have its own channel.
// 3. The time of the last request is kept, so that an idle mount can unmount itself.

#define _GNU_SOURCE
#include "CMount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t last_request;
static _Atomic bool answered;
static uint64_t init_request;
static uint32_t init_offer;
static uint32_t init_agreement;

static _Thread_local int channel = -1;

// What a file manager asks of an open window, and what the kernel says by itself, is no use of the mount.
static bool is_use(uint32_t operation) {
    switch (operation) {
        case FUSE_FORGET:
        case FUSE_BATCH_FORGET:
        case FUSE_INTERRUPT:
        case FUSE_STATFS:
        case FUSE_DESTROY:
            return false;
        default:
            return true;
    }
}

static void note_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    atomic_store_explicit(&last_request, now.tv_sec, memory_order_relaxed);
}

static ssize_t channel_read(int shared, void *buffer, size_t size, void *volume) {
    (void)volume;
    ssize_t count = read(channel >= 0 ? channel : shared, buffer, size);
    if (count < (ssize_t)sizeof(struct fuse_in_header)) return count;
    const struct fuse_in_header *header = buffer;
    if (is_use(header->opcode)) note_time();
    // Nothing but INIT passes before its reply, so one thread alone gets here.
    if (!atomic_load_explicit(&answered, memory_order_acquire) && header->opcode == FUSE_INIT &&
        count >= (ssize_t)(sizeof *header + offsetof(struct fuse_init_in, flags) + sizeof(uint32_t))) {
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
            reply->flags |= init_offer & FUSE_PARALLEL_DIROPS;
            init_agreement = reply->flags;
            atomic_store_explicit(&answered, true, memory_order_release);
        }
    }
    return writev(channel >= 0 ? channel : shared, parts, count);
}

int agonyfs_session_hook(struct fuse_session *session) {
    static const struct fuse_custom_io io = {.read = channel_read, .writev = channel_write};
    init_request = 0;
    init_offer = 0;
    init_agreement = 0;
    atomic_store(&answered, false);
    note_time();
    return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

bool agonyfs_channel_clone(struct fuse_session *session) {
    int own = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (own < 0) return false;
    uint32_t shared = (uint32_t)fuse_session_fd(session);
    if (ioctl(own, FUSE_DEV_IOC_CLONE, &shared) != 0) {
        close(own);
        return false;
    }
    channel = own;
    return true;
}

void agonyfs_channel_close(void) {
    if (channel >= 0) close(channel);
    channel = -1;
}

uint32_t agonyfs_session_flags(void) {
    return init_agreement;
}

int64_t agonyfs_last_request(void) {
    return atomic_load_explicit(&last_request, memory_order_relaxed);
}
