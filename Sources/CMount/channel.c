// Reading requests and writing replies in place of libfuse, for five things it does not do:
//
// 1. libfuse before 3.17 never sends FUSE_PARALLEL_DIROPS, so the kernel would serialise all lookups in a directory.
//    The flag is put into the reply to INIT, when the kernel offered it.
// 2. The threads are ours, and each may have its own channel.
// 3. The time of the last request is kept, so that an idle mount can unmount itself.
// 4. libfuse 3.14 does not know FUSE_HANDLE_KILLPRIV_V2. With it the kernel does not ask for a capability before each write; in return
//    the file system takes set-user-ID and set-group-ID bits away where the request says so. The flag is put into the reply to INIT, when
//    the kernel offered it, and what a request says of it is kept for the thread that serves it.
// 5. A program that does one small thing after the other waits longer for a thread to be woken than for its answer. Where the next request is
//    expected at once, the thread looks for it before it sleeps, on a channel on which reading does not wait: to ask first whether there is
//    something to read costs another system call for each request.

#define _GNU_SOURCE
#include "CMount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
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
static struct fuse_session *hooked;

// A channel on which reading does not wait, for the one thread that looks for the next request.
static int glance = -1;

// The thread's own channel, and the one that its last request came from, which the reply has to go to; negative for the shared one.
static _Thread_local int channel = -1;
static _Thread_local int answers = -1;
static _Thread_local bool clears_set_bits;
static _Thread_local bool is_small;
static _Thread_local bool expects;

// How long a thread looks for the next request: less than two wake-ups take.
enum { LOOK_NANOSECONDS = 30000 };
// The most bytes of a small read or write.
enum { SMALL_BYTES = 32768 };
// After so many requests of one process in a row it is taken to be the only one.
enum { ALONE = 8 };

static _Atomic uint32_t last_process;
static _Atomic uint32_t requests_in_a_row;

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

// Whether a request is one after which a file is no longer set-user-ID or set-group-ID. A change of attributes without any is what the kernel
// sends to have that done before a write, an allocation or a copy.
static bool says_to_clear(const struct fuse_in_header *header, size_t size) {
    if (!(init_agreement & FUSE_HANDLE_KILLPRIV_V2)) return false;
    const void *body = header + 1;
    size_t rest = size - sizeof *header;
    switch (header->opcode) {
        case FUSE_WRITE:
            return rest >= sizeof(struct fuse_write_in) &&
                   ((const struct fuse_write_in *)body)->write_flags & FUSE_WRITE_KILL_SUIDGID;
        case FUSE_OPEN:
            return rest >= sizeof(struct fuse_open_in) &&
                   ((const struct fuse_open_in *)body)->open_flags & FUSE_OPEN_KILL_SUIDGID;
        case FUSE_SETATTR: {
            if (rest < sizeof(struct fuse_setattr_in)) return false;
            uint32_t valid = ((const struct fuse_setattr_in *)body)->valid;
            bool changes_owner = valid & (FATTR_UID | FATTR_GID) && !(valid & FATTR_MODE);
            return valid & FATTR_KILL_SUIDGID || changes_owner || (valid & ~(FATTR_FH | FATTR_LOCKOWNER)) == 0;
        }
        default:
            return false;
    }
}

// Whether a request will most likely be answered in some microseconds: nothing that goes through a long list, moves many bytes, or waits for the
// disk, unless nobody else is there to wait meanwhile.
static bool says_to_be_small(const struct fuse_in_header *header, size_t size) {
    // What the kernel does by itself has no process.
    if (header->pid != 0) {
        bool is_same = atomic_exchange_explicit(&last_process, header->pid, memory_order_relaxed) == header->pid;
        uint32_t row = is_same ? atomic_load_explicit(&requests_in_a_row, memory_order_relaxed) : 0;
        if (row < ALONE || !is_same) {
            atomic_store_explicit(&requests_in_a_row, is_same ? row + 1 : 0, memory_order_relaxed);
        }
    }
    const void *body = header + 1;
    size_t rest = size - sizeof *header;
    switch (header->opcode) {
        case FUSE_READ:
            return rest >= sizeof(struct fuse_read_in) && ((const struct fuse_read_in *)body)->size <= SMALL_BYTES;
        case FUSE_WRITE:
            return rest <= SMALL_BYTES + sizeof(struct fuse_write_in);
        case FUSE_SETATTR:
            return rest >= sizeof(struct fuse_setattr_in) &&
                   !(((const struct fuse_setattr_in *)body)->valid & FATTR_SIZE);
        case FUSE_FSYNC:
        case FUSE_FSYNCDIR:
            return atomic_load_explicit(&requests_in_a_row, memory_order_relaxed) >= ALONE;
        case FUSE_LOOKUP:
        case FUSE_FORGET:
        case FUSE_GETATTR:
        case FUSE_READLINK:
        case FUSE_SYMLINK:
        case FUSE_MKNOD:
        case FUSE_MKDIR:
        case FUSE_UNLINK:
        case FUSE_RMDIR:
        case FUSE_RENAME:
        case FUSE_RENAME2:
        case FUSE_LINK:
        case FUSE_OPEN:
        case FUSE_CREATE:
        case FUSE_RELEASE:
        case FUSE_FLUSH:
        case FUSE_OPENDIR:
        case FUSE_RELEASEDIR:
        case FUSE_STATFS:
        case FUSE_SETXATTR:
        case FUSE_GETXATTR:
        case FUSE_LISTXATTR:
        case FUSE_REMOVEXATTR:
        case FUSE_ACCESS:
        case FUSE_LSEEK:
        case FUSE_IOCTL:
        case FUSE_INTERRUPT:
            return true;
        default:
            return false;
    }
}

// Reads a request; a negative number when there was none for a while. Whoever else wants the processor gets it.
static ssize_t look(void *buffer, size_t size) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        ssize_t count = read(glance, buffer, size);
        if (count >= 0 || errno != EAGAIN) return count;
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < LOOK_NANOSECONDS);
    return -1;
}

static ssize_t channel_read(int shared, void *buffer, size_t size, void *volume) {
    (void)volume;
    is_small = false;
    ssize_t count = -1;
    if (expects && glance >= 0) count = look(buffer, size);
    expects = false;
    answers = glance;
    if (count < 0) {
        answers = channel;
        count = read(channel >= 0 ? channel : shared, buffer, size);
    }
    if (count < (ssize_t)sizeof(struct fuse_in_header)) return count;
    const struct fuse_in_header *header = buffer;
    is_small = says_to_be_small(header, (size_t)count);
    if (is_use(header->opcode)) note_time();
    // Nothing but INIT passes before its reply, so one thread alone gets here.
    if (!atomic_load_explicit(&answered, memory_order_acquire) && header->opcode == FUSE_INIT &&
        count >= (ssize_t)(sizeof *header + offsetof(struct fuse_init_in, flags) + sizeof(uint32_t))) {
        const struct fuse_init_in *offer = (const void *)(header + 1);
        init_request = header->unique;
        init_offer = offer->flags;
    }
    clears_set_bits = says_to_clear(header, (size_t)count);
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
    return writev(answers >= 0 ? answers : shared, parts, count);
}

int agonyfs_session_hook(struct fuse_session *session) {
    static const struct fuse_custom_io io = {.read = channel_read, .writev = channel_write};
    init_request = 0;
    init_offer = 0;
    init_agreement = 0;
    atomic_store(&answered, false);
    hooked = session;
    note_time();
    return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

// A further channel of the session; negative when there is none.
static int further_channel(struct fuse_session *session, int flags) {
    int further = open("/dev/fuse", O_RDWR | O_CLOEXEC | flags);
    if (further < 0) return -1;
    uint32_t shared = (uint32_t)fuse_session_fd(session);
    if (ioctl(further, FUSE_DEV_IOC_CLONE, &shared) == 0) return further;
    close(further);
    return -1;
}

bool agonyfs_channel_clone(struct fuse_session *session) {
    channel = further_channel(session, 0);
    return channel >= 0;
}

void agonyfs_channel_drain(struct fuse_session *session) {
    int own = channel >= 0 ? channel : fuse_session_fd(session);
    fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK);
}

void agonyfs_channel_close(void) {
    if (channel >= 0) close(channel);
    channel = answers = -1;
}

void agonyfs_glance_open(struct fuse_session *session) {
    glance = further_channel(session, O_NONBLOCK);
}

void agonyfs_glance_close(void) {
    if (glance >= 0) close(glance);
    glance = -1;
}

bool agonyfs_request_is_small(void) {
    return is_small;
}

void agonyfs_channel_expect(void) {
    expects = true;
}

bool agonyfs_request_clears_set_bits(void) {
    return clears_set_bits;
}

void agonyfs_forget_attributes(fuse_ino_t inode) {
    // A negative offset leaves the cached pages alone, so no lock is waited for.
    if (hooked) fuse_lowlevel_notify_inval_inode(hooked, inode, -1, 0);
}

void agonyfs_forget_content(fuse_ino_t inode) {
    if (hooked) fuse_lowlevel_notify_inval_inode(hooked, inode, 0, 0);
}

void agonyfs_forget_name(fuse_ino_t parent, const char *name, size_t length) {
    if (hooked) fuse_lowlevel_notify_inval_entry(hooked, parent, name, length);
}

uint32_t agonyfs_session_flags(void) {
    return init_agreement;
}

int64_t agonyfs_last_request(void) {
    return atomic_load_explicit(&last_request, memory_order_relaxed);
}
