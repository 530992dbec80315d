"""Sleeps of an event loop that end on time.

asyncio rounds its time-out up to whole milliseconds before it sleeps, so a shorter sleep would not
help. A timer of the kernel, which the loop watches as it watches a socket, wakes the task shortly
before its deadline. How shortly is learnt from the wakes before. Then the task lets the others run,
turn by turn, until its deadline.
"""

from __future__ import annotations

import asyncio
import os
from heapq import heapify, heappop, heappush
from itertools import count
from time import monotonic_ns
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from . import _native

if TYPE_CHECKING:
    from ._native import Instant, Tick, Ticker, Waited


async def sleep(seconds: float) -> Waited:
    """``asyncio.sleep``, but on time: other tasks run meanwhile, and it is never early.

    ``ValueError`` for a negative time and for what is not a number, ``OverflowError`` beyond what
    the clock counts, ``RuntimeError`` outside an event loop of asyncio.
    """
    return await sleep_until(_native.Instant.now() + seconds)


async def sleep_until(deadline: Instant) -> Waited:
    """The same until a moment, which may have passed. Other tasks get at least one turn."""
    alarm = _alarm(asyncio.get_running_loop())
    native = alarm.native
    pause = native.begin(deadline)
    wake = pause.wake
    if wake is None:
        await asyncio.sleep(0)
    while wake is not None:
        if alarm.watched:
            sleeper = alarm.sleeper(wake)
            try:
                await sleeper
            except BaseException:
                alarm.cancelled(sleeper)
                raise
        else:
            await asyncio.sleep(pause.rest())
        wake = native.woke(pause)
    while not pause.near():
        await asyncio.sleep(0)
    return pause.finish()


async def tick(ticker: Ticker) -> Tick:
    """``async for tick in Ticker(0.001)``."""
    waited = await sleep_until(ticker._due())
    return ticker._reached(waited.late_ns)


class _Alarm:
    """The timer of one loop, for all its sleepers: it is set to the earliest."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.native = _native.Alarm()
        # A heap of when each wakes, its number, and its future.
        self.sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self.ended = 0  # Those among them that were cancelled.
        self.numbers = count()
        number = self.native.fileno()
        self.watched = number is not None
        if self.watched:
            try:
                loop.add_reader(number, self.expired)
            except (NotImplementedError, OSError, RuntimeError):
                self.watched = False  # Not every loop watches descriptors, or has room for one.

    def sleeper(self, wake: int) -> asyncio.Future[None]:
        """A future that is done at a time of the monotonic clock."""
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self.sleepers, (wake, next(self.numbers), sleeper))
        if self.sleepers[0][2] is sleeper:
            self.native.set(wake)
        return sleeper

    def cancelled(self, sleeper: asyncio.Future[None]) -> None:
        """Forgets sleepers that were cancelled, as soon as they are many, or one that was closed."""
        self.ended += sleeper.cancelled()
        if not sleeper.done() or self.ended > max(16, len(self.sleepers) // 2):
            left = (one for one in self.sleepers if one[2] is not sleeper and not one[2].done())
            self.sleepers[:] = left
            heapify(self.sleepers)
            self.ended = 0

    def expired(self) -> None:
        sleepers, now = self.sleepers, monotonic_ns()
        while sleepers and (sleepers[0][2].done() or sleepers[0][0] <= now):
            sleeper = heappop(sleepers)[2]
            if sleeper.done():
                self.ended -= 1
            else:
                sleeper.set_result(None)
        self.native.set(sleepers[0][0] if sleepers else None)


# One for each loop, which goes with it.
_alarms: WeakKeyDictionary[asyncio.AbstractEventLoop, _Alarm] = WeakKeyDictionary()
if hasattr(os, "register_at_fork"):
    # A child that sets the timer of its parent would wake that one.
    os.register_at_fork(after_in_child=_alarms.clear)


def _alarm(loop: asyncio.AbstractEventLoop) -> _Alarm:
    alarm = _alarms.get(loop)
    if alarm is None:
        # A sleeper that never woke keeps its loop, and so the timer of a loop that was closed.
        for other in list(_alarms):
            if other.is_closed():
                _alarms.pop(other, None)
        alarm = _alarms[loop] = _Alarm(loop)
    return alarm
