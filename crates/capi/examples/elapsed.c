/*
 * Measures elapsed time with an error bound, reads the wall time as an interval that contains it,
 * waits, and ticks periodically. C99:
 *
 *     cc -std=c99 elapsed.c $(pkg-config --cflags --libs chronoscope) -o elapsed
 */
#include <inttypes.h>
#include <stdio.h>

#include <chronoscope.h>

/* Prints the error and returns the program's exit status. */
static int failed(const char *what, chronoscope_status status) {
    fprintf(stderr, "%s: %s\n", what, chronoscope_status_text(status));
    return 1;
}

int main(void) {
    chronoscope_status status;
    chronoscope_instant start, stop;
    chronoscope_bounded elapsed;
    chronoscope_wall_interval wall;
    chronoscope_waited waited;
    chronoscope_ticker *ticker;
    chronoscope_tick tick;
    char text[1024];
    volatile uint64_t sum = 0;
    uint64_t i;

    /* Time a short region, between reads that no instruction can cross. */
    start = chronoscope_start();
    for (i = 0; i < 1000; i++) {
        sum += i;
    }
    stop = chronoscope_stop();
    printf("the sum %" PRIu64 " took %" PRIu64 " ns\n", sum, chronoscope_ns_between(start, stop));

    /* Wait; the wait never ends early. */
    start = chronoscope_now();
    status = chronoscope_sleep_ns(2000000, &waited);
    if (status != CHRONOSCOPE_OK) {
        return failed("sleep", status);
    }
    status = chronoscope_elapsed_bounded(start, &elapsed);
    if (status != CHRONOSCOPE_OK) {
        return failed("elapsed", status);
    }
    printf("2 ms took %" PRIu64 " ns, +/- %" PRIu64 " ns; %" PRIu64 " ns late\n", elapsed.ns,
           elapsed.bound_ns, waited.late_ns);

    status = chronoscope_wall_bounded(&wall);
    if (status != CHRONOSCOPE_OK) {
        return failed("wall", status);
    }
    printf("%" PRIu64 " ns since 1970, within %" PRIu64 " ns of the system clock\n", wall.now,
           wall.tracking_ns);

    status = chronoscope_ticker_new(1000000, CHRONOSCOPE_BALANCED, &ticker);
    if (status != CHRONOSCOPE_OK) {
        return failed("ticker", status);
    }
    do {
        chronoscope_ticker_tick(ticker, &tick);
        printf("tick %" PRIu64 ": %" PRIu64 " ns late, %" PRIu64 " missed\n", tick.number,
               tick.waited.late_ns, tick.missed);
    } while (tick.number < 3);
    chronoscope_ticker_free(ticker);

    chronoscope_describe(NULL, text, sizeof text);
    printf("%s\n", text);
    return 0;
}
