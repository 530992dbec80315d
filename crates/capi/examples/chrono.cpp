/*
 * Uses chronoscope as a clock for std::chrono, and its precise wait. C++11:
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

    // The standard library's wait with this clock ends when the system wakes the thread, so it is
    // late. MinGW's version sleeps with nanosleep and may return early.
    const auto first = start + milliseconds(2);
    std::this_thread::sleep_until(first);
    const auto after_first = chronoscope::clock::now();

    // The same wait with this library ends on time.
    const auto second = first + milliseconds(2);
    chronoscope::sleep_until(second);
    const auto after_second = chronoscope::clock::now();

    std::cout << "std::this_thread::sleep_until: " << (after_first - first).count() << " ns late\n"
              << "chronoscope::sleep_until: " << (after_second - second).count() << " ns late\n"
              << "total: " << duration_cast<microseconds>(after_second - start).count() << " us\n";
    return after_second >= second ? 0 : 1;
}
