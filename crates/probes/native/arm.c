/* The counters of Arm. The kernel decides whether user code may read one (CNTKCTL_EL1.EL0VCTEN,
 * PMUSERENR_EL0.EN), and a forbidden read raises SIGILL, so each is tried once under guard. */
#include "arm.h"
#include "guard.h"
#include "reader.h"

#if defined(__linux__)
#include <sys/auxv.h>
#endif

static void try_cntvct(void) { CS_SINK(cs_cntvct()); }
static void try_cntfrq(void) { CS_SINK(cs_cntfrq()); }
static void try_cntvctss(void) { CS_SINK(cs_cntvctss()); }
static void try_pmccntr(void) { CS_SINK(cs_pmccntr()); }

/* CNTFRQ, or 0 if it is forbidden; src/machine/linux/cntfrq.rs uses this too. */
uint64_t cs_arm_cntfrq(void);
uint64_t cs_arm_cntfrq(void) { return cs_guarded(try_cntfrq) ? 0 : cs_cntfrq(); }

/* The counter's rate according to the firmware. If the register is empty or forbidden, the caller
 * determines the rate by calibration on AArch64; on ARMv7, where the tool's own counter is a
 * different one, it takes the rate as unknown. */
static double cntvct_hz(void) {
#if defined(__aarch64__)
    const double unknown = 0.0;
#else
    const double unknown = -1.0;
#endif
    uint64_t hz = cs_arm_cntfrq();
    return hz ? (double)hz : unknown;
}

static double cntvct_tick_ns(void) {
    double hz = cntvct_hz();
    return hz > 0 ? 1e9 / hz : -1.0;
}

/* FEAT_ECV: HWCAP2_ECV of Linux 5.16, bit 19 (arch/arm64/include/uapi/asm/hwcap.h). On other
 * systems only an attempt shows it. */
static int cntvctss_check(void) {
#if defined(__linux__) && defined(__aarch64__)
    if (!(getauxval(AT_HWCAP2) & (1ul << 19))) return ENOSYS;
#endif
    return cs_guarded(try_cntvctss) ? ENOSYS : 0;
}

/* A counter that may be read but is not enabled stands still. */
static int pmccntr_check(void) {
    int refused = cs_guarded(try_pmccntr);
    if (refused) return refused;
    uint64_t before = cs_pmccntr();
    for (int i = 0; i < 1000; i++)
        if (cs_pmccntr() != before) return 0;
    return EPERM;
}

#define CS_CNTVCT(name, check, read) \
    CS_READER(name, check, CS_SINK(read()), read(), cntvct_hz(), cntvct_tick_ns())

CS_CNTVCT(arm_cntvct, cs_guarded(try_cntvct), cs_cntvct);
CS_CNTVCT(arm_isb_cntvct, cs_guarded(try_cntvct), cs_isb_cntvct);
CS_CNTVCT(arm_cntvctss, cntvctss_check(), cs_cntvctss);
CS_READER(arm_pmccntr, pmccntr_check(), CS_SINK(cs_pmccntr()), cs_pmccntr(), -1.0, -1.0);
