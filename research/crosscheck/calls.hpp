// The calls to compare, written as in chronoscope's catalogue. Google Benchmark and criterion share
// this list: the former inlines the calls, the latter calls them through functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <time.h>
#include <x86intrin.h>

namespace calls {

inline uint64_t rdtsc() { return __rdtsc(); }

inline uint64_t rdtscp() {
    unsigned aux;
    return __rdtscp(&aux);
}

template <clockid_t id> inline timespec clock_gettime() {
    timespec t;
    ::clock_gettime(id, &t);
    return t;
}

inline clock_t clock() { return ::clock(); }

template <class Clock> inline int64_t cast() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
}

template <class Clock> inline int64_t count() { return Clock::now().time_since_epoch().count(); }

} // namespace calls

// CALL(id in the catalogue, name, expression)
#define CALLS(CALL)                                                                              \
    CALL("x86/rdtsc-intrinsic", rdtsc, calls::rdtsc())                                           \
    CALL("x86/rdtscp", rdtscp, calls::rdtscp())                                                  \
    CALL("posix/realtime", realtime, calls::clock_gettime<CLOCK_REALTIME>())                     \
    CALL("posix/monotonic", monotonic, calls::clock_gettime<CLOCK_MONOTONIC>())                  \
    CALL("linux/monotonic-raw", monotonic_raw, calls::clock_gettime<CLOCK_MONOTONIC_RAW>())      \
    CALL("linux/monotonic-coarse", monotonic_coarse,                                             \
         calls::clock_gettime<CLOCK_MONOTONIC_COARSE>())                                         \
    CALL("posix/process-cputime", process_cputime,                                               \
         calls::clock_gettime<CLOCK_PROCESS_CPUTIME_ID>())                                       \
    CALL("c/clock", clock, calls::clock())                                                       \
    CALL("cxx/steady_clock", steady_clock, calls::cast<std::chrono::steady_clock>())             \
    CALL("cxx/system_clock", system_clock, calls::cast<std::chrono::system_clock>())             \
    CALL("cxx/steady_clock-nocast", steady_clock_nocast,                                         \
         calls::count<std::chrono::steady_clock>())                                              \
    CALL("cxx/system_clock-nocast", system_clock_nocast,                                         \
         calls::count<std::chrono::system_clock>())
