/* The waits of C++'s standard library, for crates/probes/src/waits/standard.rs. */

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#ifndef _WIN32
#include <condition_variable>
#include <future>
#include <mutex>
#endif

using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

extern "C" {

#ifdef __linux__
/* Names the type of an exception that nobody catches. No such exception is thrown here, and with this
   in its place, the C++ library's demangler, a seventieth of the tool, is not linked. */
char *__cxa_demangle(const char *, char *, std::size_t *, int *status) {
    if (status) {
        *status = -2;
    }
    return nullptr;
}
#endif

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

/* MinGW has these with one of its two thread models only. */
#ifndef _WIN32
/* Waits on a condition variable that nobody notifies, until `ns` from now. */
void cs_wait_until_after(std::uint64_t ns) {
    static thread_local std::mutex mutex;
    static thread_local std::condition_variable stopped;
    const auto deadline = steady_clock::now() + nanoseconds(static_cast<std::int64_t>(ns));
    std::unique_lock<std::mutex> lock(mutex);
    stopped.wait_until(lock, deadline, [] { return false; });
}

/* Waits for a value that nobody gives. */
void cs_wait_for(std::uint64_t ns) {
    static thread_local std::promise<void> promise;
    static thread_local std::future<void> future = promise.get_future();
    future.wait_for(nanoseconds(static_cast<std::int64_t>(ns)));
}

/* Waits for a lock that is taken. */
void cs_try_lock_for(std::uint64_t ns) {
    static std::timed_mutex mutex;
    static std::once_flag taken;
    std::call_once(taken, [] { std::thread([] { mutex.lock(); }).join(); });
    (void)mutex.try_lock_for(nanoseconds(static_cast<std::int64_t>(ns)));
}
#endif
}
