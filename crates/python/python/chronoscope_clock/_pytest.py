"""Fixtures of pytest: ``stopwatch``, which the test has just started, and ``witness``."""

import pytest

from ._native import Stopwatch, Witness


@pytest.fixture
def stopwatch() -> Stopwatch:
    """A :class:`chronoscope_clock.Stopwatch`, started before the test."""
    return Stopwatch()


@pytest.fixture
def witness(request) -> Witness:
    """A :class:`chronoscope_clock.Witness` for pieces of the test; ``entries`` unless a marker
    ``witness("gauges")`` says otherwise."""
    marker = request.node.get_closest_marker("witness")
    return Witness(*(marker.args if marker else ("entries",)))


def pytest_configure(config):
    """Names the marker, so that ``--strict-markers`` knows it."""
    config.addinivalue_line("markers", "witness(level): what the fixture witness looks for")
