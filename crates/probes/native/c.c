/* The clocks of the C library that every system has. */
#include "clock_gettime.h"

/* The loop without a read. */
CS_READER(c_empty, 0, CS_SINK(0), 0, 1.0, -1.0);

CS_READER(c_clock, clock() == (clock_t)-1 ? ENOTSUP : 0,
          CS_SINK(clock()), clock(), CLOCKS_PER_SEC, 1e9 / CLOCKS_PER_SEC);

CS_READER(c_time, time(NULL) == (time_t)-1 ? ENOTSUP : 0,
          CS_SINK(time(NULL)), time(NULL), 1.0, 1e9);

/* From C11; older C libraries lack it. */
#ifdef TIME_UTC
static inline int cs_timespec_get(struct timespec *t) {
    return timespec_get(t, TIME_UTC) == TIME_UTC ? 0 : ENOTSUP;
}
#else
static inline int cs_timespec_get(struct timespec *t) {
    t->tv_sec = 0;
    t->tv_nsec = 0;
    return ENOTSUP;
}
#endif

static inline uint64_t cs_timespec_get_ns(void) {
    struct timespec t;
    return cs_timespec_get(&t) ? 0 : cs_timespec_ns(t);
}

static inline int cs_timespec_get_check(void) {
    struct timespec t;
    return cs_timespec_get(&t);
}

/* Few libraries have C23's timespec_getres() yet; C11 has no call for the resolution. */
CS_READER(c_timespec_get, cs_timespec_get_check(),
          struct timespec t; cs_timespec_get(&t); CS_SINK_MEM(t),
          cs_timespec_get_ns(), 1e9, -1.0);
