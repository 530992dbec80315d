/* The inline reads and the functions use one clock, whatever its source. */
#include <stdio.h>

#include <chronoscope.h>

#if !defined(CHRONOSCOPE_NO_INLINE) && defined(__GNUC__) && \
    (defined(__x86_64__) || defined(__aarch64__)) && !defined(chronoscope_now)
#error "the reads are not inline here"
#endif

static int later(uint64_t *last, uint64_t now) {
    int fine = now >= *last;
    if (!fine) {
        printf("%llu after %llu\n", (unsigned long long)now, (unsigned long long)*last);
    }
    *last = now;
    return fine;
}

int main(void) {
    uint64_t last = chronoscope_start(), start = last, wall = chronoscope_wall_ns();
    uint64_t steady = chronoscope_steady_ns();
    chronoscope_bounded elapsed;
    int i, fine = 1;

    for (i = 0; i < 10000 && fine; i++) {
        fine = later(&last, chronoscope_start()) && later(&last, (chronoscope_start)()) &&
               later(&last, chronoscope_stop()) && later(&last, (chronoscope_stop)()) &&
               later(&last, chronoscope_now_ordered()) &&
               later(&last, (chronoscope_now_ordered)()) &&
               later(&last, chronoscope_stop()) &&
               later(&steady, chronoscope_steady_ns());
    }
    /* Not ordered, but a dependency is an order: no read of now is before the end of a start. */
    start = chronoscope_start();
    fine = fine && chronoscope_now() >= start && (chronoscope_now)() >= start;

    fine = fine && chronoscope_elapsed_bounded(start, &elapsed) == CHRONOSCOPE_OK;
    fine = fine && elapsed.ns < 3600000000000u && chronoscope_elapsed_ns(start) >= elapsed.ns;
    fine = fine && wall > 1600000000000000000u && chronoscope_wall_sync() == CHRONOSCOPE_OK;
    return !fine;
}
