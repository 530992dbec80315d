"""Fixtures of pytest: ``stopwatch``, which the test has just started, ``witness``, and
``undisturbed``, which is the fixture ``benchmark`` of pytest-benchmark without what was disturbed."""

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


@pytest.fixture
def undisturbed(request):
    """The fixture ``benchmark`` of pytest-benchmark, which makes a round again in which the thread
    lost its CPU, was moved or handled a signal, up to as many rounds as count. Where nothing can be
    seen, every round counts. ``extra_info`` of the benchmark has ``left_out``, how many rounds were
    made again, and ``disturbed``, how many count although they were disturbed."""
    benchmark = request.getfixturevalue("benchmark")
    witness, make = Witness("marks"), benchmark._make_runner
    counts = benchmark.extra_info
    counts.update(left_out=0, disturbed=0)
    made = 0

    def make_runner(*args, **kwargs):
        runner = make(*args, **kwargs)

        def round(*args, **kwargs):
            nonlocal made
            made += 1
            while True:
                witness.begin()
                took = runner(*args, **kwargs)
                if witness.end().clean is not False:
                    return took
                if counts["left_out"] >= made:
                    counts["disturbed"] += 1
                    return took
                counts["left_out"] += 1

        return round

    benchmark._make_runner = make_runner
    return benchmark


def pytest_configure(config):
    """Names the marker, so that ``--strict-markers`` knows it."""
    config.addinivalue_line("markers", "witness(level): what the fixture witness looks for")
