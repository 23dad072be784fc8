#include "CMount.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int wake_descriptor = -1;

static const int ending[] = {SIGTERM, SIGINT, SIGHUP};
enum { ending_count = sizeof ending / sizeof *ending };
static struct sigaction previous_ending[ending_count];
static struct sigaction previous_pipe;
static struct sigaction previous_interrupt;

static void wake(int number) {
    (void)number;
    int kept = errno;
    // If the pipe is full, it already holds a letter, and one is enough.
    ssize_t ignored = write(wake_descriptor, "S", 1);
    (void)ignored;
    errno = kept;
}

static void interrupt(int number) {
    (void)number;
}

void agonyfs_signals_catch(int descriptor) {
    wake_descriptor = descriptor;
    struct sigaction action = {.sa_handler = wake, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < ending_count; index++) sigaction(ending[index], &action, &previous_ending[index]);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &previous_pipe);
    // Without SA_RESTART, so that read(2) returns in a serving thread.
    struct sigaction interruption = {.sa_handler = interrupt};
    sigemptyset(&interruption.sa_mask);
    sigaction(SIGUSR1, &interruption, &previous_interrupt);
}

void agonyfs_interruption_allow(void) {
    sigset_t interruption;
    sigemptyset(&interruption);
    sigaddset(&interruption, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &interruption, NULL);
}

void agonyfs_signals_restore(void) {
    for (int index = 0; index < ending_count; index++) sigaction(ending[index], &previous_ending[index], NULL);
    sigaction(SIGPIPE, &previous_pipe, NULL);
    sigaction(SIGUSR1, &previous_interrupt, NULL);
    wake_descriptor = -1;
}
