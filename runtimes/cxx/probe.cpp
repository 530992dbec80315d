// The probe of C++, with the clocks of <chrono>. See PROTOCOL.md.
#include <chrono>
#include <ctime>
#include <thread>

#define RUNTIME_NAME "C++"
#define SLEEP_ID "sleep-for"
#define SLEEP_CALL "std::this_thread::sleep_for(d)"
#include "probe.h"

using namespace std::chrono;

static const char *runtime_version() {
#ifdef __VERSION__
    return __VERSION__;
#else
    return "unknown";
#endif
}

static const char *runtime_build() {
#ifdef __OPTIMIZE__
    return "optimised";
#else
    return "not optimised";
#endif
}

// `now()` has no argument, so the value before selects the pointer to it.
template <class T> struct Calls {
    static typename T::time_point (*volatile now[1])();
};
template <class T> typename T::time_point (*volatile Calls<T>::now[1])() = {T::now};

template <class T> static inline int64_t raw(typename T::time_point time) {
    return static_cast<int64_t>(time.time_since_epoch().count());
}

static std::clock_t (*volatile CLOCK_CALLS[1])() = {std::clock};

CLOCK_LOOPS(steady, raw<steady_clock>(steady_clock::now()),
            raw<steady_clock>(Calls<steady_clock>::now[zero]()))
CLOCK_LOOPS(wall, raw<system_clock>(system_clock::now()),
            raw<system_clock>(Calls<system_clock>::now[zero]()))
CLOCK_LOOPS(cpu, std::clock(), CLOCK_CALLS[zero]())

template <class T> static double hz() {
    return static_cast<double>(T::period::den) / static_cast<double>(T::period::num);
}

static Clock *clocks() {
    // The period is all that these clocks claim.
    static Clock made[] = {
        {"steady-clock", "std::chrono::steady_clock::now()", "monotonic", hz<steady_clock>(),
         1e9 / hz<steady_clock>(), "", steady_read, steady_throughput, steady_latency},
        {"system-clock", "std::chrono::system_clock::now()", "wall", hz<system_clock>(),
         1e9 / hz<system_clock>(), "", wall_read, wall_throughput, wall_latency},
        {"clock", "std::clock()", "cpu", CLOCKS_PER_SEC, 1e9 / CLOCKS_PER_SEC, "", cpu_read,
         cpu_throughput, cpu_latency},
    };
    return made;
}

static int clock_count() { return 3; }

static double sleep_unit_ns() { return 1; }
static void sleep_ns(int64_t ns) { std::this_thread::sleep_for(nanoseconds(ns)); }
