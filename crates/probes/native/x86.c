/* The time-stamp counter, in every spelling. Intel SDM volume 2B, RDTSC and RDTSCP. */
#include "reader.h"

#include <x86intrin.h>

/* The rate is not known here: the caller's unit is the machine's counter. */
#define CS_TSC(name, expression) \
    CS_READER(name, 0, CS_SINK(expression), expression, 0.0, -1.0)

CS_TSC(x86_rdtsc_intrinsic, __rdtsc());
