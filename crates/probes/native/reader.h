/* The timed loops for clocks that are read in C and C++; those for Rust are in
 * src/clocks/rust_loop.rs. All have the same shape: eight reads per iteration, each passed to a
 * sink that costs no instruction. A call across the language boundary is a batch, never a single
 * read. */
#ifndef CHRONOSCOPE_READER_H
#define CHRONOSCOPE_READER_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CS_API extern "C" __attribute__((noinline, used))
#define CS_TABLE extern "C" __attribute__((used)) const
#else
#define CS_API __attribute__((noinline, used))
#define CS_TABLE __attribute__((used)) const
#endif

/* Makes the compiler assume that the value is used, in a register or in its place in memory.
 * Neither emits an instruction, and the second affects only what the compiler knows about that
 * object. */
#define CS_SINK(value) __asm__ volatile("" : : "r"(value))
#define CS_SINK_MEM(object) __asm__ volatile("" : : "m"(object))

/* Makes the compiler forget what a pointer points to, so that it repeats computations from it in
 * each iteration. */
#define CS_HIDE(pointer) __asm__ volatile("" : "+r"(pointer))

/* Waits until every earlier instruction has completed locally: Intel SDM volume 2A, LFENCE; Arm
 * ARM, "Context synchronization event". Clobbers only the compiler's view of memory. */
#if defined(__x86_64__) || defined(__i386__)
#define CS_FENCE() __asm__ volatile("lfence" : : : "memory")
#elif defined(__aarch64__) || defined(__arm__)
#define CS_FENCE() __asm__ volatile("isb" : : : "memory")
#else
#define CS_FENCE() __asm__ volatile("" : : : "memory")
#endif

#define CS_TURNS(n, body)                                  \
    for (uint64_t i = (n) / 8; i; --i) {                   \
        body body body body body body body body            \
    }                                                      \
    for (uint64_t i = (n) % 8; i; --i) {                   \
        body                                               \
    }

/* What one clock exports; `Native` in src/clocks/native.rs is the same in Rust. `state` is the word
 * that the clock was opened with, a file descriptor or an address; most clocks need none. */
struct cs_reader {
    int (*check)(uintptr_t state);
    double (*hz)(uintptr_t state);
    double (*nominal)(uintptr_t state);
    void (*throughput)(uintptr_t state, uint64_t n);
    void (*latency)(uintptr_t state, uint64_t n);
    void (*fill)(uintptr_t state, uint64_t *out, size_t n);
    uint64_t (*around)(uintptr_t state, uint64_t n, const uint64_t *v, size_t m);
};

/* One clock. Its expressions and statements may use `state`.
 *   name     the clock's id with `_` for `/` and `-`: the table is cs_<name>, its functions
 *            cs_<name>_throughput, ...
 *   check    an expression: 0 if the clock can be read, otherwise an errno
 *   read     statements that read the clock once and sink the value
 *   value    an expression: the raw value, as uint64_t
 *   hz       an expression: raw units per second; 0: the machine's counter, whose rate is
 *            determined by calibration; below 0: a rate that changes
 *   nominal  an expression: the resolution that the API claims, in ns; below 0: it claims none
 *
 * _around sums m integers n times, each time between two reads whose difference is taken; for the
 * empty loop this is the same loop without timing. */
#define CS_READER(name, check, read, value, hz, nominal)                                     \
    CS_API int cs_##name##_check(uintptr_t state) {                                          \
        (void)state;                                                                         \
        return (check);                                                                      \
    }                                                                                        \
    CS_API double cs_##name##_hz(uintptr_t state) {                                          \
        (void)state;                                                                         \
        return (hz);                                                                         \
    }                                                                                        \
    CS_API double cs_##name##_nominal(uintptr_t state) {                                     \
        (void)state;                                                                         \
        return (nominal);                                                                    \
    }                                                                                        \
    CS_API void cs_##name##_throughput(uintptr_t state, uint64_t n) {                        \
        (void)state;                                                                         \
        CS_TURNS(n, { read; })                                                               \
    }                                                                                        \
    CS_API void cs_##name##_latency(uintptr_t state, uint64_t n) {                           \
        (void)state;                                                                         \
        CS_TURNS(n, { read; CS_FENCE(); })                                                   \
    }                                                                                        \
    CS_API void cs_##name##_fill(uintptr_t state, uint64_t *out, size_t n) {                 \
        (void)state;                                                                         \
        for (size_t i = 0; i < n; i++) out[i] = (uint64_t)(value);                           \
    }                                                                                        \
    CS_API uint64_t cs_##name##_around(uintptr_t state, uint64_t n, const uint64_t *v,       \
                                       size_t m) {                                           \
        (void)state;                                                                         \
        uint64_t sum = 0;                                                                    \
        while (n--) {                                                                        \
            CS_HIDE(v);                                                                      \
            uint64_t start = (uint64_t)(value);                                              \
            for (size_t i = 0; i < m; i++) sum += v[i];                                      \
            uint64_t elapsed = (uint64_t)(value) - start;                                    \
            CS_SINK(elapsed);                                                                \
        }                                                                                    \
        return sum;                                                                          \
    }                                                                                        \
    CS_TABLE struct cs_reader cs_##name = {cs_##name##_check,   cs_##name##_hz,              \
                                           cs_##name##_nominal, cs_##name##_throughput,      \
                                           cs_##name##_latency, cs_##name##_fill,            \
                                           cs_##name##_around}

#endif
