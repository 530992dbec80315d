/* A preloaded clock_gettime whose monotonic clock goes 1 ms back at every 1000th read, as a faulty
 * shim of a test framework or of a sandbox might. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int (*original)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find(void)
{
    original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static unsigned reads;
    if (!original)
        find();
    int failed = original(clock, now);
    if (!failed && clock == CLOCK_MONOTONIC && ++reads % 1000 == 0) {
        now->tv_nsec -= 1000000;
        if (now->tv_nsec < 0) {
            now->tv_nsec += 1000000000;
            now->tv_sec--;
        }
    }
    return failed;
}
