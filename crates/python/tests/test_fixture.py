"""The fixture that the wheel adds to pytest."""

import time

import pytest

from chronoscope_clock import Stopwatch, Witness, wait


def test_a_stopwatch_runs_before_the_test(stopwatch):
    assert isinstance(stopwatch, Stopwatch)
    wait(0.001)
    assert stopwatch.elapsed_ns() >= 1_000_000


def test_a_witness_sees_that_the_test_slept(witness):
    assert isinstance(witness, Witness)
    with witness:
        time.sleep(0.001)
    verdict = witness.verdict
    assert "preempted" in verdict.found + verdict.unknown
    assert verdict.clean is not True


@pytest.mark.witness("gauges")
def test_a_marker_chooses_what_the_witness_looks_for(witness):
    assert repr(witness) == "Witness('gauges')"
    witness.begin()
    time.sleep(0.002)
    verdict = witness.end()
    assert verdict.taken_ns is None or verdict.taken_ns > 500_000
    assert ("core shared" in verdict.unknown) == (verdict.taken_ns is None)


def test_disturbed_rounds_are_made_again(undisturbed):
    assert undisturbed(time.sleep, 0.0001) is None
    with Witness("marks") as witness:
        pass
    # Each round sleeps, so each is disturbed, unless that cannot be seen here.
    counts = undisturbed.extra_info
    seen = "preempted" not in witness.verdict.unknown
    assert (counts["left_out"] + counts["disturbed"] > 0) == seen


def test_a_level_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="'all' is none of"):
        Witness("all")
