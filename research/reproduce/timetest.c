/* How long a call of clock_gettime takes, by that clock: the mean of a million, the mean of ten,
 * and one, in three passes. Prints a name and a number for each figure, in nanoseconds. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double ns(struct timespec a, struct timespec b) {
    return (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
}

static double mean(long calls) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < calls; i++) clock_gettime(CLOCK_MONOTONIC, &end);
    return ns(start, end) / (double)calls;
}

static double single(void) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ns(start, end);
}

int main(void) {
    struct timespec resolution;
    double passes[3][3];
    sleep(1);
    clock_getres(CLOCK_MONOTONIC, &resolution);
    for (int pass = 0; pass < 3; pass++) {
        passes[pass][0] = mean(1000000);
        passes[pass][1] = mean(10);
        passes[pass][2] = single();
    }
    printf("getres %ld\n", resolution.tv_nsec);
    for (int which = 0; which < 3; which++) {
        double least = passes[0][which];
        for (int pass = 1; pass < 3; pass++)
            if (passes[pass][which] < least) least = passes[pass][which];
        printf("delta%d %.3f\n", which + 1, least);
    }
    return 0;
}
