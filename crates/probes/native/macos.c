/* The clocks of macOS, by their names in Apple's headers. */
#include "reader.h"

#include <mach/clock.h>
#include <mach/mach.h>
#include <mach/mach_time.h>
#include <time.h>

/* clock_get_time needs a port of the clock service, which must be obtained before the first use and
 * released after the last. This happens before main and at exit, so that no first read has to pay
 * for it. */
static clock_serv_t system_clock, calendar_clock;

__attribute__((constructor)) static void cs_mach_clocks_get(void) {
    host_t host = mach_host_self();
    if (host_get_clock_service(host, SYSTEM_CLOCK, &system_clock) != KERN_SUCCESS)
        system_clock = MACH_PORT_NULL;
    if (host_get_clock_service(host, CALENDAR_CLOCK, &calendar_clock) != KERN_SUCCESS)
        calendar_clock = MACH_PORT_NULL;
    mach_port_deallocate(mach_task_self(), host);
}

__attribute__((destructor)) static void cs_mach_clocks_put(void) {
    if (system_clock != MACH_PORT_NULL) mach_port_deallocate(mach_task_self(), system_clock);
    if (calendar_clock != MACH_PORT_NULL) mach_port_deallocate(mach_task_self(), calendar_clock);
}

static int mach_clock_check(clock_serv_t clock) {
    mach_timespec_t t;
    return clock != MACH_PORT_NULL && clock_get_time(clock, &t) == KERN_SUCCESS ? 0 : ENOTSUP;
}

/* The resolution of clock_get_time that the service reports, in ns. */
static double mach_clock_res(clock_serv_t clock) {
    natural_t ns = 0;
    mach_msg_type_number_t count = 1;
    kern_return_t got =
        clock_get_attributes(clock, CLOCK_GET_TIME_RES, (clock_attr_t)&ns, &count);
    return got == KERN_SUCCESS && count == 1 && ns ? (double)ns : -1.0;
}

static inline uint64_t mach_clock_ns(clock_serv_t clock) {
    mach_timespec_t t;
    return clock_get_time(clock, &t) == KERN_SUCCESS
               ? (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec
               : 0;
}

#define CS_MACH_CLOCK(name, clock)                                                            \
    CS_READER(name, mach_clock_check(clock),                                                  \
              mach_timespec_t t; clock_get_time(clock, &t); CS_SINK_MEM(t),                   \
              mach_clock_ns(clock), 1e9, mach_clock_res(clock))

CS_MACH_CLOCK(mach_clock_get_time_system, system_clock);
CS_MACH_CLOCK(mach_clock_get_time_calendar, calendar_clock);

/* Nanoseconds in a tick of mach_absolute_time, or 0. */
static double mach_tick_ns(void) {
    mach_timebase_info_data_t base;
    return mach_timebase_info(&base) == KERN_SUCCESS && base.numer && base.denom
               ? (double)base.numer / base.denom
               : 0.0;
}

static double mach_hz(void) {
    double tick = mach_tick_ns();
    return tick > 0 ? 1e9 / tick : -1.0;
}

#define CS_MACH_TIME(name, read, nominal) \
    CS_READER(name, mach_tick_ns() > 0 ? 0 : ENOTSUP, CS_SINK(read()), read(), mach_hz(), nominal)

CS_MACH_TIME(mach_absolute_time, mach_absolute_time, mach_tick_ns());
CS_MACH_TIME(mach_continuous_time, mach_continuous_time, mach_tick_ns());
/* Nothing reports how coarse the approximate clock is. */
CS_MACH_TIME(mach_approximate_time, mach_approximate_time, -1.0);

static double darwin_clock_res(clockid_t id) {
    struct timespec t;
    return clock_getres(id, &t) ? -1.0 : (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* clock_gettime_nsec_np returns 0 if it fails. */
#define CS_NSEC(name, id)                                                                     \
    CS_READER(name, clock_gettime_nsec_np(id) ? 0 : errno, CS_SINK(clock_gettime_nsec_np(id)), \
              clock_gettime_nsec_np(id), 1e9, darwin_clock_res(id))

CS_NSEC(darwin_clock_gettime_nsec_np_realtime, CLOCK_REALTIME);
CS_NSEC(darwin_clock_gettime_nsec_np_monotonic, CLOCK_MONOTONIC);
CS_NSEC(darwin_clock_gettime_nsec_np_monotonic_raw, CLOCK_MONOTONIC_RAW);
CS_NSEC(darwin_clock_gettime_nsec_np_monotonic_raw_approx, CLOCK_MONOTONIC_RAW_APPROX);
CS_NSEC(darwin_clock_gettime_nsec_np_uptime_raw, CLOCK_UPTIME_RAW);
CS_NSEC(darwin_clock_gettime_nsec_np_uptime_raw_approx, CLOCK_UPTIME_RAW_APPROX);
CS_NSEC(darwin_clock_gettime_nsec_np_process_cputime, CLOCK_PROCESS_CPUTIME_ID);
CS_NSEC(darwin_clock_gettime_nsec_np_thread_cputime, CLOCK_THREAD_CPUTIME_ID);
