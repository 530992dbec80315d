/*
 * A witness for Google Benchmark: what was disturbed is run again and does not count.
 *
 *     #include <benchmark/benchmark.h>
 *     #include <chronoscope_benchmark.hpp>
 *
 *     static void sum(benchmark::State &state) {
 *         chronoscope::time_undisturbed(state, [] { benchmark::DoNotOptimize(work()); });
 *     }
 *     BENCHMARK(sum)->UseManualTime();
 *
 * The counter `left_out` is the share of runs that did not count, and `disturbed` the share of those
 * that counted although they were disturbed, because too many were. C++11 and later.
 */
#ifndef CHRONOSCOPE_BENCHMARK_HPP
#define CHRONOSCOPE_BENCHMARK_HPP

#include <cstdint>

#include "chronoscope.hpp"

namespace chronoscope {

/*
 * Times a piece in parts of some 50 us each, and runs a part again that was disturbed, up to as many
 * runs as count. What the piece itself does is a disturbance, too: if it waits, this is of no use,
 * and if it touches new memory, look for CHRONOSCOPE_MARKS only. The benchmark has to be registered
 * with UseManualTime.
 */
template <typename State, typename Piece>
void time_undisturbed(State &state, Piece &&piece, std::uint32_t level = CHRONOSCOPE_MARKS) {
    const std::uint64_t part_ns = 50000;
    witness seen(level);
    std::uint64_t counted = 0, left_out = 0, disturbed = 0, part = 1;
    while (state.KeepRunningBatch(static_cast<std::int64_t>(part))) {
        const std::uint64_t runs = part;
        for (;;) {
            seen.begin();
            const chronoscope_instant start = chronoscope_start();
            for (std::uint64_t run = 0; run < runs; ++run) {
                piece();
            }
            const std::uint64_t ns = chronoscope_ns_between(start, chronoscope_stop());
            const bool was_disturbed = seen.end().found != 0;
            if (part == runs && ns < part_ns / 2) {
                part *= 2;
            }
            if (was_disturbed && left_out + runs <= counted + runs) {
                left_out += runs;
                continue;
            }
            counted += runs;
            disturbed += was_disturbed ? runs : 0;
            state.SetIterationTime(static_cast<double>(ns) / 1e9);
            break;
        }
    }
    const double all = static_cast<double>(counted + left_out);
    state.counters["left_out"] = all > 0 ? static_cast<double>(left_out) / all : 0;
    state.counters["disturbed"] = counted > 0 ? static_cast<double>(disturbed) / static_cast<double>(counted) : 0;
}

}  // namespace chronoscope

#endif  /* CHRONOSCOPE_BENCHMARK_HPP */
