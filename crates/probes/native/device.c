/* Clocks that are devices. Their state is the descriptor of the file that
 * src/clocks/linux.rs opens. */
#define _GNU_SOURCE
#include "clock_gettime.h"

#include <linux/rtc.h>
#include <sys/ioctl.h>

/* The clock id of a clock's file: clock_getres(2), "Dynamic clocks". */
#define FD_TO_CLOCKID(fd) ((clockid_t)((~(unsigned)(fd) << 3) | 3))

CS_CLOCK_GETTIME(linux_ptp, FD_TO_CLOCKID(state));

static inline int cs_rtc_check(int fd) {
    struct rtc_time t;
    return ioctl(fd, RTC_RD_TIME, &t) ? errno : 0;
}

static inline uint64_t cs_rtc_s(int fd) {
    struct rtc_time t;
    if (ioctl(fd, RTC_RD_TIME, &t)) return 0;
    struct tm date = {.tm_year = t.tm_year, .tm_mon = t.tm_mon, .tm_mday = t.tm_mday,
                      .tm_hour = t.tm_hour, .tm_min = t.tm_min, .tm_sec = t.tm_sec};
    return (uint64_t)timegm(&date);
}

CS_READER(linux_rtc, cs_rtc_check((int)state),
          struct rtc_time t; ioctl((int)state, RTC_RD_TIME, &t); CS_SINK_MEM(t),
          cs_rtc_s((int)state), 1.0, 1e9);
