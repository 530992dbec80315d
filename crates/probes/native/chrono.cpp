// The clocks of the C++ library, with the cast to milliseconds and without.
#include "reader.h"

#include <chrono>
#include <cstdint>

CS_READER(cxx_empty, 0, CS_SINK(0), 0, 1.0, -1.0);

template <class Clock>
static inline uint64_t ms() {
    using std::chrono::milliseconds;
    const auto since = Clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<milliseconds>(since).count());
}

template <class Clock>
constexpr double period_hz() {
    return double(Clock::period::den) / double(Clock::period::num);
}

template <class Clock>
static inline uint64_t count() {
    return static_cast<uint64_t>(Clock::now().time_since_epoch().count());
}

#define CS_CHRONO_CAST(name, clock) \
    CS_READER(name, 0, CS_SINK(ms<clock>()), ms<clock>(), 1000.0, 1e6)

#define CS_CHRONO_COUNT(name, clock) \
    CS_READER(name, 0, CS_SINK(count<clock>()), count<clock>(), period_hz<clock>(), \
              1e9 / period_hz<clock>())

CS_CHRONO_CAST(cxx_steady_clock, std::chrono::steady_clock);
CS_CHRONO_CAST(cxx_system_clock, std::chrono::system_clock);
CS_CHRONO_CAST(cxx_high_resolution_clock, std::chrono::high_resolution_clock);
CS_CHRONO_COUNT(cxx_steady_clock_nocast, std::chrono::steady_clock);
CS_CHRONO_COUNT(cxx_system_clock_nocast, std::chrono::system_clock);

// The period of each clock as the library declares it: seconds, as numerator and denominator. The
// places are those that src/clocks/cxx.rs names.
#define CS_PERIOD(clock) {std::chrono::clock::period::num, std::chrono::clock::period::den}
extern "C" __attribute__((used)) const int64_t cs_cxx_periods[3][2] = {
    CS_PERIOD(steady_clock), CS_PERIOD(system_clock), CS_PERIOD(high_resolution_clock)};
