/* The waits of libevent, in a loop of events. See PROTOCOL.md. */
#define WAITS "\"timer\",\"timer-precise\",\"timer-persist\""
#include <event2/event.h>
#include "probe.c"

static struct timeval span(int64_t ns) {
    struct timeval time;
    ns += 999;
    time.tv_sec = (time_t)(ns / 1000000000);
    time.tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
    return time;
}

static struct event *timer;

static void set(Series *series) {
    int64_t ns = begin(series);
    struct timeval time = span(ns);
    if (ns)
        evtimer_add(timer, &time);
}

static void fired(evutil_socket_t fd, short what, void *series) {
    (void)fd, (void)what;
    end((Series *)series);
    set((Series *)series);
}

static void again(evutil_socket_t fd, short what, void *series) {
    (void)fd, (void)what;
    end((Series *)series);
    if (!tick((Series *)series))
        evtimer_del(timer);
}

static struct event_base *made(int flags) {
    struct event_config *config = event_config_new();
    struct event_base *base;
    event_config_set_flag(config, flags);
    base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static int make_waits(const char *id, Series *series) {
    static struct event_base *usual, *precise;
    struct event_base **base = strcmp(id, "timer-precise") ? &usual : &precise;
    int persist = !strcmp(id, "timer-persist");
    struct timeval period = span(series->ns);
    if (!persist && strcmp(id, "timer") && base != &precise)
        return 0;
    if (!*base && !(*base = made(base == &precise ? EVENT_BASE_FLAG_PRECISE_TIMER : 0)))
        return 0;
    timer = event_new(*base, -1, persist ? EV_PERSIST : 0, persist ? again : fired, series);
    if (!persist)
        set(series);
    else if (tick(series))
        evtimer_add(timer, &period);
    event_base_dispatch(*base);
    event_free(timer);
    return 1;
}
