//! The machine was paused.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::trust::{Pause, Paused};
use chronoscope_model::{Certainty, Level};

/// The shortest pause that is told from a busy host, in nanoseconds.
const LEAST_NS: f64 = 100e6;
/// A pause that timeouts notice, in nanoseconds.
const GRAVE_NS: f64 = 1e9;
/// The most pauses that are named; the longest come first.
const NAMED: usize = 4;

pub(super) const FAULT: Fault = Fault {
    id: "vm-paused",
    title: "The virtual machine was paused",
    about: "For a while nothing of this machine ran: a snapshot, a migration, a host that was \
            suspended or out of CPUs. Timeouts that ran meanwhile ended at once afterwards, and \
            waits were late by as much.",
    fix: "Look at the host. If pauses are normal here, make timeouts longer than them, and take a \
          late wake for what it is.",
    reference: "microsoft/WSL#40745; proc_stat(5), steal",
    certainty: Certainty::Measured,
    looks_at: "looks at all clocks together, the battery-backed clock, steal in /proc/stat",
    needs: &[Need::Trust],
    minor: false,
    look: |report, fault| {
        let watched = &report.trust.as_ref()?.watched;
        let paused = |pause: &&Pause| pause.paused == Paused::Machine && pause.ns > LEAST_NS;
        let pauses: Vec<&Pause> = watched.pauses.iter().filter(paused).collect();
        let all = pauses.iter().map(|pause| pause.ns);
        let all = all.chain(watched.standstills.iter().map(|one| one.ns));
        let longest = all.reduce(f64::max)?;
        let standstills = watched.standstills.iter().take(NAMED).map(|one| {
            format!(
                "until {:.1} s: {} advanced by {}, to within {}, and all other clocks stood still",
                one.at_s,
                one.id,
                short(one.ns.round()),
                short(one.tolerance_ns)
            )
        });
        let pauses = pauses.into_iter().take(NAMED).map(|pause| {
            let stolen = pause.steal_ns.filter(|ns| *ns > 0.0);
            let stolen = stolen.map_or(String::new(), |ns| format!(", steal {}", short(ns)));
            format!("until {:.1} s: {}{stolen}", pause.at_s, short(pause.ns.round()))
        });
        let evidence = standstills.chain(pauses).collect();
        let level = match longest > GRAVE_NS {
            true => Level::Warning,
            false => Level::Info,
        };
        fault.found(level, Certainty::Measured, evidence)
    },
};
