/* The probe of C, with the calls of POSIX or Windows. See PROTOCOL.md. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <time.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <sys/time.h>
#include <unistd.h>
#endif

#define RUNTIME_NAME "C"
#ifdef _WIN32
#define SLEEP_ID "sleep"
#define SLEEP_CALL "Sleep(ms)"
#else
#define SLEEP_ID "nanosleep"
#define SLEEP_CALL "nanosleep(&t, NULL)"
#endif
#include "probe.h"

static const char *runtime_version(void) {
#ifdef __VERSION__
    return __VERSION__;
#else
    return "unknown";
#endif
}

static const char *runtime_build(void) {
#ifdef __OPTIMIZE__
    return "optimised";
#else
    return "not optimised";
#endif
}

static inline int64_t seconds_and_ns(struct timespec now) {
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* `clock()` has no argument, so the value before selects the pointer to it. */
static clock_t (*const volatile CLOCK_CALLS[1])(void) = {clock};

CLOCK_LOOPS(clock_call, clock(), CLOCK_CALLS[zero]())
CLOCK_LOOPS(time_call, time(NULL), time((time_t *)(uintptr_t)zero))

#ifdef _WIN32
static inline int64_t counter_at(int64_t place) {
    LARGE_INTEGER now[1];
    QueryPerformanceCounter(&now[place]);
    return now[place].QuadPart;
}

static inline int64_t file_time(FILETIME time) {
    return (int64_t)(((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime));
}

static inline int64_t precise_at(int64_t place) {
    FILETIME now[1];
    GetSystemTimePreciseAsFileTime(&now[place]);
    return file_time(now[place]) - 116444736000000000;
}

static inline int64_t coarse_at(int64_t place) {
    FILETIME now[1];
    GetSystemTimeAsFileTime(&now[place]);
    return file_time(now[place]) - 116444736000000000;
}

static ULONGLONG(WINAPI *const volatile TICK_CALLS[1])(void) = {GetTickCount64};

CLOCK_LOOPS(counter, counter_at(0), counter_at(zero))
CLOCK_LOOPS(precise, precise_at(0), precise_at(zero))
CLOCK_LOOPS(coarse, coarse_at(0), coarse_at(zero))
CLOCK_LOOPS(tick, GetTickCount64(), TICK_CALLS[zero]())

static Clock CLOCKS[] = {
    {"query-performance-counter", "QueryPerformanceCounter(&t)", "monotonic", 0, 0, "",
     counter_read, counter_throughput, counter_latency},
    {"get-system-time-precise-as-file-time", "GetSystemTimePreciseAsFileTime(&t)", "wall", 1e7, 100,
     "", precise_read, precise_throughput, precise_latency},
    {"get-system-time-as-file-time", "GetSystemTimeAsFileTime(&t)", "wall", 1e7, 0, "", coarse_read,
     coarse_throughput, coarse_latency},
    {"get-tick-count-64", "GetTickCount64()", "monotonic", 1e3, 0, "", tick_read, tick_throughput,
     tick_latency},
    {"time", "time(NULL)", "wall", 1, 1e9, "", time_call_read, time_call_throughput,
     time_call_latency},
};

static Clock *clocks(void) {
    LARGE_INTEGER hz;
    if (!CLOCKS[0].hz && QueryPerformanceFrequency(&hz)) {
        CLOCKS[0].hz = (double)hz.QuadPart;
        CLOCKS[0].claimed_ns = 1e9 / (double)hz.QuadPart;
    }
    return CLOCKS;
}

static double sleep_unit_ns(void) { return 1e6; }
static void sleep_ns(int64_t ns) { Sleep((DWORD)((ns + 999999) / 1000000)); }
#else
static inline int64_t gettime(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return seconds_and_ns(now);
}

static inline int64_t day_at(int64_t place) {
    struct timeval now[1];
    gettimeofday(&now[place], NULL);
    return (int64_t)now[place].tv_sec * 1000000 + now[place].tv_usec;
}

CLOCK_LOOPS(monotonic, gettime(CLOCK_MONOTONIC), gettime(CLOCK_MONOTONIC + (clockid_t)zero))
CLOCK_LOOPS(realtime, gettime(CLOCK_REALTIME), gettime(CLOCK_REALTIME + (clockid_t)zero))
CLOCK_LOOPS(day, day_at(0), day_at(zero))
#ifdef CLOCK_MONOTONIC_COARSE
CLOCK_LOOPS(rough, gettime(CLOCK_MONOTONIC_COARSE),
            gettime(CLOCK_MONOTONIC_COARSE + (clockid_t)zero))
#endif

static Clock CLOCKS[] = {
    {"clock-gettime-monotonic", "clock_gettime(CLOCK_MONOTONIC, &t)", "monotonic", 1e9, 0,
     "clock_gettime(CLOCK_MONOTONIC)", monotonic_read, monotonic_throughput, monotonic_latency},
    {"clock-gettime-realtime", "clock_gettime(CLOCK_REALTIME, &t)", "wall", 1e9, 0,
     "clock_gettime(CLOCK_REALTIME)", realtime_read, realtime_throughput, realtime_latency},
    {"gettimeofday", "gettimeofday(&t, NULL)", "wall", 1e6, 0, "gettimeofday()", day_read,
     day_throughput, day_latency},
    {"time", "time(NULL)", "wall", 1, 0, "time()", time_call_read, time_call_throughput,
     time_call_latency},
    {"clock", "clock()", "cpu", CLOCKS_PER_SEC, 1e9 / CLOCKS_PER_SEC,
     "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)", clock_call_read, clock_call_throughput,
     clock_call_latency},
#ifdef CLOCK_MONOTONIC_COARSE
    {"clock-gettime-monotonic-coarse", "clock_gettime(CLOCK_MONOTONIC_COARSE, &t)", "monotonic",
     1e9, 0, "clock_gettime(CLOCK_MONOTONIC_COARSE)", rough_read, rough_throughput, rough_latency},
#endif
};

static Clock *clocks(void) {
    struct timespec claimed;
    if (!CLOCKS[0].claimed_ns) {
        clock_getres(CLOCK_MONOTONIC, &claimed);
        CLOCKS[0].claimed_ns = (double)seconds_and_ns(claimed);
        clock_getres(CLOCK_REALTIME, &claimed);
        CLOCKS[1].claimed_ns = (double)seconds_and_ns(claimed);
        /* The units of the interfaces that claim nothing. */
        CLOCKS[2].claimed_ns = 1e3;
        CLOCKS[3].claimed_ns = 1e9;
#ifdef CLOCK_MONOTONIC_COARSE
        clock_getres(CLOCK_MONOTONIC_COARSE, &claimed);
        CLOCKS[5].claimed_ns = (double)seconds_and_ns(claimed);
#endif
    }
    return CLOCKS;
}

static double sleep_unit_ns(void) { return 1; }
static void sleep_ns(int64_t ns) {
    struct timespec time;
    time.tv_sec = (time_t)(ns / 1000000000);
    time.tv_nsec = (long)(ns % 1000000000);
    nanosleep(&time, NULL);
}
#endif

static int clock_count(void) { return (int)(sizeof CLOCKS / sizeof *CLOCKS); }
