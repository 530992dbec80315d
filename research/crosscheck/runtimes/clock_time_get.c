/* Batches of reads by WASI's clock_time_get(), in C: prints the cost of a read in each, in
 * nanoseconds, with the loop. */
#include <stdint.h>
#include <stdio.h>
#include <wasi/api.h>

enum { READS = 2000, BATCHES = 1000, WARM = 100 };

static uint64_t now(void) {
    __wasi_timestamp_t time;
    return __wasi_clock_time_get(__WASI_CLOCKID_MONOTONIC, 1, &time) ? 0 : time;
}

int main(void) {
    static double cost[BATCHES];
    volatile uint64_t kept = 0;
    for (int batch = -WARM; batch < BATCHES; batch++) {
        uint64_t start = now();
        for (int at = 0; at < READS; at++)
            kept = now();
        if (batch >= 0)
            cost[batch] = (double)(now() - start) / READS;
    }
    for (int batch = 0; batch < BATCHES; batch++)
        printf("%.4f\n", cost[batch]);
    return (int)(kept == 0);
}
