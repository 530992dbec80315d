"""The fixture ``stopwatch`` of pytest: a stopwatch that the test has just started."""

import pytest

from ._native import Stopwatch


@pytest.fixture
def stopwatch() -> Stopwatch:
    """A :class:`chronoscope_clock.Stopwatch`, started before the test."""
    return Stopwatch()
