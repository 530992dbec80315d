/*
 * chronoscope for C++: a clock for std::chrono, and waits for its durations. C++11 and later.
 *
 *     #include <chrono>
 *     #include <chronoscope.hpp>
 *
 *     auto start = chronoscope::clock::now();
 *     chronoscope::sleep_for(std::chrono::milliseconds(2));
 *     auto took = std::chrono::duration_cast<std::chrono::microseconds>(
 *         chronoscope::clock::now() - start);
 *
 * The whole C interface, <chronoscope.h>, is also available.
 */
#ifndef CHRONOSCOPE_HPP
#define CHRONOSCOPE_HPP

#include <chrono>
#include <cstdint>
#include <ratio>
#include <type_traits>

#include "chronoscope.h"

namespace chronoscope {

namespace detail {

/* A template, so that the constant can be defined in a header before C++17. */
template <typename Unused>
struct steady {
    static constexpr bool is_steady = true;
};

template <typename Unused>
constexpr bool steady<Unused>::is_steady;

/* Whole nanoseconds, rounded up so that a wait is never early, and clamped to the largest value. */
template <typename Rep, typename Period>
std::uint64_t nanoseconds(const std::chrono::duration<Rep, Period> &time) {
    typedef std::chrono::nanoseconds nano;
    if (!(time > std::chrono::duration<Rep, Period>::zero())) {
        return 0;
    }
    /* Compares in floating point, because the conversion itself might overflow. */
    typedef std::chrono::duration<double, std::nano> wide;
    if (wide(time) >= wide((nano::max)())) {
        return static_cast<std::uint64_t>((nano::max)().count());
    }
    /* A float has too few digits for nanoseconds. */
    typedef std::chrono::duration<Rep, Period> given;
    typedef typename std::conditional<std::chrono::treat_as_floating_point<Rep>::value, wide,
                                      given>::type exact;
    const exact rounded(time);
    nano whole = std::chrono::duration_cast<nano>(rounded);
    if (whole < rounded) {
        ++whole;
    }
    return static_cast<std::uint64_t>(whole.count());
}

}  // namespace detail

/*
 * A steady clock in nanoseconds that meets [time.clock.req], also between threads: what one has
 * handed over is never later than what another reads then, as long as the counters of their CPUs
 * differ by less than the hand-over takes. It costs an ordered read of the counter.
 */
struct clock : detail::steady<void> {
    typedef std::int64_t rep;
    typedef std::nano period;
    typedef std::chrono::duration<rep, period> duration;
    typedef std::chrono::time_point<clock> time_point;

    static time_point now() noexcept {
        return time_point(duration(static_cast<rep>(chronoscope_steady_ns())));
    }
};

/* Waits for at least this long: precisely, and for little CPU time. */
template <typename Rep, typename Period>
void sleep_for(const std::chrono::duration<Rep, Period> &time) {
    chronoscope_sleep_ns(detail::nanoseconds(time), nullptr);
}

/* Waits until the deadline. Returns at once if it has passed. */
template <typename Duration>
void sleep_until(const std::chrono::time_point<clock, Duration> &deadline) {
    /* In the units of the deadline, the time that is left might overflow, or be rounded. */
    const std::uint64_t whole = detail::nanoseconds(deadline.time_since_epoch());
    for (;;) {
        const std::uint64_t now = chronoscope_steady_ns();
        if (now >= whole) {
            return;
        }
        chronoscope_sleep_ns(whole - now, nullptr);
    }
}

/*
 * Whether a measured piece ran undisturbed. It belongs to the thread that made it.
 *
 *     chronoscope::witness witness(CHRONOSCOPE_ENTRIES);
 *     witness.begin();
 *     work();
 *     const chronoscope_verdict verdict = witness.end();
 *     if (verdict.found == 0) { ... }
 */
class witness {
public:
    explicit witness(std::uint32_t level = CHRONOSCOPE_MARKS) : made(nullptr) {
        chronoscope_witness_new(level, &made);
    }
    ~witness() { chronoscope_witness_free(made); }
    witness(const witness &) = delete;
    witness &operator=(const witness &) = delete;

    void begin() noexcept { chronoscope_witness_begin(made); }

    /* Everything is unknown if there was no memory for a witness. */
    chronoscope_verdict end() noexcept {
        chronoscope_verdict verdict = {0, ~0u, 0};
        chronoscope_witness_end(made, &verdict);
        return verdict;
    }

private:
    chronoscope_witness *made;
};

/*
 * The wall clock for loggers that ask an object for nanoseconds since 1970, such as quill:
 *
 *     chronoscope::wall_source<quill::UserClockSource> source;
 *
 * It may go back by some nanoseconds when it is adjusted, and by more if the system's clock is set.
 */
template <typename Source>
struct wall_source : Source {
    std::uint64_t now() const override { return chronoscope_wall_ns(); }
};

}  // namespace chronoscope

#endif
