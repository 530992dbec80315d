// The waits of Asio, in a loop of events. See PROTOCOL.md.
#define WAITS "\"expires-after\",\"expires-at\",\"timer-wait\""
#ifdef OF_BOOST
#include <boost/asio.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#endif
#include "probe.cpp"

static void set(asio::steady_timer &timer, Series *series, bool at) {
    int64_t ns = begin(series);
    if (!ns)
        return;
    if (at)
        timer.expires_at(steady_clock::now() + nanoseconds(ns));
    else
        timer.expires_after(nanoseconds(ns));
    timer.async_wait([&timer, series, at](auto) {
        end(series);
        set(timer, series, at);
    });
}

static int make_waits(const char *id, Series *series) {
    static asio::io_context loop;
    static asio::steady_timer timer(loop);
    if (!strcmp(id, "timer-wait")) {
        while (int64_t ns = begin(series)) {
            timer.expires_after(nanoseconds(ns));
            timer.wait();
            end(series);
        }
        return 1;
    }
    bool at = !strcmp(id, "expires-at");
    if (!at && strcmp(id, "expires-after"))
        return 0;
    set(timer, series, at);
    loop.restart();
    loop.run();
    return 1;
}
