"""Prints what allantools finds in the 1,000 points of NIST SP 1065, for
crates/diagnose/tests/stability.rs: `pip install allantools`, then run this."""

import allantools
from allantools.ci import confidence_interval, edf_greenhall, edf_simple

number, phases = 1_234_567_890, [0.0]
for _ in range(1000):
    phases.append(phases[-1] + number / 2_147_483_647)
    number = 16_807 * number % 2_147_483_647

for m in [1, 2, 4, 8, 16, 32, 100]:
    one = {"rate": 1, "data_type": "phase", "taus": [m]}
    adev, tdev, mtie = [
        float(of(phases, **one)[1][0]) for of in (allantools.oadev, allantools.tdev, allantools.mtie)
    ]
    freedom = edf_greenhall(0, 2, m, len(phases), overlapping=True, modified=True)
    low, high = confidence_interval(adev, edf_simple(len(phases), m, 0), ci=0.95)
    print([m, adev, tdev, mtie, float(freedom), float(low), float(high)])
