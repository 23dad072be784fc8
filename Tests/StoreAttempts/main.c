// Confines itself as agonyfs-store does for the port that is its argument, tries what a confined process must not be able
// to do, and writes a line for each attempt to standard output: its name, and "done" or the name of the error.

#define _GNU_SOURCE
#include "CStore.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// `result` is what the call gave; −1 with the error in errno.
static void report(const char *name, long result) {
    char line[128];
    const char *ending = result == -1 ? strerrorname_np(errno) : "done";
    int count = snprintf(line, sizeof line, "%s %s\n", name, ending ? ending : "unknown");
    if (write(1, line, (size_t)count) != count) _exit(1);
}

// So that one success does not hide the next by the limit of descriptors.
static long closed(int descriptor) {
    if (descriptor >= 0) close(descriptor);
    return descriptor;
}

static long connect_to(uint16_t port) {
    int socket_number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    if (socket_number < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    long result = connect(socket_number, (struct sockaddr *)&address, sizeof address);
    int error = errno;
    close(socket_number);
    errno = error;
    return result;
}

static long start_process(void) {
    long process = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (process == 0) _exit(0);
    if (process > 0) waitpid((pid_t)process, NULL, 0);
    return process;
}

static void *do_nothing(void *unused) {
    return unused;
}

static long start_thread(void) {
    pthread_t thread;
    errno = pthread_create(&thread, NULL, do_nothing, NULL);
    return errno == 0 ? 0 : -1;
}

static long map(int protection) {
    void *memory = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}

static long listen_on_port(void) {
    int socket_number = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_number < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(0)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    long result = bind(socket_number, (struct sockaddr *)&address, sizeof address);
    int error = errno;
    close(socket_number);
    errno = error;
    return result;
}

// Connects without connect(2).
static long send_at_once(uint16_t port, int with_message) {
    int socket_number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    // Not the error that is expected.
    if (socket_number < 0) return 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1};
    long result = with_message
                      ? sendmsg(socket_number, &message, MSG_FASTOPEN)
                      : sendto(socket_number, &byte, 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address);
    int error = errno;
    close(socket_number);
    errno = error;
    return result;
}

int main(int count, char **words) {
    if (count != 2 || agonyfs_store_prepare() != 0) return 1;
    uint16_t port = (uint16_t)atoi(words[1]);
    agonyfs_store_confinement confinement = agonyfs_store_confine(port);
    if (!confinement.seccomp) return 1;
    char line[32];
    int length = snprintf(line, sizeof line, "landlock %d\n", confinement.landlock);
    if (write(1, line, (size_t)length) != length) return 1;
    char *arguments[] = {"true", NULL};
    report("connect-to-port", connect_to(port));
    report("map-memory", map(PROT_READ | PROT_WRITE));
    report("connect-to-other-port", connect_to(9));
    report("read-file", closed(open("/etc/passwd", O_RDONLY)));
    report("list-folder", closed(open("/", O_RDONLY | O_DIRECTORY)));
    report("create-file", closed(open("/tmp/agonyfs-store-attempt", O_WRONLY | O_CREAT, 0600)));
    report("create-folder", mkdirat(AT_FDCWD, "/tmp/agonyfs-store-attempt", 0700));
    report("socket-local", closed(socket(AF_UNIX, SOCK_STREAM, 0)));
    report("socket-datagram", closed(socket(AF_INET, SOCK_DGRAM, 0)));
    report("socket-raw", closed(socket(AF_INET, SOCK_RAW, IPPROTO_RAW)));
    report("socket-netlink", closed(socket(AF_NETLINK, SOCK_RAW, 0)));
    report("socket-multipath", closed(socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP)));
    report("socket-multipath-6", closed(socket(AF_INET6, SOCK_STREAM, IPPROTO_MPTCP)));
    report("sendto-fast-open", send_at_once(port, 0));
    report("sendmsg-fast-open", send_at_once(port, 1));
    report("listen", listen_on_port());
    report("start-process", start_process());
    report("start-thread", start_thread());
    report("become-program", execv("/bin/true", arguments));
    report("signal-parent", kill(getppid(), 0));
    report("trace-parent", ptrace(PTRACE_SEIZE, getppid(), 0, 0));
    report("map-code", map(PROT_READ | PROT_EXEC));
    return 0;
}
