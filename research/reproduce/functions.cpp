// The table of time functions: for each, what it shows for 100 ms, how long the calls take, and a
// value. Prints a line for each figure: a name and a number, in milliseconds.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <x86intrin.h>

using namespace std::chrono;

static int64_t c_clock() { return clock() * 1000 / CLOCKS_PER_SEC; }
static int64_t steady() {
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}
static int64_t universal() {
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}
static int64_t steady_nocast() { return steady_clock::now().time_since_epoch().count(); }
static int64_t universal_nocast() { return system_clock::now().time_since_epoch().count(); }
static int64_t rdtsc_asm() {
    uint32_t low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return (int64_t)((uint64_t)high << 32 | low);
}
static int64_t rdtsc_intrinsic() { return (int64_t)__rdtsc(); }
static int64_t rdtsc_builtin() { return (int64_t)__builtin_ia32_rdtsc(); }
static int64_t realtime() {
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static double ticks_per_ms;
static int64_t rdtsc_ms() { return (int64_t)((double)__rdtsc() / ticks_per_ms); }

static double now_ms() {
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

template <int64_t (*read)()> static void row(const char *name, long calls, double per_ms) {
    int64_t from = read();
    std::this_thread::sleep_for(milliseconds(100));
    printf("%s.difference %.6f\n", name, (double)(read() - from) / per_ms);
    int64_t value = 0;
    double start = now_ms();
    for (long i = 0; i < calls; i++) {
        value = read();
        asm volatile("" : : "r"(value));
    }
    printf("%s.time %.6f\n", name, now_ms() - start);
    printf("%s.example %.0f\n", name, (double)value / per_ms);
}

int main(int, char **args) {
    long calls = atol(args[1]);
    double start = now_ms();
    int64_t from = rdtsc_asm();
    std::this_thread::sleep_for(milliseconds(200));
    ticks_per_ms = (double)(rdtsc_asm() - from) / (now_ms() - start);
    printf("frequency %.3f\n", ticks_per_ms);
    row<c_clock>("clock", calls, 1);
    row<steady>("steady", calls, 1);
    row<universal>("system", calls, 1);
    row<steady_nocast>("steady_nocast", calls, 1e6);
    row<universal_nocast>("system_nocast", calls, 1e6);
    row<rdtsc_asm>("rdtsc_asm", calls, ticks_per_ms);
    row<rdtsc_intrinsic>("rdtsc_intrinsic", calls, ticks_per_ms);
    row<rdtsc_builtin>("rdtsc_builtin", calls, ticks_per_ms);
    row<rdtsc_ms>("rdtsc_ms", calls, 1);
    row<realtime>("realtime", calls, 1);
}
