/* What QueryPerformanceCounter costs, by a plain loop and its own reading: the median and the least
 * of many batches, in nanoseconds per call, and the calls of a batch. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define CALLS 1000
#define BATCHES 4001

static int order(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

int main(void) {
    static long long ticks[BATCHES];
    LARGE_INTEGER hz, start, end, t;
    if (!QueryPerformanceFrequency(&hz)) return 1;
    for (int batch = 0; batch < BATCHES; batch++) {
        QueryPerformanceCounter(&start);
        for (int call = 0; call < CALLS; call++) QueryPerformanceCounter(&t);
        QueryPerformanceCounter(&end);
        ticks[batch] = end.QuadPart - start.QuadPart;
    }
    qsort(ticks, BATCHES, sizeof *ticks, order);
    /* From the first reading to the last there is one call more than in the loop. */
    double ns = 1e9 / (double)hz.QuadPart / (CALLS + 1);
    printf("%.3f %.3f\n", (double)ticks[BATCHES / 2] * ns, (double)ticks[0] * ns);
    return 0;
}
