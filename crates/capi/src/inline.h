
/*
 * The inline reads: chronoscope_now and similar functions without a call, if the compiler supports
 * GNU C and the processor has a counter for programs. They check the same byte as the library
 * itself, so a counter that may not be read, or that is given up later, is not read here either. In
 * that case, and at the first read, they call the function.
 *
 * A macro masks each function, as in the C library: (chronoscope_now)() calls the function, and if
 * CHRONOSCOPE_NO_INLINE is defined there are no macros.
 */
#if !defined(CHRONOSCOPE_NO_INLINE) && defined(__GNUC__) && \
    (defined(__x86_64__) || defined(__aarch64__))

/* Bits of the byte: the counter may be read; the instruction for the end of a region may be used. */
#define CHRONOSCOPE_READS_COUNTER_ 1
#define CHRONOSCOPE_READS_STOP_ 2

static __inline__ int chronoscope_reads_(int how) {
    static const uint8_t *known;
    const uint8_t *mode = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (__builtin_expect(!mode, 0)) {
        mode = chronoscope_mode();
        __atomic_store_n(&known, mode, __ATOMIC_RELAXED);
    }
    return __builtin_expect((__atomic_load_n(mode, __ATOMIC_ACQUIRE) & how) != 0, 1) != 0;
}

#if defined(__x86_64__)

/*
 * Intel SDM volume 2B, RDTSC and RDTSCP: rdtsc is not ordered with anything, lfence before it waits
 * for earlier instructions, lfence after it keeps later ones from starting, and rdtscp itself waits.
 */
#include <x86intrin.h>

static __inline__ uint64_t chronoscope_counter_now_(void) {
    return __rdtsc();
}

static __inline__ uint64_t chronoscope_counter_now_ordered_(void) {
    _mm_lfence();
    return __rdtsc();
}

static __inline__ uint64_t chronoscope_counter_start_(void) {
    uint64_t ticks;
    _mm_lfence();
    ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_stop_(void) {
    unsigned int processor;
    uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
}

#else

/* Arm ARM, D12.2.2: without isb the counter may be read early. */

static __inline__ uint64_t chronoscope_counter_now_(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_now_ordered_(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_start_(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

static __inline__ uint64_t chronoscope_counter_stop_(void) {
    return chronoscope_counter_start_();
}

#endif

static __inline__ chronoscope_instant chronoscope_now_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_now_()
                                                          : chronoscope_now();
}

static __inline__ chronoscope_instant chronoscope_now_ordered_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_now_ordered_()
                                                          : chronoscope_now_ordered();
}

static __inline__ chronoscope_instant chronoscope_start_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_COUNTER_) ? chronoscope_counter_start_()
                                                          : chronoscope_start();
}

static __inline__ chronoscope_instant chronoscope_stop_inline(void) {
    return chronoscope_reads_(CHRONOSCOPE_READS_STOP_) ? chronoscope_counter_stop_()
                                                       : chronoscope_stop();
}

#define chronoscope_now() chronoscope_now_inline()
#define chronoscope_now_ordered() chronoscope_now_ordered_inline()
#define chronoscope_start() chronoscope_start_inline()
#define chronoscope_stop() chronoscope_stop_inline()

#endif
