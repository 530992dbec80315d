"""The library's clock and its wait. Times are in nanoseconds where the name says so, otherwise in
seconds, as in Python's ``time``."""

from os import PathLike
from typing import Any, AsyncIterator, Coroutine, Iterator, Literal, final

__version__: str

def source() -> str:
    """What the clock reads: the processor's counter, such as ``rdtsc``, or the system's clock."""

def wait(seconds: float) -> Waited:
    """Sleeps for most of the time, then spins, and returns when it has passed: never earlier.

    Other threads run meanwhile. A wait of 0.1 s and more ends within 0.1 s of a signal whose
    handler raises, such as that of Ctrl-C.

    ``ValueError`` for a negative time and for what is not a number, ``OverflowError`` beyond what
    the clock counts.
    """

def wait_until(deadline: Instant) -> Waited:
    """The same until a moment, which may have passed."""

@final
class Waited:
    """What happened during a wait."""

    @property
    def late_ns(self) -> int:
        """How long after its deadline it returned to the library, which is before Python goes on."""
    @property
    def slept_ns(self) -> int:
        """For how long it slept, in the whole wait."""
    @property
    def spun_ns(self) -> int:
        """For how long it spun before its end."""
    @property
    def wakes(self) -> int:
        """How often it woke."""
    @property
    def preempted(self) -> int:
        """How often something else ran instead."""
    @property
    def cause(self) -> str | None:
        """Why it was late, if it was late by more than 100 us: ``queue``, ``preempted``, ``wake``,
        ``passed``, ``interrupted``, ``clock`` or ``unknown``."""

@final
class Bounded:
    """A time with its largest error."""

    @property
    def ns(self) -> int: ...
    @property
    def bound_ns(self) -> int:
        """The error is at most this, relative to ``clock``."""
    @property
    def disturbed(self) -> bool:
        """Whether the counter jumped or changed its rate, so that the bound does not hold."""
    @property
    def unchecked_ns(self) -> int:
        """For how long before its end nothing was checked."""
    @property
    def clock(self) -> str:
        """The clock that the bound refers to."""

@final
class Instant:
    """A moment, to be compared with others of the same process, also between threads."""

    @staticmethod
    def now() -> Instant: ...
    def elapsed(self) -> float: ...
    def elapsed_ns(self) -> int: ...
    def elapsed_bounded(self) -> Bounded:
        """Reads the system's clock too, so it takes longer than ``elapsed``."""
    def ns_since(self, earlier: Instant) -> int:
        """Negative if the other moment is later."""
    def __add__(self, seconds: float, /) -> Instant: ...
    def __sub__(self, earlier: Instant, /) -> float: ...
    def __lt__(self, other: Instant, /) -> bool: ...
    def __le__(self, other: Instant, /) -> bool: ...
    def __gt__(self, other: Instant, /) -> bool: ...
    def __ge__(self, other: Instant, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Stopwatch:
    """Runs from its making, or from the last :meth:`start` or :meth:`lap_ns`: the cheapest way to
    time something, because it makes no object."""

    def __new__(cls) -> Stopwatch: ...
    def start(self) -> None: ...
    def elapsed(self) -> float: ...
    def elapsed_ns(self) -> int: ...
    def elapsed_bounded(self) -> Bounded: ...
    def lap_ns(self) -> int:
        """The time since the last lap, and starts the next."""

@final
class timer:
    """``with timer() as t: work()``, and then ``t.ns``."""

    def __new__(cls, *, bounded: bool = False) -> timer: ...
    def __enter__(self) -> timer: ...
    def __exit__(self, *_error: object) -> None: ...
    @property
    def ns(self) -> int:
        """The time that it took, or takes so far."""
    @property
    def seconds(self) -> float: ...
    @property
    def bounded(self) -> Bounded | None:
        """With its largest error, if that was asked for and the block has ended."""

@final
class Tick:
    """A point of a grid that was reached."""

    @property
    def number(self) -> int:
        """The first is 1."""
    @property
    def missed(self) -> int:
        """How many points before it had passed and were left out."""
    @property
    def late_ns(self) -> int: ...

@final
class Ticker:
    """Ticks at ``start + n * period``, however late one of them was: ``for tick in Ticker(0.001)``,
    and in an event loop ``async for tick in Ticker(0.001)``."""

    def __new__(cls, period: float) -> Ticker: ...
    def tick(self) -> Tick:
        """Waits for the next point."""
    def __iter__(self) -> Iterator[Tick]: ...
    def __next__(self) -> Tick: ...
    def __aiter__(self) -> AsyncIterator[Tick]: ...
    def __anext__(self) -> Coroutine[Any, Any, Tick]: ...
    def _due(self) -> Instant: ...
    def _reached(self, late_ns: int, /) -> Tick: ...

@final
class Wall:
    """The time of day in nanoseconds since 1970, at the cost of a read of the counter."""

    @staticmethod
    def now_ns() -> int: ...
    @staticmethod
    def bound_by(by: Literal["clockbound", "vmclock"], path: str | PathLike[str]) -> None:
        """Takes the bound that ClockBound 3 states in its segment (``/var/run/clockbound/shm1``),
        or the hypervisor in its page (``/dev/vmclock0``), instead of the kernel's, from now on.
        Raises ``FileNotFoundError`` if there is no such page, ``PermissionError`` under a filter of
        system calls, and ``FileExistsError`` if one was asked for before."""
    @staticmethod
    def now_bounded() -> WallInterval:
        """Contains the time, unless the system's clock was stepped within its ``age``."""
    @staticmethod
    def now_checked() -> WallInterval:
        """Looks at the system's clock now, so its ``age`` is zero."""

@final
class WallInterval:
    """An interval of the time of day, in nanoseconds since 1970."""

    @property
    def earliest(self) -> int: ...
    @property
    def now(self) -> int: ...
    @property
    def latest(self) -> int: ...
    @property
    def tracking(self) -> int:
        """The part of the error that is the library's."""
    @property
    def kernel(self) -> int | None:
        """The part that the kernel states for its own clock, or whoever is asked instead."""
    @property
    def age(self) -> int:
        """How long ago the system's clock was looked at."""
    @property
    def state(self) -> str:
        """``synchronised``, ``free-running``, ``disrupted`` or ``unknown``: the interval contains UTC
        in the first two cases, and every time after a disruption."""

@final
class Verdict:
    """What happened during a piece that a :class:`Witness` watched."""

    @property
    def clean(self) -> bool | None:
        """``False`` if anything happened, and ``None`` if nothing did but something could not be
        seen."""
    @property
    def found(self) -> list[str]:
        """What happened: ``preempted``, ``moved``, ``interrupted``, ``core shared``, ``frequency
        changed``, ``gap below the kernel``."""
    @property
    def unknown(self) -> list[str]:
        """What was looked for and cannot be seen here."""
    @property
    def taken_ns(self) -> int | None:
        """For how long the thread did not run; only with ``gauges``."""
    @property
    def text(self) -> str:
        """The same in words, as ``str`` gives it."""

@final
class Witness:
    """Whether a measured piece ran undisturbed.

    >>> from chronoscope_clock import Witness
    >>> with Witness("entries") as witness:
    ...     total = sum(range(1000))
    >>> witness.verdict.clean in (True, False, None)
    True

    Belongs to the thread that made it: ``RuntimeError`` in another.
    """

    def __init__(self, level: str = "marks") -> None:
        """``marks``: whether the thread lost its CPU, was moved or handled a signal. ``entries``:
        also interrupts and faults. ``gauges``: also whether the core was shared or changed its
        frequency, or the hypervisor took time, in a microsecond. ``ValueError`` for anything else."""
    def begin(self) -> None:
        """A piece begins."""
    def end(self) -> Verdict:
        """The piece ends. Everything is unknown if none has begun."""
    @property
    def verdict(self) -> Verdict | None:
        """That of the last ``with``; ``None`` before it has ended."""
    def __enter__(self) -> Witness: ...
    def __exit__(self, *error: object) -> None: ...

@final
class Alarm:
    """The timer and the margin of one event loop, for ``_asyncio.py``."""

    def __new__(cls) -> Alarm: ...
    def fileno(self) -> int | None: ...
    def begin(self, deadline: Instant, /) -> Pause: ...
    def woke(self, pause: Pause, /) -> int | None: ...
    def set(self, wake: int | None, /) -> None: ...

@final
class Pause:
    """A wait of a task."""

    @property
    def wake(self) -> int | None: ...
    def rest(self) -> float: ...
    def near(self) -> bool: ...
    def finish(self) -> Waited: ...
