//! The wall clock and its synchronisation.

use super::super::scenario::{INTEL, Machine, Place, SCENARIO, Scenario, evident, measured};

/// A PC whose clock is treated so while the tool runs.
const fn during(during: &'static str) -> Place {
    Place::Machine(Machine { during, ..INTEL })
}

/// A PC whose clock was treated so before the tool runs.
const fn before(before: &'static str) -> Place {
    Place::Machine(Machine { before, ..INTEL })
}

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "step-forward",
        plants: "the wall clock is set forward by an hour during the run",
        place: during("sleep 3; plant step 3600 && echo stepped"),
        proves: "stepped",
        finds: &[measured("clock-stepped", "warning", &["forwards"])],
        // The kernel then takes its clock for unsynchronised.
        may: &["changed-during-run"],
        ..SCENARIO
    },
    Scenario {
        name: "step-back",
        plants: "the wall clock is set back by half a second during the run",
        place: during("sleep 3; plant step -0.5 && echo stepped"),
        proves: "stepped",
        finds: &[measured("clock-stepped", "warning", &["ms backwards"])],
        may: &["changed-during-run", "clock-backwards"],
        ..SCENARIO
    },
    Scenario {
        name: "slewed",
        plants: "the wall clock and the monotonic clock are slewed by 400 ppm",
        place: before("plant slew 400"),
        proof: "adjtimex",
        proves: "freq.adjust:  26214400",
        finds: &[measured(
            "clock-slewed",
            "warning",
            &["freq 26214400", "+400.0 ppm", "measured over the run"],
        )],
        // The clock claims to be synchronised, so the correction is the TSC's error.
        may: &["watchdog-off"],
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "unsynchronised",
        plants: "a maximum error of 16 s: nothing synchronises the clock",
        place: before("plant unsynchronised"),
        proof: "adjtimex",
        proves: "maxerror:     16000000",
        finds: &[evident("unsynchronised", "warning", &["maxerror 16000000 us"])],
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "leap-insert",
        plants: "a leap second will be inserted at the end of the day",
        place: before("plant leap-insert"),
        proof: "adjtimex",
        proves: "INS",
        finds: &[evident("leap-pending", "warning", &["STA_INS"])],
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "leap-delete",
        plants: "a leap second will be deleted at the end of the day",
        place: before("plant leap-delete"),
        proof: "adjtimex",
        proves: "DEL",
        finds: &[evident("leap-pending", "warning", &["STA_DEL"])],
        ..SCENARIO
    },
    Scenario {
        name: "tai-unset",
        plants: "nobody told the kernel how far TAI is ahead of UTC",
        place: before("plant no-tai"),
        proof: "adjtimex",
        proves: "maxerror:     1000\n",
        finds: &[evident("tai-unset", "info", &["tai 0 s"])],
        ..SCENARIO
    },
    Scenario {
        name: "two-disciplines",
        plants: "chronyd and VMware's tools run at the same time",
        place: before(
            "for name in chronyd vmtoolsd\n\
             do printf '#!/bin/sh\\nsleep 1000\\n:\\n' > /tmp/$name\n\
             chmod +x /tmp/$name; /tmp/$name &\n\
             done",
        ),
        proof: "ps",
        proves: "vmtoolsd",
        finds: &[evident("two-disciplines", "info", &["chronyd", "vmtoolsd"])],
        ..SCENARIO
    },
];
