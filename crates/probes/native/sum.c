/* What the overhead of timing is measured with: the sum of m integers, compiled on its own. sum.cpp
 * is the same in C++, and `sum` in src/clocks/rust_loop.rs in Rust: the same instructions at the
 * same place in a cache line, because a loop that crosses one can take twice as long. Each addition
 * waits for the one before. */
#include "reader.h"

CS_API uint64_t CS_SUM(const uint64_t *v, size_t m) {
    uint64_t sum = 0;
    if (!m) return sum;
#if defined(__x86_64__)
    __asm__ volatile(
        ".p2align 6\n"
        "1:\n\t"
        "addq (%1), %0\n\t"
        "addq $8, %1\n\t"
        "decq %2\n\t"
        "jnz 1b"
        : "+r"(sum), "+r"(v), "+r"(m)
        :
        : "cc", "memory");
#elif defined(__aarch64__)
    uint64_t next;
    __asm__ volatile(
        ".p2align 6\n"
        "1:\n\t"
        "ldr %3, [%1], #8\n\t"
        "add %0, %0, %3\n\t"
        "subs %2, %2, #1\n\t"
        "b.ne 1b"
        : "+r"(sum), "+r"(v), "+r"(m), "=&r"(next)
        :
        : "cc", "memory");
#else
    for (size_t i = 0; i < m; i++) sum += v[i];
#endif
    return sum;
}
