#ifndef AGONYFS_CONFINE_H
#define AGONYFS_CONFINE_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

// What the confinements of the decoder and of the store have in common. Each has a list of system calls of its own, made
// of the macros below.

/// Whether this process has one thread. Landlock confines only the calling thread and threads that it starts later.
int agonyfs_is_single_threaded(void);

/// Handles every right that the kernel's version of Landlock knows, and allows none, except connections to a TCP port
/// unless `port` is NULL. Returns the version of Landlock's interface; 0 if it does not confine the process.
int agonyfs_restrict_rights(const uint16_t *port);

/// Filters the system calls of all threads, for good. Returns whether the kernel does that.
int agonyfs_filter_calls(const struct sock_filter *filter, size_t count);

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The lower half of an argument; both architectures are little-endian.
#define LOAD_ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
// Allows a call unless an argument has the flag.
#define ALLOW_WITHOUT(name, argument, flag)                                                                            \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(argument),                                    \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 1, 0), ANSWER(SECCOMP_RET_ALLOW), REFUSE(EPERM)

// The beginning of a filter: it loads the number of the call. Calls of other architectures end the process.
#define BEGIN_NATIVE                                                                                                   \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0), ANSWER(SECCOMP_RET_KILL_PROCESS),      \
        LOAD(nr)
#ifdef __x86_64__
// The x32 interface has the same architecture and other numbers.
#define BEGIN_FILTER                                                                                                   \
    BEGIN_NATIVE, BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), ANSWER(SECCOMP_RET_KILL_PROCESS)
#else
#define BEGIN_FILTER BEGIN_NATIVE
#endif

// Memory can no longer be made executable: all libraries are loaded.
#define ALLOW_MEMORY_WITHOUT_CODE                                                                                      \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),      \
        LOAD_ARGUMENT(2), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), ANSWER(SECCOMP_RET_ALLOW),            \
        REFUSE(EPERM)

#endif
