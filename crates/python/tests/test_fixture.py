"""The fixture that the wheel adds to pytest."""

from chronoscope_clock import Stopwatch, wait


def test_a_stopwatch_runs_before_the_test(stopwatch):
    assert isinstance(stopwatch, Stopwatch)
    wait(0.001)
    assert stopwatch.elapsed_ns() >= 1_000_000
