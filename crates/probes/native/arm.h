/* The counters of Arm, as user code reads them on AArch64 and on ARMv7 with the virtualisation
 * extensions. Arm ARM (DDI 0487) D12, "The Generic Timer", and D13, system registers; for ARMv7
 * DDI 0406 B8. */
#ifndef CHRONOSCOPE_ARM_H
#define CHRONOSCOPE_ARM_H

#include <stdint.h>

#if defined(__aarch64__)

#define CS_MRS(name, before, reg)                              \
    static inline uint64_t name(void) {                        \
        uint64_t value;                                        \
        __asm__ volatile(before "mrs %0, " reg : "=r"(value)); \
        return value;                                          \
    }

CS_MRS(cs_cntvct, "", "cntvct_el0")
CS_MRS(cs_isb_cntvct, "isb\n\t", "cntvct_el0")
/* CNTVCTSS_EL0 by its encoding, because older assemblers do not know its name. */
CS_MRS(cs_cntvctss, "", "s3_3_c14_c0_6")
CS_MRS(cs_cntfrq, "", "cntfrq_el0")
CS_MRS(cs_pmccntr, "", "pmccntr_el0")

#else

#define CS_MRRC(name, before, opc1)                                         \
    static inline uint64_t name(void) {                                     \
        uint64_t value;                                                     \
        __asm__ volatile(before "mrrc p15, " opc1 ", %Q0, %R0, c14" : "=r"(value)); \
        return value;                                                       \
    }

CS_MRRC(cs_cntvct, "", "1")
CS_MRRC(cs_isb_cntvct, "isb\n\t", "1")
CS_MRRC(cs_cntvctss, "", "9")

static inline uint64_t cs_cntfrq(void) {
    uint32_t hz;
    __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
    return hz;
}

static inline uint64_t cs_pmccntr(void) {
    uint32_t cycles;
    __asm__ volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(cycles));
    return cycles;
}

#endif
#endif
