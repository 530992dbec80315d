/*
 * A clock for std::chrono, usable wherever a clock is expected. C++11:
 *
 *     c++ -std=c++11 chrono.cpp $(pkg-config --cflags --libs chronoscope) -o chrono
 */
#include <chrono>
#include <iostream>
#include <thread>

#include <chronoscope.hpp>

int main() {
    using std::chrono::duration_cast;
    using std::chrono::microseconds;
    using std::chrono::milliseconds;

    const auto start = chronoscope::clock::now();

    // The standard library's wait, by this clock: as late as the system wakes it. That of MinGW,
    // which sleeps with nanosleep, may return early.
    const auto first = start + milliseconds(2);
    std::this_thread::sleep_until(first);
    const auto after_first = chronoscope::clock::now();

    // The same with this library: on time.
    const auto second = first + milliseconds(2);
    chronoscope::sleep_until(second);
    const auto after_second = chronoscope::clock::now();

    std::cout << "std::this_thread::sleep_until: " << (after_first - first).count() << " ns late\n"
              << "chronoscope::sleep_until: " << (after_second - second).count() << " ns late\n"
              << "in all " << duration_cast<microseconds>(after_second - start).count() << " us\n";
    return after_second >= second ? 0 : 1;
}
