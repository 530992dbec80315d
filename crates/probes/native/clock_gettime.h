/* One clock of clock_gettime. The timespec is sunk in memory, as by a caller that keeps it; it is
 * converted to nanoseconds only if values are wanted. */
#ifndef CHRONOSCOPE_CLOCK_GETTIME_H
#define CHRONOSCOPE_CLOCK_GETTIME_H

#include "reader.h"

#include <time.h>

static inline uint64_t cs_timespec_ns(struct timespec t) {
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t cs_clock_ns(clockid_t id) {
    struct timespec t;
    return clock_gettime(id, &t) ? 0 : cs_timespec_ns(t);
}

static inline int cs_clock_check(clockid_t id) {
    struct timespec t;
    return clock_gettime(id, &t) ? errno : 0;
}

static inline double cs_clock_res(clockid_t id) {
    struct timespec t;
    return clock_getres(id, &t) ? -1.0 : (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define CS_CLOCK_GETTIME(name, id)                                                            \
    CS_READER(name, cs_clock_check(id),                                                       \
              struct timespec t; clock_gettime(id, &t); CS_SINK_MEM(t),                       \
              cs_clock_ns(id), 1e9, cs_clock_res(id))

#endif
