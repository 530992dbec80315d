/* The time-stamp counter, in every form. Intel SDM volume 2B, RDTSC and RDTSCP; volume 2A, CPUID,
 * LFENCE, MFENCE; volume 2B, SERIALIZE. src/clocks/x86.rs checks whether the processor has what
 * a form needs before any of these runs. */
#include "reader.h"

#include <x86intrin.h>

/* The rate is not known here; the caller's unit is the machine's counter. */
#define CS_TSC(name, expression) \
    CS_READER(name, 0, CS_SINK(expression), expression, 0.0, -1.0)

static inline uint64_t cs_rdtsc_asm(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static inline uint64_t cs_rdtscp(void) {
    unsigned processor;
    return __rdtscp(&processor);
}

static inline uint64_t cs_lfence_rdtsc(void) {
    _mm_lfence();
    return __rdtsc();
}

static inline uint64_t cs_lfence_rdtsc_lfence(void) {
    _mm_lfence();
    uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

static inline uint64_t cs_mfence_rdtsc(void) {
    _mm_mfence();
    return __rdtsc();
}

static inline uint64_t cs_cpuid_rdtsc(void) {
    uint32_t low, high;
    __asm__ volatile("cpuid\n\trdtsc" : "=a"(low), "=d"(high) : "0"(0) : "rbx", "rcx", "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t cs_rdtscp_cpuid(void) {
    uint64_t ticks = cs_rdtscp();
    uint32_t leaf = 0;
    __asm__ volatile("cpuid" : "+a"(leaf) : : "rbx", "rcx", "rdx", "memory");
    return ticks;
}

/* SERIALIZE as bytes, because assemblers before binutils 2.35 do not know it. */
static inline uint64_t cs_serialize_rdtsc(void) {
    uint32_t low, high;
    __asm__ volatile(".byte 0x0f, 0x01, 0xe8\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

CS_TSC(x86_rdtsc_asm, cs_rdtsc_asm());
CS_TSC(x86_rdtsc_intrinsic, __rdtsc());
CS_TSC(x86_rdtsc_builtin, __builtin_ia32_rdtsc());
CS_TSC(x86_rdtscp, cs_rdtscp());
CS_TSC(x86_lfence_rdtsc, cs_lfence_rdtsc());
CS_TSC(x86_lfence_rdtsc_lfence, cs_lfence_rdtsc_lfence());
CS_TSC(x86_cpuid_rdtsc, cs_cpuid_rdtsc());
CS_TSC(x86_rdtscp_cpuid, cs_rdtscp_cpuid());
CS_TSC(x86_serialize_rdtsc, cs_serialize_rdtsc());
CS_TSC(x86_mfence_rdtsc, cs_mfence_rdtsc());

/* The count as milliseconds: `state` is the counter's rate in kHz, which src/clocks/x86.rs
 * measures before the first read. One division of 64 bits. */
CS_READER(x86_rdtsc_ms, 0, CS_SINK(__rdtsc() / state), __rdtsc() / state, 1000.0, 1e6);
