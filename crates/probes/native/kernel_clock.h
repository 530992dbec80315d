/* clock_gettime as the kernel offers it, whichever way it is called. */
#ifndef CHRONOSCOPE_KERNEL_CLOCK_H
#define CHRONOSCOPE_KERNEL_CLOCK_H

#include "clock_gettime.h"

#include <sys/syscall.h>
#include <unistd.h>

/* What this system call fills in: two longs, even if the C library's time_t is wider than a long
 * (Linux include/uapi/linux/time_types.h, __kernel_old_timespec). */
struct cs_kernel_timespec {
    long tv_sec, tv_nsec;
};

/* By the C library's function for any system call. Returns 0, or a negated errno. Inlined whatever
 * the compiler thinks of its size: a loop of eight reads must have eight calls. */
static inline __attribute__((always_inline)) int cs_libc_gettime(clockid_t id, struct cs_kernel_timespec *t) {
    return syscall(SYS_clock_gettime, id, t) ? -errno : 0;
}

/* By the instruction alone. Returns 0, or a negated errno. */
#if defined(__x86_64__) && defined(__LP64__)
#define CS_BARE_SYSCALL
static inline int cs_bare_gettime(clockid_t id, struct cs_kernel_timespec *t) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_clock_gettime), "D"((long)id), "S"(t)
                     : "rcx", "r11", "memory");
    return (int)result;
}
#elif defined(__aarch64__)
#define CS_BARE_SYSCALL
static inline int cs_bare_gettime(clockid_t id, struct cs_kernel_timespec *t) {
    register long number __asm__("x8") = SYS_clock_gettime;
    register long result __asm__("x0") = id;
    register struct cs_kernel_timespec *out __asm__("x1") = t;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(out) : "memory");
    return (int)result;
}
#elif defined(__arm__)
#define CS_BARE_SYSCALL
static inline int cs_bare_gettime(clockid_t id, struct cs_kernel_timespec *t) {
    /* r7 holds the number of the call. In Thumb code it may be the frame pointer, so it is
     * restored. */
    register int result __asm__("r0") = id;
    register struct cs_kernel_timespec *out __asm__("r1") = t;
    int kept;
    __asm__ volatile("mov %1, r7\n\tmov r7, %3\n\tsvc 0\n\tmov r7, %1"
                     : "+r"(result), "=&r"(kept)
                     : "r"(out), "r"(SYS_clock_gettime)
                     : "memory");
    return result;
}
#endif

/* One clock read with `gettime`, a function that behaves like those above. It may be an
 * expression that uses `state`. */
#define CS_KERNEL_CLOCK(name, gettime, id)                                                    \
    static inline int cs_##name##_once(uintptr_t state) {                                     \
        (void)state;                                                                          \
        struct cs_kernel_timespec t;                                                          \
        return -gettime(id, &t);                                                              \
    }                                                                                         \
    static inline uint64_t cs_##name##_ns(uintptr_t state) {                                  \
        (void)state;                                                                          \
        struct cs_kernel_timespec t;                                                          \
        return gettime(id, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;  \
    }                                                                                         \
    CS_READER(name, cs_##name##_once(state),                                                  \
              struct cs_kernel_timespec t; gettime(id, &t); CS_SINK_MEM(t),                   \
              cs_##name##_ns(state), 1e9, cs_clock_res(id))

#endif
