/* What the kernel publishes in the page of a performance event: the scale of its own clock, and the
 * counter that user code may read. Linux include/uapi/linux/perf_event.h, struct
 * perf_event_mmap_page, documents both readers. src/clocks/perf_event.rs opens and closes the
 * pages. */
#define _GNU_SOURCE
#include "reader.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef const volatile struct perf_event_mmap_page cs_page;

#define CS_BARRIER() __asm__ volatile("" : : : "memory")

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void cs_perf_close(cs_page *page);
void cs_perf_close(cs_page *page) { munmap((void *)(uintptr_t)page, page_size()); }

/* What an event is opened for; `For` in src/clocks/perf_event.rs is the same in Rust. */
enum cs_perf { CS_PERF_TIME, CS_PERF_CYCLES };

/* Whether the page offers what the event was opened for. PMCCNTR is counter 32 (Linux
 * drivers/perf/arm_pmuv3.c, armv8pmu_user_event_idx). */
static int offers(cs_page *page, enum cs_perf what) {
    if (what == CS_PERF_TIME) return page->cap_user_time && page->cap_user_time_zero;
#if defined(__aarch64__)
    return page->cap_user_rdpmc && page->index == 32;
#else
    return page->cap_user_rdpmc && page->index;
#endif
}

/* Opens and maps an event of the calling thread. Returns 0, an errno, or -1 if the page does not
 * offer what the event was opened for. There is a page only if it returns 0; the caller must close
 * it. */
int cs_perf_open(enum cs_perf what, cs_page **page);
int cs_perf_open(enum cs_perf what, cs_page **page) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    if (what == CS_PERF_CYCLES) {
        attr.type = PERF_TYPE_HARDWARE;
        attr.config = PERF_COUNT_HW_CPU_CYCLES;
#if defined(__aarch64__)
        /* Bit 0 asks for 64 bits and bit 1 for access by user code, which the kernel then gives to
         * the thread that maps the event (Linux Documentation/arch/arm64/perf.rst). */
        attr.config1 = 3;
#endif
    }
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return errno;
    void *found = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
    int error = found == MAP_FAILED ? errno : 0;
    /* The mapping keeps the event open. */
    close(fd);
    if (error) return error;
    if (!offers(found, what)) {
        cs_perf_close(found);
        return -1;
    }
    *page = found;
    return 0;
}

/* Opens a count of an event of the calling thread in user mode. Returns its file descriptor, which
 * the caller must close, or a negative errno. The count runs from here on, and read(2) returns
 * it as 64 bits. */
int cs_perf_count(uint32_t kind, uint64_t event);
int cs_perf_count(uint32_t kind, uint64_t event) {
    struct perf_event_attr attr = {.type = kind,
                                   .size = sizeof attr,
                                   .config = event,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
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

static inline uint64_t cs_perf_ns(cs_page *page) {
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
        /* A counter with fewer than 64 bits may have wrapped. */
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

/* The state is the page. The scale has a resolution of one nanosecond, which says nothing about
 * that of the counter. */
CS_READER(linux_perf_mmap, 0, CS_SINK(cs_perf_ns((cs_page *)state)), cs_perf_ns((cs_page *)state),
          1e9, -1.0);

#if defined(__x86_64__)
/* The number of the counter. It stays valid, whichever event it counts later; the kernel lets every
 * thread of the process execute rdpmc while the page is mapped (CR4.PCE). */
uint32_t cs_perf_counter(cs_page *page);
uint32_t cs_perf_counter(cs_page *page) { return page->index - 1; }

static inline uint64_t cs_rdpmc(uint32_t counter) {
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
}

/* The state is the number of the counter. Core cycles come at the rate at which the core runs. */
CS_READER(x86_rdpmc, 0, CS_SINK(cs_rdpmc((uint32_t)state)), cs_rdpmc((uint32_t)state), -1.0, -1.0);
#endif
