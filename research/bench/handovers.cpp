// Times of C and C++ that promise never to go back, handed from thread to thread as the Rust program
// does it: plain, and under a mutex. Prints a line of JSON for each.

#include <atomic>
#include <chronoscope.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

static int64_t steady() { return static_cast<int64_t>(chronoscope_steady_ns()); }
static int64_t cxx() { return chronoscope::clock::now().time_since_epoch().count(); }
static_assert(std::is_same<chronoscope::clock::period, std::nano>::value, "a tick is 1 ns");

struct Found {
    long long backwards = 0;
    int64_t worst = 0;

    void look(int64_t handed, int64_t mine) {
        if (mine < handed) {
            backwards++;
            worst = handed - mine > worst ? handed - mine : worst;
        }
    }
};

struct alignas(128) Slot {
    std::atomic<int64_t> value{0};
};

template <int64_t now()> static Found pass(Slot *slots, int number, long long turns) {
    Slot &from = slots[number], &to = slots[1 - number];
    Found found;
    for (long long turn = 0; turn < turns; turn++) {
        int64_t handed;
        while ((handed = from.value.load(std::memory_order_acquire)) == 0) {
        }
        int64_t mine = now();
        found.look(handed, mine);
        from.value.store(0, std::memory_order_relaxed);
        to.value.store(mine, std::memory_order_release);
    }
    return found;
}

template <int64_t now()> static Found locked(std::mutex &mutex, int64_t &latest, long long turns) {
    Found found;
    for (long long turn = 0; turn < turns; turn++) {
        std::lock_guard<std::mutex> guard(mutex);
        int64_t mine = now();
        found.look(latest, mine);
        latest = mine;
    }
    return found;
}

template <class Player>
static void print(const char *promise, const char *read, long long turns, Player player) {
    Found found[2];
    std::thread other([&] { found[1] = player(1); });
    found[0] = player(0);
    other.join();
    long long backwards = found[0].backwards + found[1].backwards;
    int64_t worst = found[0].worst > found[1].worst ? found[0].worst : found[1].worst;
    std::printf("{\"promise\":\"%s\",\"read\":\"%s\",\"handovers\":%lld,\"backwards\":%lld,"
                "\"worst_ns\":%lld,\"promised\":true,\"passed\":%s}\n",
                promise, read, 2 * turns, backwards, static_cast<long long>(worst),
                backwards ? "false" : "true");
    std::fflush(stdout);
}

template <int64_t now()> static void both(const char *read, long long turns) {
    Slot slots[2];
    slots[0].value = now();
    print("handover", read, turns, [&](int number) { return pass<now>(slots, number, turns); });
    std::mutex mutex;
    int64_t latest = 0;
    print("mutex", read, turns, [&](int) { return locked<now>(mutex, latest, turns); });
}

int main(int, char **arguments) {
    long long turns = std::atoll(arguments[1]) / 2;
    both<steady>("chronoscope_steady_ns", turns);
    both<cxx>("chronoscope::clock", turns);
    return 0;
}
