// Confines itself as the decoder does, tries what a confined process must not be able to do, and writes a line for each
// attempt to standard output: its name, and "done" or the name of the error. The argument "landlock" or "seccomp" has it
// use only that means.

#define _GNU_SOURCE
#include "CDecoder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// `result` is what the call gave; −1 or MAP_FAILED with the error in errno.
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

static long connect_to_loopback(void) {
    int socket_number = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_number < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
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

static long duplicate_all(void) {
    for (int i = 0; i < 1024; i++)
        if (dup(0) < 0) return -1;
    return 0;
}

static long map_memory(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    munmap(memory, size);
    return 0;
}

static void *sleep_on(void *unused) {
    for (;;) pause();
    return unused;
}

static long start_threads(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (int i = 0; i < 500; i++) {
        pthread_t thread;
        errno = pthread_create(&thread, &attributes, sleep_on, NULL);
        if (errno != 0) return -1;
    }
    return 0;
}

static long map_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : 0;
}

static long turn_into_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}

static long protect_data(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : mprotect(memory, 4096, PROT_READ);
}

int main(int count, char **words) {
    const char *only = count > 1 ? words[1] : "";
    if (agonyfs_load_libraries() != 0) return 1;
    agonyfs_confine(strcmp(only, "seccomp") != 0, strcmp(only, "landlock") != 0);
    char *arguments[] = {"true", NULL};
    // Room for one, so that it is not the limit of descriptors that refuses.
    close(2);
    report("read-file", closed(open("/etc/passwd", O_RDONLY)));
    report("list-folder", closed(open("/", O_RDONLY | O_DIRECTORY)));
    report("create-file", closed(open("/tmp/agonyfs-decoder-attempt", O_WRONLY | O_CREAT, 0600)));
    report("create-folder", mkdirat(AT_FDCWD, "/tmp/agonyfs-decoder-attempt", 0700));
    report("open-process-memory", closed(open("/proc/self/mem", O_RDWR)));
    report("socket-network", closed(socket(AF_INET, SOCK_STREAM, 0)));
    report("socket-local", closed(socket(AF_UNIX, SOCK_STREAM, 0)));
    report("connect-network", connect_to_loopback());
    report("start-process", start_process());
    report("become-program", execv("/bin/true", arguments));
    report("signal-parent", kill(getppid(), 0));
    report("trace-parent", ptrace(PTRACE_SEIZE, getppid(), 0, 0));
    report("open-without-end", duplicate_all());
    report("map-2-gigabytes", map_memory((size_t)2 << 30));
    report("map-1-megabyte", map_memory((size_t)1 << 20));
    report("map-code", map_code());
    report("turn-into-code", turn_into_code());
    report("protect-data", protect_data());
    report("start-threads-without-end", start_threads());
    return 0;
}
