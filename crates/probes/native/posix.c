/* clock_gettime by the C library, for the clocks that POSIX names. */
#define _GNU_SOURCE
#include "clock_gettime.h"

CS_CLOCK_GETTIME(posix_monotonic, CLOCK_MONOTONIC);
