#define _GNU_SOURCE
#include "CSession.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

pid_t agonyfs_fork(void) {
    return fork();
}

int agonyfs_execute(char *const *arguments) {
    execvp(arguments[0], arguments);
    return errno;
}

int agonyfs_end_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

int agonyfs_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

// SIGTTOU: a program may leave the terminal to another process group when it ends, so that this process is in the
// background.
static const int waiting[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTTOU};

static void fill(sigset_t *signals) {
    sigemptyset(signals);
    for (unsigned index = 0; index < sizeof waiting / sizeof *waiting; index++) {
        // The kernel keeps a blocked signal pending even if it is ignored, as nohup(1) asks.
        struct sigaction action;
        if (sigaction(waiting[index], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(signals, waiting[index]);
    }
}

void agonyfs_waiting_signals_block(sigset_t *before) {
    sigset_t signals;
    fill(&signals);
    sigprocmask(SIG_BLOCK, &signals, before);
}

struct agonyfs_signal agonyfs_waiting_signals_take(int milliseconds) {
    sigset_t signals;
    fill(&signals);
    sigdelset(&signals, SIGTTOU);
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    siginfo_t info;
    int number = sigtimedwait(&signals, &info, &time);
    if (number <= 0) return (struct agonyfs_signal){0};
    return (struct agonyfs_signal){.number = number, .is_from_process = info.si_code <= 0};
}

void agonyfs_waiting_signals_restore(const sigset_t *before) {
    sigprocmask(SIG_SETMASK, before, NULL);
}

void agonyfs_terminal_take_back(void) {
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0) return;
    tcsetpgrp(terminal, getpgrp());
    close(terminal);
}
