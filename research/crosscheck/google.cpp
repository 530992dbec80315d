// Times the calls with Google Benchmark.
#include "calls.hpp"

#include <benchmark/benchmark.h>

#define CALL(id, name, expression)                                 \
    static void name(benchmark::State &state) {                    \
        for (auto _ : state) benchmark::DoNotOptimize(expression); \
    }                                                              \
    BENCHMARK(name)->Name(id);

namespace timed {
CALLS(CALL)
}

BENCHMARK_MAIN();
