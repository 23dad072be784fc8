#define _GNU_SOURCE
#include "CDecoder.h"
#include "archives.h"
#include "metadata.h"

#include <dlfcn.h>
#include <gmodule.h>
#include <libavformat/avformat.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <vips/vips.h>

// All other loaders stay blocked, even those that libvips trusts.
static const char *const loaders[] = {
    "VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadNsgif", "VipsForeignLoadWebp",
    "VipsForeignLoadTiff", "VipsForeignLoadHeif", "VipsForeignLoadJxl",
};

// On Debian these two loaders are separate modules.
static const char *const modules[] = {"vips-heif", "vips-jxl"};

static void load_modules(void) {
    Dl_info library;
    if (!dladdr((void *)vips_init, &library) || !library.dli_fname) return;
    const char *slash = strrchr(library.dli_fname, '/');
    if (!slash) return;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        char path[512];
        int count = snprintf(
            path, sizeof path, "%.*s/vips-modules-%d.%d/%s.so", (int)(slash - library.dli_fname), library.dli_fname,
            vips_version(0), vips_version(1), modules[i]);
        if (count > 0 && (size_t)count < sizeof path) g_module_open(path, G_MODULE_BIND_LAZY);
    }
}

// More threads would cost address space and hardly help: decoding takes most of the time and uses one thread.
enum { most_threads = 4 };

static void ignore(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user) {
    (void)domain, (void)level, (void)message, (void)user;
}

// The pixels of most photos and of what is made of them lie in this part of the heap, which later processes that are
// copied from this one begin with. In large pages: some thousand faults for pages of 4 KiB would take as long as scaling.
static void prepare_heap(void) {
    enum { room = 24 << 20, large_page = 2 << 20, largest_threshold = 32 << 20 };
    // Pixels come from the heap, and what is freed stays in it until the process ends.
    mallopt(M_MMAP_THRESHOLD, largest_threshold);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    void *start = malloc(room);
    if (!start) return;
    uintptr_t first = ((uintptr_t)start + large_page - 1) / large_page * large_page;
    madvise((void *)first, room - large_page, MADV_HUGEPAGE);
    free(start);
}

int agonyfs_load_libraries(void) {
    mallopt(M_ARENA_MAX, 2);
    // Keeps libvips from loading all its modules; most of them are for blocked formats.
    setenv("VIPSHOME", "/nonexistent", 1);
    // Keeps it from writing code at run time with liborc, which the filter of system calls refuses.
    setenv("VIPS_NOVECTOR", "1", 1);
    int failed = VIPS_INIT("agonyfs-decoder");
    unsetenv("VIPSHOME");
    if (failed) return -1;
    load_modules();
    vips_operation_block_set("VipsForeignLoad", TRUE);
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) vips_operation_block_set(loaders[i], FALSE);
    vips_cache_set_max(0);
    if (vips_concurrency_get() > most_threads) vips_concurrency_set(most_threads);
    g_log_set_default_handler(ignore, NULL);
    av_log_set_level(AV_LOG_QUIET);
    agonyfs_prepare_xmp();
    agonyfs_prepare_archives();
    tzset();
    prepare_heap();
    return 0;
}
