#include "CPlatform.h"

#include <pthread.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void agonyfs_signals_hold(sigset_t *held) {
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    sigemptyset(held);
    for (unsigned index = 0; index < sizeof ending / sizeof *ending; index++) {
        // The kernel keeps a blocked signal pending even if the program ignores it, as nohup(1) asks.
        struct sigaction action;
        if (sigaction(ending[index], NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
            !sigismember(&before, ending[index]))
            sigaddset(held, ending[index]);
    }
    pthread_sigmask(SIG_BLOCK, held, NULL);
}

bool agonyfs_signals_are_pending(const sigset_t *held) {
    sigset_t pending;
    if (sigpending(&pending) != 0) return false;
    for (unsigned index = 0; index < sizeof ending / sizeof *ending; index++)
        if (sigismember(held, ending[index]) && sigismember(&pending, ending[index])) return true;
    return false;
}

void agonyfs_signals_release(const sigset_t *held) { pthread_sigmask(SIG_UNBLOCK, held, NULL); }
