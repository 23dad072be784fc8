#define _GNU_SOURCE
#include "CPlatform.h"

#include <sys/signalfd.h>
#include <unistd.h>

static int argument_count;
static char **argument_values;

// The C library hands constructors what main gets. Swift's own copy of the arguments is made later, on first use.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    argument_values = values;
}

char **agonyfs_arguments(int *count) {
    *count = argument_count;
    return argument_values;
}

int agonyfs_signal_descriptor(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_CLOEXEC);
}

int agonyfs_close_descriptors(unsigned int first, unsigned int last) {
    return first > last ? 0 : close_range(first, last, 0);
}
