/* Preloaded into the exporter, this plants a fault: the clock is read by a system call. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *time)
{
    return (int)syscall(SYS_clock_gettime, id, time);
}
