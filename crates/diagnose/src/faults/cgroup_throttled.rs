//! A CPU quota makes waits late.

use super::{Fault, Need};
use chronoscope_model::units::{plural, short_ns};
use chronoscope_model::why::{Cause, Why};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "cgroup-throttled",
    title: "A CPU quota kept this process from running",
    about: "When the threads of a control group have used up its CPU time for a period (100 ms by \
            default), none of them runs until the next one begins. A wait that ends in such a \
            pause is late by tens of milliseconds, however idle the machine is.",
    fix: "Raise or remove the quota (cpu.max, cpu.cfs_quota_us, limits.cpu in Kubernetes), or keep \
          the group's busy threads below it.",
    reference: "Linux Documentation/scheduler/sched-bwc.rst",
    certainty: Certainty::Measured,
    looks_at: "the parts of late wake-ups, and cpu.stat",
    needs: &[Need::Linux, Need::Why],
    minor: false,
    look: |report, fault| {
        let rows = report.waits.iter().filter_map(|wait| {
            let all = wait.why.as_ref().and_then(Why::all)?;
            let ns = all.mean_ns() * all.waits as f64 * all.share(Cause::Throttled);
            (ns > 0.0).then_some((wait, all, ns))
        });
        let rows: Vec<_> = rows.collect();
        let (worst, all, _) = rows.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
        let sum: f64 = rows.iter().map(|(_, _, ns)| ns).sum();
        let evidence = vec![
            format!("cpu.stat: {} in which a thread was due to run", short_ns(sum)),
            format!("most of them in {}, in {}", worst.id, plural(all.waits, "wait", "waits")),
        ];
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
