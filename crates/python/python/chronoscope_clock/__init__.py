"""Waits that end on time, a clock that says how far off it can be, and the command ``chronoscope``.

>>> from chronoscope_clock import wait
>>> wait(0.001).late_ns < 1_000_000_000
True
"""

from ._asyncio import sleep, sleep_until
from ._native import (
    Bounded,
    Instant,
    Stopwatch,
    Tick,
    Ticker,
    Verdict,
    Waited,
    Wall,
    WallInterval,
    Witness,
    __version__,
    source,
    timer,
    wait,
    wait_until,
)
from ._tool import Advice, Clock, Finding, ToolError, advise, command, doctor, survey

__all__ = [
    "Advice",
    "Bounded",
    "Clock",
    "Finding",
    "Instant",
    "Stopwatch",
    "Tick",
    "Ticker",
    "ToolError",
    "Verdict",
    "Waited",
    "Wall",
    "WallInterval",
    "Witness",
    "__version__",
    "advise",
    "command",
    "doctor",
    "sleep",
    "sleep_until",
    "source",
    "survey",
    "timer",
    "wait",
    "wait_until",
]


def load_ipython_extension(ipython):
    """``%load_ext chronoscope_clock`` adds ``%chronoscope``, which runs the command."""

    def chronoscope(line):
        import shlex
        import subprocess

        run = subprocess.run([command(), *shlex.split(line)], capture_output=True, text=True)
        print(run.stdout + run.stderr, end="")

    ipython.register_magic_function(chronoscope)
