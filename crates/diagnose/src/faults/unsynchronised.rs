//! The kernel has lost track of its clock's error.

use super::{Fault, Need, time_programs};
use chronoscope_model::timekeeping::Adjtimex;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "unsynchronised",
    title: "The clock is not synchronised",
    about: "The kernel's bound on the error of its clock (maxerror) has reached 16 s, at which it \
            takes the clock for unsynchronised: no program has corrected it for hours, or ever. \
            Only this counts. The status bit STA_UNSYNC and a return of 5 alone do not: chrony \
            sets both unless its configuration has `rtcsync`. It is a warning if a program that \
            should correct the clock runs, or once did, and otherwise worth knowing.",
    fix: "Run one program that synchronises the clock, and see what it says: `chronyc tracking`, \
          `timedatectl timesync-status`, `ntpq -p`. In a container, that is the host's task.",
    reference: "adjtimex(2), maxerror; Linux kernel/time/ntp.c, NTP_PHASE_LIMIT; \
                bottlerocket#1183; systemd#13245",
    certainty: Certainty::Evidence,
    looks_at: "adjtimex(2), the names of running programs",
    needs: &[Need::Linux, Need::Discipline],
    minor: true,
    look: |report, fault| {
        let keeping = report.environment.keeping.as_ref()?;
        let answer = keeping.adjtimex?;
        if answer.maxerror_us < Adjtimex::LOST_US {
            return None;
        }
        let mut evidence = vec![format!("adjtimex: {}", answer.line())];
        let running: Vec<&str> = time_programs(&report.environment).collect();
        if let Some(programs) = &keeping.programs {
            evidence.push(match running.is_empty() && programs.is_empty() {
                true => "none of the programs that correct clocks runs here".into(),
                false => format!("running: {}", programs.join(", ")),
            });
        }
        let once = answer.freq != 0 || answer.tai_s != 0;
        let level = match once || !running.is_empty() {
            true => Level::Warning,
            false => Level::Info,
        };
        fault.found(level, Certainty::Evidence, evidence)
    },
};
