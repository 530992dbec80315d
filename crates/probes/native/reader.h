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

/* The processor's counter, unordered, as an instrument: only for a clock that reads it too, because
 * the kernel may have forbidden it. */
#if defined(__x86_64__)
#define CS_COUNTER() __builtin_ia32_rdtsc()
#elif defined(__aarch64__)
#define CS_COUNTER()                                       \
    __extension__({                                        \
        uint64_t count_;                                   \
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count_)); \
        count_;                                            \
    })
#else
#define CS_COUNTER() ((uint64_t)0)
#endif

/* Removes the line from every cache, so that the next load of it misses. Waits until that is done.
 * Intel SDM volume 2A, CLFLUSH; Arm ARM, DC CIVAC, which Linux permits (SCTLR_EL1.UCI). */
#if defined(__x86_64__)
#define CS_EVICT(line) __asm__ volatile("clflush (%0)\n\tmfence" : : "r"(line) : "memory")
#elif defined(__aarch64__) && defined(__linux__)
#define CS_EVICT(line) __asm__ volatile("dc civac, %0\n\tdsb sy" : : "r"(line) : "memory")
#else
#define CS_EVICT(line) CS_HIDE(line)
#endif

/* As CS_HIDE, for a floating-point number in its register. */
#if defined(__x86_64__)
#define CS_HIDE_DOUBLE(number) __asm__ volatile("" : "+x"(number))
#elif defined(__aarch64__) || defined(__arm__)
#define CS_HIDE_DOUBLE(number) __asm__ volatile("" : "+w"(number))
#else
#define CS_HIDE_DOUBLE(number) __asm__ volatile("" : "+m"(number))
#endif

/* The sum of m integers in the language of the reader (sum.c): what _around times. A compiler that
 * saw it here would inline it. */
#ifdef __cplusplus
#define CS_SUM cs_sum_cxx
extern "C" uint64_t CS_SUM(const uint64_t *v, size_t m);
#else
#define CS_SUM cs_sum_c
uint64_t CS_SUM(const uint64_t *v, size_t m);
#endif

#define CS_DIVISIONS 16

/* What precedes a read in the tests of its order: `Work` in src/order.rs, by number. The divisions
 * wait for each other, and are few enough to fit into any scheduler. */
static inline __attribute__((always_inline, unused)) void cs_work(
    uint32_t work, const volatile uintptr_t *line) {
    double ratio = 7.0;
    switch (work) {
        case 1: CS_SINK(*line); break;
        case 2:
            if (*line) __asm__ volatile("nop");
            break;
        case 3:
            for (int i = 0; i < CS_DIVISIONS; i++) {
                ratio = 3.0 / ratio;
                CS_HIDE_DOUBLE(ratio);
            }
            break;
        default: break;
    }
}

/* What one read took since a fenced one: in the clock's own units, and until an unordered read of
 * the counter right after it. `Lapse` in src/order.rs is the same in Rust. */
struct cs_lapse {
    uint64_t own, later;
};

/* What two threads hand to each other: whose turn it is, and the value last read. `Turns` in
 * src/order.rs is the same in Rust, and `Handed` is cs_handed. */
struct cs_turns {
    uint32_t turn;
    uint64_t given;
};
struct cs_handed {
    uint64_t turns, backwards, worst;
};
/* Spinning politely. It also makes the number of looks before a turn regular, so that the processor
 * learns to predict the last one, and then reads the clock while that look is still under way. */
#if defined(__x86_64__)
#define CS_RELAX() __asm__ volatile("pause")
#elif defined(__aarch64__) || defined(__arm__)
#define CS_RELAX() __asm__ volatile("yield")
#else
#define CS_RELAX() __asm__ volatile("")
#endif
/* Neither player: the game is over. */
#define CS_OVER 2u
/* A player whose turn does not come within so many looks, some 0.1 s, ends the game. */
#define CS_PATIENCE (1u << 22)

#define CS_TURNS(n, body)                                  \
    for (uint64_t i = (n) / 8; i; --i) {                   \
        body body body body body body body body            \
    }                                                      \
    for (uint64_t i = (n) % 8; i; --i) {                   \
        body                                               \
    }

/* The copies of each timed loop, COPIES in src/clocks/entry.rs: where a loop lies in a cache line of
 * 64 bytes can change its cost, so each copy lies 16 bytes further into it. */
#define CS_COPIES 4
#if defined(__x86_64__) || defined(__i386__)
#define CS_SHIFT(copy) __asm__ volatile(".rept 16 * " #copy "\n\tnop\n\t.endr")
#else
#define CS_SHIFT(copy) __asm__ volatile(".rept 4 * " #copy "\n\tnop\n\t.endr")
#endif

/* The two timed loops of one copy. What reads the clock may contain commas. */
#define CS_LOOPS(name, copy, ...)                                                           \
    CS_API void cs_##name##_throughput_##copy(uintptr_t state, uint64_t n) {                \
        (void)state;                                                                        \
        CS_SHIFT(copy);                                                                     \
        CS_TURNS(n, { __VA_ARGS__; })                                                       \
    }                                                                                       \
    CS_API void cs_##name##_latency_##copy(uintptr_t state, uint64_t n) {                   \
        (void)state;                                                                        \
        CS_SHIFT(copy);                                                                     \
        CS_TURNS(n, { __VA_ARGS__; CS_FENCE(); })                                           \
    }

/* One copy of the loop around some work. */
#define CS_AROUND(name, copy, value)                                                        \
    CS_API uint64_t cs_##name##_around_##copy(uintptr_t state, uint64_t n, const uint64_t *v, \
                                              size_t m) {                                   \
        (void)state;                                                                        \
        uint64_t sum = 0;                                                                   \
        CS_SHIFT(copy);                                                                     \
        while (n--) {                                                                       \
            uint64_t start = (uint64_t)(value);                                             \
            sum += CS_SUM(v, m);                                                            \
            uint64_t elapsed = (uint64_t)(value) - start;                                   \
            CS_SINK(elapsed);                                                               \
        }                                                                                   \
        return sum;                                                                         \
    }

/* What one clock exports; `Native` in src/clocks/native.rs is the same in Rust. `state` is the word
 * that the clock was opened with, a file descriptor or an address; most clocks need none. */
struct cs_reader {
    int (*check)(uintptr_t state);
    double (*hz)(uintptr_t state);
    double (*nominal)(uintptr_t state);
    void (*throughput[CS_COPIES])(uintptr_t state, uint64_t n);
    void (*latency[CS_COPIES])(uintptr_t state, uint64_t n);
    void (*fill)(uintptr_t state, uint64_t *out, size_t n);
    uint64_t (*span)(uintptr_t state, uint64_t n);
    uint64_t (*around[CS_COPIES])(uintptr_t state, uint64_t n, const uint64_t *v, size_t m);
    void (*after)(uintptr_t state, uint32_t work, uint32_t how, const uintptr_t *line,
                  struct cs_lapse *out, size_t n);
    void (*hand)(uintptr_t state, struct cs_turns *turns, uint32_t me, uint64_t n,
                 struct cs_handed *handed);
};

/* The bits of `how`. */
#define CS_FENCED 1u
#define CS_LATER 2u

/* One clock. Its expressions and statements may use `state`.
 *   name     the clock's id with `_` for `/` and `-`: the table is cs_<name>, its functions
 *            cs_<name>_throughput_0, ...
 *   check    an expression: 0 if the clock can be read, otherwise an errno
 *   read     statements that read the clock once and sink the value
 *   value    an expression: the raw value, as uint64_t
 *   hz       an expression: raw units per second; 0: the machine's counter, whose rate is
 *            determined by calibration; below 0: a rate that changes
 *   nominal  an expression: the resolution that the API claims, in ns; below 0: it claims none
 *
 * _span makes n calls after a first one and returns the difference between the last value and the
 * first. It stores nothing: the first stores into an array that is not in a cache take longer than
 * ten reads.
 *
 * _around sums m integers n times, each time between two reads whose difference is taken; for the
 * empty loop this is the same loop without timing. Both call the same CS_SUM, so that they differ
 * in the reads alone. It has copies as the timed loops have.
 *
 * _after reads n times after some work, fenced from it or not, and _hand takes n turns at reading
 * with another thread (docs/METHOD.md, Order). In both the read is inlined: a call would separate
 * it from what it is to be ordered against. */
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
    CS_LOOPS(name, 0, read)                                                                 \
    CS_LOOPS(name, 1, read)                                                                 \
    CS_LOOPS(name, 2, read)                                                                 \
    CS_LOOPS(name, 3, read)                                                                 \
    CS_API void cs_##name##_fill(uintptr_t state, uint64_t *out, size_t n) {                 \
        (void)state;                                                                         \
        for (size_t i = 0; i < n; i++) out[i] = (uint64_t)(value);                           \
    }                                                                                        \
    CS_API uint64_t cs_##name##_span(uintptr_t state, uint64_t n) {                          \
        (void)state;                                                                         \
        uint64_t first = (uint64_t)(value);                                                  \
        for (; n > 1; n--) { read; }                                                         \
        return (uint64_t)(value) - first;                                                    \
    }                                                                                        \
    CS_AROUND(name, 0, value)                                                                \
    CS_AROUND(name, 1, value)                                                                \
    CS_AROUND(name, 2, value)                                                                \
    CS_AROUND(name, 3, value)                                                                \
    CS_API void cs_##name##_after(uintptr_t state, uint32_t work, uint32_t how,              \
                                  const uintptr_t *line, struct cs_lapse *out, size_t n) {   \
        (void)state;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                     \
            CS_EVICT(line);                                                                  \
            uint64_t later = how & CS_LATER ? CS_COUNTER() : 0;                              \
            CS_FENCE();                                                                      \
            uint64_t own = (uint64_t)(value);                                                \
            CS_FENCE();                                                                      \
            cs_work(work, line);                                                             \
            if (how & CS_FENCED) CS_FENCE();                                                 \
            own = (uint64_t)(value)-own;                                                     \
            if (how & CS_LATER) later = CS_COUNTER() - later;                                \
            CS_FENCE();                                                                      \
            out[i].own = own;                                                                \
            out[i].later = later;                                                            \
        }                                                                                    \
    }                                                                                        \
    CS_API void cs_##name##_hand(uintptr_t state, struct cs_turns *turns, uint32_t me,       \
                                 uint64_t n, struct cs_handed *handed) {                     \
        (void)state;                                                                         \
        while (handed->turns < n) {                                                          \
            uint32_t turn, looks = 0;                                                        \
            while ((turn = __atomic_load_n(&turns->turn, __ATOMIC_ACQUIRE)) != me) {         \
                if (turn == CS_OVER || ++looks == CS_PATIENCE) goto over;                    \
                CS_RELAX();                                                                  \
            }                                                                                \
            uint64_t given = __atomic_load_n(&turns->given, __ATOMIC_RELAXED);               \
            uint64_t mine = (uint64_t)(value);                                               \
            if ((int64_t)(mine - given) < 0) {                                               \
                handed->backwards++;                                                         \
                if (given - mine > handed->worst) handed->worst = given - mine;              \
            }                                                                                \
            handed->turns++;                                                                 \
            __atomic_store_n(&turns->given, mine, __ATOMIC_RELAXED);                         \
            __atomic_store_n(&turns->turn, 1 - me, __ATOMIC_RELEASE);                        \
        }                                                                                    \
        return;                                                                              \
    over:                                                                                    \
        __atomic_store_n(&turns->turn, CS_OVER, __ATOMIC_RELEASE);                           \
    }                                                                                        \
    CS_TABLE struct cs_reader cs_##name = {                                                 \
        cs_##name##_check,                                                                  \
        cs_##name##_hz,                                                                     \
        cs_##name##_nominal,                                                                \
        {cs_##name##_throughput_0, cs_##name##_throughput_1, cs_##name##_throughput_2,      \
         cs_##name##_throughput_3},                                                         \
        {cs_##name##_latency_0, cs_##name##_latency_1, cs_##name##_latency_2,               \
         cs_##name##_latency_3},                                                            \
        cs_##name##_fill,                                                                   \
        cs_##name##_span,                                                                   \
        {cs_##name##_around_0, cs_##name##_around_1, cs_##name##_around_2,                  \
         cs_##name##_around_3},                                                             \
        cs_##name##_after,                                                                  \
        cs_##name##_hand}

#endif
