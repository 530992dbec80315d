/* The waits of C++'s standard library, for crates/probes/src/waits/standard.rs. */

#include <chrono>
#include <cstdint>
#include <thread>

using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

extern "C" {

void cs_sleep_for(std::uint64_t ns) {
    std::this_thread::sleep_for(nanoseconds(static_cast<std::int64_t>(ns)));
}

/* Sleeps until `ns` from now. */
void cs_sleep_until_after(std::uint64_t ns) {
    std::this_thread::sleep_until(
        steady_clock::now() +
        duration_cast<steady_clock::duration>(nanoseconds(static_cast<std::int64_t>(ns))));
}

/* Sleeps until steady_clock shows `ns`. */
void cs_sleep_until(std::uint64_t ns) {
    std::this_thread::sleep_until(steady_clock::time_point(
        duration_cast<steady_clock::duration>(nanoseconds(static_cast<std::int64_t>(ns)))));
}
}
