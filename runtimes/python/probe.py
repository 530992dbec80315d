"""The probe of Python runtimes (CPython 3.7 or later, PyPy). See PROTOCOL.md."""

import gc
import json
import platform
import select
import sys
import threading
import time
from itertools import repeat

STOPWATCH = time.perf_counter_ns

# id, call, kind, units per second, the name that time.get_clock_info() takes.
CLOCKS = [
    ("perf-counter-ns", "time.perf_counter_ns()", "monotonic", 1e9, "perf_counter"),
    ("perf-counter", "time.perf_counter()", "monotonic", 1.0, "perf_counter"),
    ("monotonic-ns", "time.monotonic_ns()", "monotonic", 1e9, "monotonic"),
    ("time-ns", "time.time_ns()", "wall", 1e9, "time"),
    ("time", "time.time()", "wall", 1.0, "time"),
    ("datetime-now", "datetime.now(timezone.utc)", "wall", 1.0, "time"),
    ("process-time-ns", "time.process_time_ns()", "cpu", 1e9, "process_time"),
]

# Each clock has loops of its own, as timeit has: the interpreter specialises the call for what
# it finds there, and one clock must not change how another is called.
LOOPS = """
def throughput(n):
    {bind}
    value = None
    start = stopwatch()
    for _ in repeat(None, n):
        value = {read}
    stop = stopwatch()
    return start, stop - start, value

def latency(n):
    {bind}
    readers = {readers}
    zero = 0
    value = 0
    start = stopwatch()
    for _ in repeat(None, n):
        value = {ordered}
    stop = stopwatch()
    return start, stop - start, value
"""


def loops(bind, read, readers, ordered):
    """The loops of one clock, compiled."""
    space = {"stopwatch": STOPWATCH, "repeat": repeat, "time": time}
    text = LOOPS.format(bind=bind, read=read, readers=readers, ordered=ordered)
    exec(compile(text, "<loops>", "exec"), space)
    return {mode: space[mode] for mode in ("throughput", "latency")}


def empty_loops():
    return loops("constant = 1", "constant", "[1, 1]", "readers[value < zero]")


def loops_of(ident, call):
    """The function that reads a clock, and its loops."""
    if ident == "datetime-now":
        from datetime import datetime, timezone

        now, utc = datetime.now, timezone.utc
        made = loops(
            "from datetime import datetime, timezone; now = datetime.now; utc = timezone.utc",
            "now(utc)",
            "[utc, utc]",
            "now(readers[value is zero])",
        )
        return (lambda: now(utc).timestamp()), made
    name = call[len("time."):-len("()")]
    made = loops(
        "read = time." + name, "read()", "[read, read]", "readers[value < zero]()"
    )
    return getattr(time, name), made


def described(clock):
    ident, call, kind, hz, info = clock
    about = time.get_clock_info(info)
    return {
        "id": ident,
        "call": call,
        "kind": kind,
        "hz": hz,
        "claimed_ns": about.resolution * 1e9,
        "claims": about.implementation,
        "modes": ["throughput", "latency"],
    }


def hello():
    return {
        "protocol": 2,
        "runtime": platform.python_implementation(),
        "version": platform.python_version(),
        "build": platform.python_compiler(),
        "stopwatch": {"call": "time.perf_counter_ns()", "hz": 1000000000},
        "clocks": [described(clock) for clock in CLOCKS if clock[0] in READERS],
        "sleeps": [{"id": "sleep", "call": "time.sleep(seconds)", "unit_ns": 1}],
        "allocations": hasattr(sys, "getallocatedblocks"),
        "waits": list(WAITS),
        "monotonic": sys.platform == "linux",
    }


READERS = {}
TIMED = {"empty": empty_loops()}
for _clock in CLOCKS:
    READERS[_clock[0]], TIMED[_clock[0]] = loops_of(_clock[0], _clock[1])


def batch(ident, mode, reads, warm):
    loop = TIMED[ident][mode]
    loop(int(warm))
    start, ticks, _ = loop(int(reads))
    return {"start": start, "ticks": ticks}


def sums(turns, values):
    start = STOPWATCH()
    for _ in repeat(None, turns):
        sum(values)
    return {"start": start, "ticks": STOPWATCH() - start}


def timed_sums(turns, values, read):
    start = STOPWATCH()
    for _ in repeat(None, turns):
        begin = read()
        sum(values)
        read() - begin
    return {"start": start, "ticks": STOPWATCH() - start}


def around(ident, turns, count):
    values = list(range(min(int(count), 1000000)))
    if ident == "empty":
        return sums(int(turns), values)
    return timed_sums(int(turns), values, READERS[ident])


def deltas(ident, count):
    read = READERS[ident]
    values = [0] * min(int(count), 1000000)
    for at in range(len(values)):
        values[at] = read()
    KEPT[:] = values
    return more(0)


KEPT = []  # The reads of the last deltas.


def more(start):
    start = int(start)
    return {"values": [value - KEPT[0] for value in KEPT[start : start + 20000]]}


def spins(ident, count):
    read = READERS[ident]
    steps, reads = [], []
    limit = STOPWATCH() + 500000000
    last, tries, first = read(), 0, True
    while len(steps) < min(int(count), 2000):
        now = read()
        tries += 1
        if now != last:
            if not first:
                steps.append(now - last)
                reads.append(tries)
            last, tries, first = now, 0, False
        if tries % 100 == 0 and STOPWATCH() > limit:
            break
    return {"steps": steps, "reads": reads}


def watch(ident, count):
    read = READERS[ident]
    same = backwards = done = 0
    smallest = longest = worst = 0
    limit = STOPWATCH() + 2000000000
    last = read()
    count = int(count)
    while done < count and STOPWATCH() < limit:
        for _ in repeat(None, min(1000, count - done)):
            now = read()
            step = now - last
            last = now
            if step > 0:
                if step > longest:
                    longest = step
                if step < smallest or not smallest:
                    smallest = step
            elif step < 0:
                backwards += 1
                worst = max(worst, -step)
            else:
                same += 1
        done += min(1000, count - done)
    return {
        "reads": done,
        "same": same,
        "smallest": smallest,
        "longest": longest,
        "backwards": backwards,
        "worst": worst,
    }


def sleep(ident, ns, count):
    if ident != "sleep":
        raise ValueError("no such sleep")
    seconds = int(ns) / 1e9
    slept = []
    for _ in repeat(None, min(int(count), 1000)):
        start = STOPWATCH()
        time.sleep(seconds)
        slept.append(STOPWATCH() - start)
    return {"slept": slept}


NOW = time.monotonic_ns


def blocking(wait):
    """Waits on this thread, one after the other. `wait` takes seconds."""

    def made(series):
        for left in series:
            wait(left / 1e9)

    return made


def event_wait():
    return threading.Event().wait


def lock_acquire():
    lock = threading.Lock()
    lock.acquire()
    return lambda seconds: lock.acquire(timeout=seconds)


def queue_get():
    import queue

    entries = queue.SimpleQueue()

    def wait(seconds):
        try:
            entries.get(timeout=seconds)
        except queue.Empty:
            pass

    return wait


def select_wait():
    return lambda seconds: select.select([], [], [], seconds)


def condition_wait():
    changed = threading.Condition()

    def wait(seconds):
        with changed:
            changed.wait(seconds)

    return wait


def socket_recv():
    import socket

    silent, other = socket.socketpair()

    def wait(seconds):
        silent.settimeout(seconds)
        try:
            silent.recv(1)
        except socket.timeout:
            other  # It stays open.

    return wait


def poll_wait():
    from math import ceil

    ready = select.poll()
    return lambda seconds: ready.poll(ceil(seconds * 1e3))


def epoll_wait():
    return select.epoll().poll


def package(name):
    """A module that is not Python's own: the interpreter was started without those."""
    import importlib
    import site

    site.main()
    return importlib.import_module(name)


def own_wait():
    return package("chronoscope_clock").wait


LOOPS = {}  # Those that were made, which go on learning.


def in_loop(wait, maker="asyncio"):
    """Waits in one task of an event loop, one after the other. `wait` makes what awaits."""
    import asyncio

    if maker not in LOOPS:
        LOOPS[maker] = (asyncio if maker == "asyncio" else package(maker)).new_event_loop()

    def made(series):
        async def waits():
            pause = wait()
            for left in series:
                await pause(left / 1e9)

        LOOPS[maker].run_until_complete(waits())

    return made


def asyncio_sleep():
    import asyncio

    return asyncio.sleep


def call_at():
    import asyncio

    loop = asyncio.get_running_loop()

    def pause(seconds):
        done = loop.create_future()
        loop.call_at(loop.time() + seconds, done.set_result, None)
        return done

    return pause


def own_sleep():
    return package("chronoscope_clock").sleep


# What makes each wait, called before the first one.
WAITS = {
    "sleep": lambda: blocking(time.sleep),
    "event-wait": lambda: blocking(event_wait()),
    "lock-acquire": lambda: blocking(lock_acquire()),
    "queue-get": lambda: blocking(queue_get()),
    "condition-wait": lambda: blocking(condition_wait()),
    "socket-recv": lambda: blocking(socket_recv()),
    "select": lambda: blocking(select_wait()),
    "poll": lambda: blocking(poll_wait()),
    "epoll": lambda: blocking(epoll_wait()),
    "asyncio-sleep": lambda: in_loop(asyncio_sleep),
    "call-at": lambda: in_loop(call_at),
}
if platform.python_implementation() == "CPython":
    WAITS["chronoscope"] = lambda: blocking(own_wait())
    WAITS["clock-sleep"] = lambda: in_loop(own_sleep)
    WAITS["uvloop-sleep"] = lambda: in_loop(asyncio_sleep, "uvloop")
    WAITS["uvloop-call-at"] = lambda: in_loop(call_at, "uvloop")
    WAITS["uvloop-clock-sleep"] = lambda: in_loop(own_sleep, "uvloop")
for _name in ("poll", "epoll"):
    if not hasattr(select, _name):
        del WAITS[_name]


def series(times, cpu, ns, count, first, work):
    """Yields how long to wait, in nanoseconds. Keeps the times of each wait, and the CPU time
    before the first one and after the last."""
    deadline = first if first > NOW() else NOW() + ns
    cpu.append(time.process_time_ns())
    for _ in repeat(None, count):
        begin = NOW()
        if not first:
            deadline = begin + ns
        left = deadline - begin
        if left > 0:
            yield left
        end = NOW()
        times.append((begin, deadline, end))
        if work:
            while NOW() < end + work:
                pass
        deadline += ns * (1 + max(0, (end - deadline) // ns))
    cpu.append(time.process_time_ns())


def waits(ident, ns, count, first, work):
    times, cpu = [], []
    make = WAITS[ident]()
    make(series(times, cpu, int(ns), min(int(count), 1000), int(first), int(work)))
    start = times[0][0] if times else NOW()
    answer = {
        "start": start,
        "times": [at - start for one in times for at in one],
        "cpu_ns": cpu[1] - cpu[0],
    }
    if hasattr(threading, "get_native_id"):
        answer["thread"] = threading.get_native_id()
    return answer


def allocations(ident, reads):
    """Objects that exist at once: each value is kept, and its blocks are counted."""
    read = READERS.get(ident, lambda: 1)
    kept = [None] * min(int(reads), 100000)
    before = sys.getallocatedblocks()
    for at in range(len(kept)):
        kept[at] = read()
    after = sys.getallocatedblocks()
    return {"objects": max(0, after - before)}


REQUESTS = {
    "hello": hello,
    "batch": batch,
    "around": around,
    "deltas": deltas,
    "more": more,
    "spins": spins,
    "watch": watch,
    "sleep": sleep,
    "waits": waits,
    "allocations": allocations,
}


def main():
    gc.disable()
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            break
        try:
            answer = REQUESTS[words[0]](*words[1:])
        except Exception as error:  # Whatever it is, the tool should see it.
            answer = {"error": repr(error)[:200]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
