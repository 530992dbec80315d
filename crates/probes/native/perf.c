/* What the kernel shows in the page of a performance event: the scale of its own clock, and the
 * counter that user code may read. Linux include/uapi/linux/perf_event.h, struct
 * perf_event_mmap_page, documents both readers. */
#define _GNU_SOURCE
#include "reader.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef const volatile struct perf_event_mmap_page cs_page;

#define CS_BARRIER() __asm__ volatile("" : : : "memory")

/* The page of an event of the calling thread; the mapping outlives the file and is never undone,
 * as readers hold on to it. Returns 0 or an errno. */
static int cs_perf_map(uint32_t type, uint64_t config, uint64_t config1, cs_page **page) {
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof attr,
                                   .config = config,
                                   .config1 = config1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return errno;
    void *found = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    int error = found == MAP_FAILED ? errno : 0;
    close(fd);
    if (!error) *page = found;
    return error;
}

static cs_page *cs_time_page;

/* 0, an errno, or -1 where the kernel offers no scale. */
int cs_linux_perf_time(void);
int cs_linux_perf_time(void) {
    int error = cs_perf_map(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, &cs_time_page);
    if (error) return error;
    return cs_time_page->cap_user_time && cs_time_page->cap_user_time_zero ? 0 : -1;
}

static inline uint64_t cs_counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#endif
}

static inline uint64_t cs_perf_ns(void) {
    cs_page *page = cs_time_page;
    uint32_t sequence, mult;
    uint16_t shift;
    uint64_t ticks, zero;
    do {
        sequence = page->lock;
        CS_BARRIER();
        ticks = cs_counter();
        mult = page->time_mult;
        shift = page->time_shift;
        zero = page->time_zero;
#if defined(__aarch64__)
        /* A counter of fewer than 64 bits that has wrapped. */
        if (page->cap_user_time_short) {
            uint64_t base = page->time_cycles;
            ticks = base + ((ticks - base) & page->time_mask);
        }
#endif
        CS_BARRIER();
    } while (page->lock != sequence);
    uint64_t whole = ticks >> shift, rest = ticks & (((uint64_t)1 << shift) - 1);
    return zero + whole * mult + ((rest * mult) >> shift);
}

/* The scale has the resolution of a nanosecond and says nothing of the counter's. */
CS_READER(linux_perf_mmap, 0, CS_SINK(cs_perf_ns()), cs_perf_ns(), 1e9, -1.0);

#if defined(__x86_64__)
static uint32_t cs_pmc;

/* 0, an errno, or -1 where user code may not read the counter. While the page is mapped the kernel
 * lets every thread of the process execute rdpmc (CR4.PCE), and the number of the counter stays a
 * valid one, whichever event it then counts. */
int cs_x86_rdpmc_map(void);
int cs_x86_rdpmc_map(void) {
    cs_page *page;
    int error = cs_perf_map(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, &page);
    if (error) return error;
    uint32_t index = page->index;
    if (!page->cap_user_rdpmc || !index) return -1;
    cs_pmc = index - 1;
    return 0;
}

static inline uint64_t cs_rdpmc(void) {
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(cs_pmc));
    return (uint64_t)high << 32 | low;
}

/* Cycles of the core: they come at the rate at which it runs. */
CS_READER(x86_rdpmc, 0, CS_SINK(cs_rdpmc()), cs_rdpmc(), -1.0, -1.0);
#endif

#if defined(__aarch64__)
/* 0, an errno, or -1 where user code may not read PMCCNTR by this event. Bit 0 of config1 asks for
 * 64 bits and bit 1 for access by user code, which the kernel then gives the thread that maps the
 * event; the index of the cycle counter is 32 (Linux Documentation/arch/arm64/perf.rst,
 * drivers/perf/arm_pmuv3.c, armv8pmu_user_event_idx). */
int cs_arm_pmccntr_map(void);
int cs_arm_pmccntr_map(void) {
    cs_page *page;
    int error = cs_perf_map(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 3, &page);
    if (error) return error;
    return page->cap_user_rdpmc && page->index == 32 ? 0 : -1;
}
#endif
