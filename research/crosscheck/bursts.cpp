// A piece of some 4 us in Google Benchmark, plain and without what was disturbed.
#include <benchmark/benchmark.h>

#include <chronoscope_benchmark.hpp>

namespace {

void work() {
    std::uint64_t value = ~std::uint64_t{0};
    for (int step = 0; step < 1200; ++step) {
        benchmark::DoNotOptimize(value);
        value = value / 3 + 1;
    }
    benchmark::DoNotOptimize(value);
}

void plain(benchmark::State &state) {
    for (auto _ : state) {
        work();
    }
}
BENCHMARK(plain)->UseRealTime();

void undisturbed(benchmark::State &state) { chronoscope::time_undisturbed(state, work); }
BENCHMARK(undisturbed)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
