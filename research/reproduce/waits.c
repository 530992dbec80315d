/* Waits of some milliseconds by each routine, on Windows and on Unix. Arguments: milliseconds and
 * passes. Prints a name and a number for each routine: by how much its waits are late in the
 * median, in nanoseconds, by QueryPerformanceCounter or CLOCK_MONOTONIC. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <windows.h>
#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif
#else
#include <stdint.h>
#include <sys/timerfd.h>
#endif

static long ms;

static double now(void) {
#ifdef _WIN32
    LARGE_INTEGER hz, t;
    QueryPerformanceFrequency(&hz);
    QueryPerformanceCounter(&t);
    return (double)t.QuadPart * 1e9 / (double)hz.QuadPart;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
#endif
}

static void busy_until(double end) { while (now() < end) {} }
static void busy(void) { busy_until(now() + (double)ms * 1e6); }
static void by_usleep(void) { usleep((unsigned)ms * 1000); }
static void by_nanosleep(void) {
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&t, NULL);
}

#ifdef _WIN32
static HANDLE normal, high;
static void by_sleep(void) { Sleep((DWORD)ms); }
static void by_timer(HANDLE timer) {
    LARGE_INTEGER due;
    due.QuadPart = -(long long)ms * 10000;
    SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE);
    WaitForSingleObject(timer, INFINITE);
}
static void by_normal(void) { by_timer(normal); }
static void by_high(void) { by_timer(high); }
#else
static int timer;
static void by_timerfd(void) {
    struct itimerspec spec = { { 0, 0 }, { ms / 1000, ms % 1000 * 1000000 } };
    uint64_t expirations;
    timerfd_settime(timer, 0, &spec, NULL);
    if (read(timer, &expirations, 8) != 8) exit(1);
}
#endif

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test(const char *name, void (*wait)(void), int passes) {
    double *late = malloc((size_t)passes * sizeof *late);
    for (int i = 0; i < passes; i++) {
        double start = now();
        wait();
        late[i] = now() - start - (double)ms * 1e6;
    }
    qsort(late, (size_t)passes, sizeof *late, order);
    printf("%s.median %.0f\n", name, late[passes / 2]);
    free(late);
}

int main(int count, char **args) {
    ms = count > 1 ? atol(args[1]) : 100;
    int passes = count > 2 ? atoi(args[2]) : 50;
#ifdef _WIN32
    normal = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
    high = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
                                  TIMER_ALL_ACCESS);
    test("sleep", by_sleep, passes);
    if (normal) test("timer", by_normal, passes);
    if (high) test("high", by_high, passes);
#else
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    test("timerfd", by_timerfd, passes);
#endif
    test("usleep", by_usleep, passes);
    test("nanosleep", by_nanosleep, passes);
    test("busy", busy, passes);
    return 0;
}
