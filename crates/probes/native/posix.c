/* clock_gettime through the C library, for the clocks that POSIX defines. */
#define _GNU_SOURCE
#include "clock_gettime.h"

CS_CLOCK_GETTIME(posix_realtime, CLOCK_REALTIME);
CS_CLOCK_GETTIME(posix_monotonic, CLOCK_MONOTONIC);
CS_CLOCK_GETTIME(posix_process_cputime, CLOCK_PROCESS_CPUTIME_ID);
CS_CLOCK_GETTIME(posix_thread_cputime, CLOCK_THREAD_CPUTIME_ID);
