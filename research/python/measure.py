"""The module's figures in one interpreter, as a line of JSON: measure.py."""

import asyncio
import json
import statistics
import sys
import time

from chronoscope_clock import Instant, Stopwatch, sleep, wait

READS = 20_000
ROUNDS = 40
WAITS = 400


def empty(rounds):
    for _ in rounds:
        pass


def floor(rounds, now=time.perf_counter_ns):
    for _ in rounds:
        begin = now()
        now() - begin


def instant(rounds, now=Instant.now):
    for _ in rounds:
        begin = now()
        begin.elapsed_ns()


def stopwatch(rounds, watch=Stopwatch()):
    for _ in rounds:
        watch.start()
        watch.elapsed_ns()


def bounded(rounds, now=Instant.now):
    for _ in rounds:
        begin = now()
        begin.elapsed_bounded()


def pairs():
    """The cheapest round of each, without the loop, in nanoseconds."""
    kinds = (empty, floor, instant, stopwatch, bounded)
    best = dict.fromkeys(kinds, float("inf"))
    for _ in range(ROUNDS):
        for kind in kinds:
            begin = time.perf_counter_ns()
            kind(range(READS))
            best[kind] = min(best[kind], (time.perf_counter_ns() - begin) / READS)
    return {kind.__name__: best[kind] - best[empty] for kind in kinds[1:]}


def waits():
    """The median overshoot of a wait of 1 ms in microseconds, and the share of a CPU, in turns."""
    kinds = {"sleep": time.sleep, "wait": wait}
    late, cpu, wall = ({name: [] for name in kinds} for _ in range(3))
    for _ in range(WAITS):
        for name, of in kinds.items():
            begin, used = time.perf_counter_ns(), time.thread_time_ns()
            of(0.001)
            end = time.perf_counter_ns()
            cpu[name].append(time.thread_time_ns() - used)
            wall[name].append(end - begin)
            late[name].append((end - begin) / 1e3 - 1e3)
    share = {name: sum(cpu[name]) / sum(wall[name]) for name in kinds}
    return {name: (statistics.median(late[name]), share[name]) for name in kinds}


async def tasks():
    """The overshoot at p50 and p90 of sleeps of 1 ms in an event loop in microseconds, and the
    share of a CPU, in turns."""
    kinds = {"asyncio": asyncio.sleep, "clock": sleep}
    late, cpu, wall = ({name: [] for name in kinds} for _ in range(3))
    for _ in range(WAITS):
        for name, of in kinds.items():
            begin, used = time.perf_counter_ns(), time.thread_time_ns()
            await of(0.001)
            end = time.perf_counter_ns()
            cpu[name].append(time.thread_time_ns() - used)
            wall[name].append(end - begin)
            late[name].append((end - begin) / 1e3 - 1e3)
    tenths = {name: statistics.quantiles(late[name], n=10) for name in kinds}
    share = {name: sum(cpu[name]) / sum(wall[name]) for name in kinds}
    return {name: (tenths[name][4], tenths[name][8], share[name]) for name in kinds}


version = ".".join(map(str, sys.version_info[:3]))
found = {"version": version, "pairs": pairs(), "waits": waits(), "tasks": asyncio.run(tasks())}
print(json.dumps(found))
