/* Measures the cost of QueryPerformanceCounter with a plain loop and with the counter itself.
 * Prints the median and the minimum of many batches, in nanoseconds per call. */
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
    /* From the first read to the last, there is one more call than in the loop. */
    double ns = 1e9 / (double)hz.QuadPart / (CALLS + 1);
    printf("%.3f %.3f\n", (double)ticks[BATCHES / 2] * ns, (double)ticks[0] * ns);
    return 0;
}
