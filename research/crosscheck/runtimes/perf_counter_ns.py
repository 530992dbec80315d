"""pyperf's figure for what the probe of Python measures: a read whose value is kept."""

import pyperf

runner = pyperf.Runner()
runner.timeit("read", setup="from time import perf_counter_ns as read", stmt="value = read()")
