/* The calls of the C library that only Unix has. */
#define _GNU_SOURCE
#include "reader.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t cs_timeval_us(struct timeval t) {
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

static inline uint64_t cs_gettimeofday_us(void) {
    struct timeval t;
    return gettimeofday(&t, NULL) ? 0 : cs_timeval_us(t);
}

CS_READER(c_gettimeofday, cs_gettimeofday_us() ? 0 : errno,
          struct timeval t; gettimeofday(&t, NULL); CS_SINK_MEM(t),
          cs_gettimeofday_us(), 1e6, 1e3);

static inline int cs_getrusage_check(void) {
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) ? errno : 0;
}

static inline uint64_t cs_getrusage_us(void) {
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) ? 0 : cs_timeval_us(use.ru_utime) + cs_timeval_us(use.ru_stime);
}

CS_READER(c_getrusage, cs_getrusage_check(),
          struct rusage use; getrusage(RUSAGE_SELF, &use); CS_SINK_MEM(use),
          cs_getrusage_us(), 1e6, 1e3);

static inline int cs_times_check(void) {
    struct tms use;
    return sysconf(_SC_CLK_TCK) <= 0 || times(&use) == (clock_t)-1 ? ENOTSUP : 0;
}

static inline uint64_t cs_times_ticks(void) {
    struct tms use;
    times(&use);
    return (uint64_t)use.tms_utime + (uint64_t)use.tms_stime;
}

CS_READER(c_times, cs_times_check(),
          struct tms use; times(&use); CS_SINK_MEM(use),
          cs_times_ticks(), (double)sysconf(_SC_CLK_TCK), 1e9 / (double)sysconf(_SC_CLK_TCK));

/* POSIX dropped ftime() in 2008. A C library that still has it may no longer declare it, and new
 * ports also lack the symbol, so it is declared here as a weak symbol. */
#ifdef __linux__
struct cs_timeb {
    time_t time;
    unsigned short millitm;
    short timezone, dstflag;
};
extern int ftime(struct cs_timeb *) __attribute__((weak));
#else
struct cs_timeb {
    time_t time;
    unsigned short millitm;
};
static int (*const ftime)(struct cs_timeb *) = NULL;
#endif

static inline uint64_t cs_ftime_ms(void) {
    struct cs_timeb t;
    ftime(&t);
    return (uint64_t)t.time * 1000u + t.millitm;
}

CS_READER(c_ftime, ftime ? 0 : ENOSYS,
          struct cs_timeb t; ftime(&t); CS_SINK_MEM(t),
          cs_ftime_ms(), 1e3, 1e6);
