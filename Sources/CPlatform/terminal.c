#define _GNU_SOURCE
#include "CPlatform.h"

#include <locale.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <wchar.h>

static locale_t unicode;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// glibc has this locale without any file.
static void make(void) { unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int agonyfs_columns(uint32_t scalar) {
    if (scalar >= 0x20 && scalar < 0x7F) return 1;
    pthread_once(&once, make);
    if (unicode == (locale_t)0) return 1;
    locale_t before = uselocale(unicode);
    int columns = wcwidth((wchar_t)scalar);
    uselocale(before);
    return columns < 0 ? 1 : columns;
}

int agonyfs_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
