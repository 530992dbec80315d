"""What allantools finds in phases: stability.py [FILE]

FILE has a list of series in JSON, each {"tau0": seconds, "phases": [seconds, ...]}. For each of
them and each averaging factor, 1, 2, 4 and so on, a line of JSON has the factor, the overlapping
Allan deviation, TDEV and MTIE, and the 95 % intervals of both deviations with whichever noise makes
them widest.
Without FILE, it prints what crates/diagnose/tests/stability.rs states of the 1,000 points of NIST
SP 1065: `pip install allantools`, then run this.
"""

import json
import sys

import allantools
from allantools.ci import confidence_interval, edf_greenhall, edf_simple

NOISES = (2, 1, 0, -1, -2)


def deviations(phases, tau0, m):
    one = {"rate": 1 / tau0, "data_type": "phase", "taus": [m * tau0]}
    all_of = (allantools.oadev, allantools.tdev, allantools.mtie)
    return [float(of(phases, **one)[1][0]) for of in all_of]


def simple(count, m, alpha):
    # Its formula for flicker of frequency lacks a factor where m is 1 (SP 1065, table 5).
    lacks = count - 2 if (alpha, m) == (-1, 1) else 1
    return float(edf_simple(count, m, alpha)) * lacks


def modified(count, m, alpha):
    return float(edf_greenhall(alpha, 2, m, count, overlapping=True, modified=True))


def widest(deviation, freedom, *of):
    least = min(freedom(*of, alpha) for alpha in NOISES)
    return [float(end) for end in confidence_interval(deviation, least, ci=0.95)]


def compared(path):
    with open(path, encoding="utf-8") as file:
        for series in json.load(file):
            phases, m = series["phases"], 1
            while 4 * m <= len(phases):
                adev, tdev, mtie = deviations(phases, series["tau0"], m)
                ends = widest(adev, simple, len(phases), m)
                ends_tdev = widest(tdev, modified, len(phases), m)
                print(json.dumps([m, adev, tdev, mtie, *ends, *ends_tdev]))
                m *= 2


def published():
    number, phases = 1_234_567_890, [0.0]
    for _ in range(1000):
        phases.append(phases[-1] + number / 2_147_483_647)
        number = 16_807 * number % 2_147_483_647
    for m in [1, 2, 4, 8, 16, 32, 100]:
        adev, tdev, mtie = deviations(phases, 1, m)
        low, high = confidence_interval(adev, edf_simple(len(phases), m, 0), ci=0.95)
        freedom = modified(len(phases), m, 0)
        print([m, adev, tdev, mtie, freedom, float(low), float(high)])


if sys.argv[1:]:
    compared(sys.argv[1])
else:
    published()
