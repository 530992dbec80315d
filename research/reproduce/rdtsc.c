/* The reciprocal throughput of rdtsc: rows of a hundred instructions one after the other. Prints
 * the median of the rows' ticks per instruction, and the same in core cycles, which are known from
 * a chain of additions of one cycle each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define ROWS 1001

static uint64_t fenced(void) {
    _mm_lfence();
    uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    static double rdtsc[ROWS], core[ROWS];
    for (int row = 0; row < ROWS; row++) {
        uint64_t start = fenced();
        uint64_t between = fenced();
        asm volatile(".rept 100\n\trdtsc\n\t.endr" : : : "rax", "rdx");
        uint64_t end = fenced();
        uint64_t a = 1, b = 3, from = fenced();
        asm volatile(".rept 1000\n\tadd %1, %0\n\t.endr" : "+r"(a) : "r"(b));
        uint64_t to = fenced();
        double empty = (double)(between - start);
        rdtsc[row] = ((double)(end - between) - empty) / 100;
        core[row] = ((double)(to - from) - empty) / 1000;
    }
    qsort(rdtsc, ROWS, sizeof *rdtsc, order);
    qsort(core, ROWS, sizeof *core, order);
    printf("ticks %.4f\n", rdtsc[ROWS / 2]);
    printf("core_cycles %.4f\n", rdtsc[ROWS / 2] / core[ROWS / 2]);
    return 0;
}
