#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The room for one descriptor beside a message.
union room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int agonyfs_request_fork(int template, int given) {
    char byte = 0;
    struct iovec part = {&byte, 1};
    union room room = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof given);
    memcpy(CMSG_DATA(header), &given, sizeof given);
    ssize_t count;
    do count = sendmsg(template, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count == 1 ? 0 : -1;
}

// The descriptor of the next request; -1 after the last.
static int next_request(int socket) {
    char byte;
    struct iovec part = {&byte, 1};
    union room room;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    struct cmsghdr *header = count == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -1;
    int given;
    memcpy(&given, CMSG_DATA(header), sizeof given);
    return given;
}

// Closes all descriptors above 2. Linux before 5.9, and some containers, cannot do that at once.
static void close_others(void) {
    enum { usual_limit = 1024 };
    if (close_range(STDERR_FILENO + 1, ~0u, 0) == 0) return;
    for (int descriptor = STDERR_FILENO + 1; descriptor < usual_limit; descriptor++) close(descriptor);
}

void agonyfs_fork_on_request(void) {
    for (;;) {
        int given = next_request(STDIN_FILENO);
        if (given < 0) _exit(0);
        // The copy's parent is that of this process, which waits for it; fork(3) cannot do that. In the copy the C library
        // goes on with the number of this thread. Locks compare it only with itself; calls such as
        // pthread_getaffinity_np fail when this process has ended.
        long copy = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0L, 0L, 0L, 0L);
        if (copy == 0) {
            int32_t number = getpid();
            if (write(given, &number, sizeof number) != sizeof number || dup2(given, STDIN_FILENO) < 0) _exit(1);
            close_others();
            return;
        }
        int32_t error = errno;
        if (copy < 0 && write(STDIN_FILENO, &error, sizeof error) != sizeof error) _exit(1);
        close(given);
    }
}
