/* What the overhead of timing is measured with: the sum of m integers, compiled on its own and as a
 * release build compiles a computation (build.rs). sum.cpp is the same in C++. */
#include "reader.h"

CS_API uint64_t CS_SUM(const uint64_t *v, size_t m) {
    uint64_t sum = 0;
    for (size_t i = 0; i < m; i++) sum += v[i];
    return sum;
}
