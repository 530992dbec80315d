/* The clocks of the C library that every system has. */
#include "reader.h"

#include <time.h>

/* The loop without a read. */
CS_READER(c_empty, 0, CS_SINK(0), 0, 1.0, -1.0);

CS_READER(c_clock, clock() == (clock_t)-1 ? ENOTSUP : 0,
          CS_SINK(clock()), clock(), CLOCKS_PER_SEC, 1e9 / CLOCKS_PER_SEC);
