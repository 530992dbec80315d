/* Counts the calls of the C library that read clocks, for a program that LD_PRELOAD loads this into
 * (ld.so(8)). The counts are in the file that CHRONOSCOPE_COUNTS names, as native 64-bit integers:
 * clock_gettime() by clock, 0 to 15, then the others in the order below. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { CLOCKS = 16, OTHER_CLOCK = CLOCKS, GETTIMEOFDAY, TIME, CLOCK, TIMES, GETRUSAGE, PLACES };

static uint64_t nowhere[PLACES];
static uint64_t *counts = nowhere;

__attribute__((constructor)) static void open_counts(void) {
    const char *name = getenv("CHRONOSCOPE_COUNTS");
    int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    void *place;
    if (file < 0)
        return;
    place = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (place != MAP_FAILED)
        counts = place;
}

static void count(int place) { __atomic_fetch_add(&counts[place], 1, __ATOMIC_RELAXED); }

/* The function that this one stands in for. */
#define NEXT(result, name, ...)                                                                    \
    static result (*next)(__VA_ARGS__);                                                            \
    if (!next)                                                                                     \
    next = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

int clock_gettime(clockid_t id, struct timespec *now) {
    NEXT(int, "clock_gettime", clockid_t, struct timespec *);
    count(id >= 0 && id < CLOCKS ? (int)id : OTHER_CLOCK);
    return next(id, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    NEXT(int, "gettimeofday", struct timeval *, void *);
    count(GETTIMEOFDAY);
    return next(now, zone);
}

time_t time(time_t *now) {
    NEXT(time_t, "time", time_t *);
    count(TIME);
    return next(now);
}

clock_t clock(void) {
    NEXT(clock_t, "clock", void);
    count(CLOCK);
    return next();
}

clock_t times(struct tms *used) {
    NEXT(clock_t, "times", struct tms *);
    count(TIMES);
    return next(used);
}

int getrusage(int who, struct rusage *used) {
    NEXT(int, "getrusage", int, struct rusage *);
    count(GETRUSAGE);
    return next(who, used);
}
