//! The wall clock and its synchronisation.

use super::super::scenario::{SCENARIO, Scenario, before, during, evident, measured};

scenarios! {
    "step-forward" during("sleep 3; plant step 3600 && echo stepped") =>
        "the wall clock is set forward by an hour during the run",
        proof "" => "stepped",
        finds: &[measured("clock-stepped", "warning", &["forwards"])],
        // The kernel then considers its clock unsynchronised.
        may: &["changed-during-run"];
    "step-back" during("sleep 3; plant step -0.5 && echo stepped") =>
        "the wall clock is set back by half a second during the run",
        proof "" => "stepped",
        finds: &[measured("clock-stepped", "warning", &["ms backwards"])],
        may: &["changed-during-run", "clock-backwards"];
    "slewed" before("plant slew 400") =>
        "the wall clock and the monotonic clock are slewed by 400 ppm",
        proof "adjtimex" => "freq.adjust:  26214400",
        finds: &[measured(
            "clock-slewed",
            "warning",
            &["freq 26214400", "+400.0 ppm", "measured over the run"],
        )],
        // The clock claims to be synchronised, so the correction is the TSC's error.
        may: &["watchdog-off"],
        ci: true;
    "unsynchronised" before("plant unsynchronised") =>
        "a maximum error of 16 s: nothing synchronises the clock",
        proof "adjtimex" => "maxerror:     16000000",
        finds: &[evident("unsynchronised", "warning", &["maxerror 16000000 us"])],
        ci: true;
    "leap-insert" before("plant leap-insert") =>
        "a leap second will be inserted at the end of the day",
        proof "adjtimex" => "INS",
        finds: &[evident("leap-pending", "warning", &["STA_INS"])],
        ci: true;
    "leap-delete" before("plant leap-delete") =>
        "a leap second will be deleted at the end of the day",
        proof "adjtimex" => "DEL",
        finds: &[evident("leap-pending", "warning", &["STA_DEL"])];
    "tai-unset" before("plant no-tai") =>
        "the kernel does not know how far TAI is ahead of UTC",
        proof "adjtimex" => "maxerror:     1000\n",
        finds: &[evident("tai-unset", "info", &["tai 0 s"])];
    "two-disciplines" before(
            "for name in chronyd vmtoolsd\n\
             do printf '#!/bin/sh\\nsleep 1000\\n:\\n' > /tmp/$name\n\
             chmod +x /tmp/$name; /tmp/$name &\n\
             done",
        ) =>
        "chronyd and VMware's tools run at the same time",
        proof "ps" => "vmtoolsd",
        finds: &[evident("two-disciplines", "info", &["chronyd", "vmtoolsd"])];
}
