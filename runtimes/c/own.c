/* The waits of this project's library for C. See PROTOCOL.md. */
#define WAITS "\"sleep-ns\",\"waiter-precise\",\"waiter-economy\",\"ticker\""
#include <chronoscope.h>
#include "probe.c"

/* A waiter learns from its waits, so each serves all requests. */
static chronoscope_waiter *waiter(int precise) {
    static chronoscope_waiter *made[2];
    if (!made[precise])
        chronoscope_waiter_new(precise ? CHRONOSCOPE_PRECISE : CHRONOSCOPE_ECONOMY, &made[precise]);
    return made[precise];
}

static int make_waits(const char *id, Series *series) {
    int precise = !strcmp(id, "waiter-precise");
    int64_t ns;
    if (!strcmp(id, "sleep-ns")) {
        while ((ns = begin(series))) {
            chronoscope_sleep_ns((uint64_t)ns, NULL);
            end(series);
        }
    } else if (precise || !strcmp(id, "waiter-economy")) {
        chronoscope_waiter *own = waiter(precise);
        while ((ns = begin(series))) {
            chronoscope_waiter_sleep_ns(own, (uint64_t)ns, NULL);
            end(series);
        }
    } else if (!strcmp(id, "ticker")) {
        /* The grid begins first, so no point of the ticker is before its own. */
        int more = tick(series);
        chronoscope_ticker *ticker = NULL;
        chronoscope_ticker_new((uint64_t)series->ns, CHRONOSCOPE_BALANCED, &ticker);
        for (; more; more = tick(series)) {
            chronoscope_ticker_tick(ticker, NULL);
            end(series);
        }
        chronoscope_ticker_free(ticker);
    } else
        return 0;
    return 1;
}
