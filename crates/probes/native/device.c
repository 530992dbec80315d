/* Clocks that are devices. src/clocks/linux/device.rs opens them and gives the file here before
 * any read. */
#define _GNU_SOURCE
#include "clock_gettime.h"

#include <linux/rtc.h>
#include <sys/ioctl.h>

/* A file of a clock as the name of a clock: clock_getres(2), "Dynamic clocks". */
#define FD_TO_CLOCKID(fd) ((clockid_t)((~(unsigned)(fd) << 3) | 3))

static clockid_t cs_ptp;

void cs_linux_ptp_use(int fd);
void cs_linux_ptp_use(int fd) {
    cs_ptp = FD_TO_CLOCKID(fd);
}

CS_CLOCK_GETTIME(linux_ptp, cs_ptp);

static int cs_rtc = -1;

void cs_linux_rtc_use(int fd);
void cs_linux_rtc_use(int fd) {
    cs_rtc = fd;
}

static inline int cs_rtc_check(void) {
    struct rtc_time t;
    return ioctl(cs_rtc, RTC_RD_TIME, &t) ? errno : 0;
}

static inline uint64_t cs_rtc_s(void) {
    struct rtc_time t;
    if (ioctl(cs_rtc, RTC_RD_TIME, &t)) return 0;
    struct tm date = {.tm_year = t.tm_year, .tm_mon = t.tm_mon, .tm_mday = t.tm_mday,
                      .tm_hour = t.tm_hour, .tm_min = t.tm_min, .tm_sec = t.tm_sec};
    return (uint64_t)timegm(&date);
}

CS_READER(linux_rtc, cs_rtc_check(),
          struct rtc_time t; ioctl(cs_rtc, RTC_RD_TIME, &t); CS_SINK_MEM(t),
          cs_rtc_s(), 1.0, 1e9);
