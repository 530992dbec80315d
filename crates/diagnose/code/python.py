#: perf-counter-ns for interval
import time
t0 = time.perf_counter_ns()
ns = time.perf_counter_ns() - t0
#: perf-counter-ns for micro
import time
n = 10**6  # timeit takes the same clock around so many calls
t0 = time.perf_counter_ns()
for _ in range(n):
    pass  # the code to be timed
ns = (time.perf_counter_ns() - t0) / n
#: perf-counter-ns for trace
import time
ns = time.perf_counter_ns()
#: monotonic-ns for coarse, cross-process
import time
ns = time.monotonic_ns()
#: datetime-now for timestamp
import datetime
t = datetime.datetime.now(datetime.timezone.utc)
#: time-ns for timestamp
import time
ns = time.time_ns()  # since 1970
#: process-time-ns for cpu
import time
ns = time.process_time_ns()
#: clock-gettime-boottime for boot on Linux
import time
ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
#: clock-gettime-monotonic for boot on Mac
import time
ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
#: slack for setting
import ctypes
ctypes.CDLL(None).prctl(29, {value})  # once: PR_SET_TIMERSLACK
#: timer-period for setting
import ctypes
ctypes.windll.winmm.timeBeginPeriod({value})
