/* The waits of libuv, in a loop of events. See PROTOCOL.md. */
#define WAITS "\"timer\",\"timer-repeat\""
#include <uv.h>
#include "probe.c"

static void set(uv_timer_t *timer);

static void fired(uv_timer_t *timer) {
    end((Series *)timer->data);
    set(timer);
}

/* The loop reads its clock once per turn, so a program that cares updates it first. */
static void set(uv_timer_t *timer) {
    int64_t ns = begin((Series *)timer->data);
    if (ns) {
        uv_update_time(timer->loop);
        uv_timer_start(timer, fired, (uint64_t)(ns + 999999) / 1000000, 0);
    }
}

static void again(uv_timer_t *timer) {
    end((Series *)timer->data);
    if (!tick((Series *)timer->data))
        uv_timer_stop(timer);
}

static int make_waits(const char *id, Series *series) {
    static uv_timer_t timer;
    uv_loop_t *loop = uv_default_loop();
    uint64_t ms = (uint64_t)(series->ns + 999999) / 1000000;
    if (!timer.loop)
        uv_timer_init(loop, &timer);
    timer.data = series;
    uv_update_time(loop);
    if (!strcmp(id, "timer"))
        set(&timer);
    else if (strcmp(id, "timer-repeat"))
        return 0;
    else if (tick(series))
        uv_timer_start(&timer, again, ms, ms);
    uv_run(loop, UV_RUN_DEFAULT);
    return 1;
}
