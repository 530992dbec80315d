"""A handler that raises an exception ends a wait long before its time."""

import pathlib
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))

import elapsed


class Alarm(Exception):
    pass


def handler(number, frame):
    raise Alarm


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
start = time.monotonic()
try:
    elapsed.sleep(elapsed.load(sys.argv[1]), 20_000_000_000)
except Alarm:
    took = time.monotonic() - start
    assert took < 10, took
    print(f"interrupted after {took:.2f} s")
