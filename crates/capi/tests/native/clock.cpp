// What [time.clock.req] requires of a clock, and the edge cases of its waits.
#include <atomic>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <mutex>
#include <thread>
#include <type_traits>

#include <chronoscope.hpp>

typedef chronoscope::clock clock_type;

static_assert(std::is_arithmetic<clock_type::rep>::value, "rep");
static_assert(std::is_same<clock_type::period, std::nano>::value, "period");
static_assert(std::is_same<clock_type::duration,
                           std::chrono::duration<clock_type::rep, clock_type::period>>::value,
              "duration");
static_assert(std::is_same<clock_type::time_point, std::chrono::time_point<clock_type>>::value,
              "time_point");
static_assert(std::is_same<decltype(clock_type::now()), clock_type::time_point>::value, "now");
static_assert(noexcept(clock_type::now()), "TrivialClock");
static_assert(clock_type::is_steady, "is_steady");
#if defined(__cpp_lib_chrono) && __cpp_lib_chrono >= 201907L
static_assert(std::chrono::is_clock_v<clock_type>, "is_clock");
#endif

// The constant has an address, as for every clock.
static bool same(const bool &left, const bool &right) {
    return left == right;
}

// A logger's source of time, such as quill's.
struct source {
    virtual ~source() {}
    virtual std::uint64_t now() const = 0;
};

int main() {
    using namespace std::chrono;
    int faults = 0;
    auto is = [&faults](bool fine, const char *what) {
        if (!fine) {
            ++faults;
            std::cout << what << " failed\n";
        }
    };

    is(same(clock_type::is_steady, std::chrono::steady_clock::is_steady), "steady");
    const auto ours = clock_type::now();
    const auto theirs = steady_clock::now();
    chronoscope::sleep_for(duration<double, std::milli>(1.5));
    const auto took = clock_type::now() - ours;
    is(took >= microseconds(1500), "1.5 ms were waited for");
    is(took <= (steady_clock::now() - theirs) * 2 + seconds(1), "the scale of the clock");

    // Rounded up: a wait is never early.
    is(chronoscope::detail::nanoseconds(duration<double, std::nano>(0.25)) == 1, "a quarter");
    is(chronoscope::detail::nanoseconds(nanoseconds(7)) == 7, "seven");
    is(chronoscope::detail::nanoseconds(hours(-1)) == 0, "an hour ago");
    is(chronoscope::detail::nanoseconds(duration<double>(std::nan(""))) == 0, "NaN");
    const std::uint64_t most = (std::numeric_limits<std::int64_t>::max)();
    is(chronoscope::detail::nanoseconds(hours::max()) == most, "the longest");
    is(chronoscope::detail::nanoseconds(duration<double>(1e300)) == most, "1e300 s");
    is(chronoscope::detail::nanoseconds(duration<float>(1000)) == 1000000000000, "1000 s");
    is(chronoscope::detail::nanoseconds(duration<float>(1.1f)) == 1100000024, "1.1 s");
    static std::atomic<bool> woke(false);
    std::thread([] {
        chronoscope::sleep_until(time_point<clock_type, hours>((hours::max)()));
        woke = true;
    }).detach();
    chronoscope::sleep_for(milliseconds(20));
    is(!woke, "the last of all hours is not over");

    // The error states how far the library's wall time can be from the system's.
    const chronoscope::wall_source<source> wall;
    const source &seen = wall;
    chronoscope_wall_interval before, after;
    is(chronoscope_wall_checked(&before) == CHRONOSCOPE_OK, "the wall before");
    const std::uint64_t now = seen.now();
    is(chronoscope_wall_checked(&after) == CHRONOSCOPE_OK, "the wall after");
    const std::uint64_t error = before.tracking_ns + after.tracking_ns;
    is(now + error >= before.now && now <= after.now + error, "nanoseconds since 1970");

    // What a thread has handed over, by an atomic or under a mutex, is not later than what another
    // one reads then.
    std::atomic<long long> handed(0), back(0);
    long long guarded = 0;
    std::mutex guard;
    auto reads = [&]() -> long long { return clock_type::now().time_since_epoch().count(); };
    auto hand_over = [&] {
        for (int i = 0; i < 200000; ++i) {
            const long long last_seen = handed.load(std::memory_order_acquire), later = reads();
            back += later < last_seen;
            handed.store(later, std::memory_order_release);
            if (i % 16 == 0) {
                std::lock_guard<std::mutex> held(guard);
                const long long last = reads();
                back += last < guarded;
                guarded = last;
            }
        }
    };
    std::thread other(hand_over);
    hand_over();
    other.join();
    is(back == 0, "threads that hand times over");

    chronoscope::sleep_for(seconds(-5));
    chronoscope::sleep_until(clock_type::time_point());
    chronoscope::sleep_until(ours + seconds(0));
    return faults;
}
