//! The hypervisor took CPU time away.

use super::{Fault, Need};
use chronoscope_model::units::{percent, plural};
use chronoscope_model::{Certainty, Level};

/// Steal above this share of the CPUs' time disturbs a run: at one in a hundred, the 99th
/// percentile of anything that lasts longer than a time slice is the hypervisor's.
const SHARE: f64 = 0.01;

pub(super) const FAULT: Fault = Fault {
    id: "noisy-neighbour",
    title: "The hypervisor took CPU time from this machine",
    about: "Steal is time in which a virtual CPU was ready to run and the host ran something else. \
            A measurement sees it as a gap, a wait as overshoot.",
    fix: "Measure again at another time, or on dedicated CPUs.",
    reference: "proc_stat(5), steal",
    certainty: Certainty::Measured,
    looks_at: "steal in /proc/stat",
    needs: &[Need::Linux, Need::Noise, Need::Steal],
    minor: false,
    look: |report, fault| {
        let steal_ms = report.ruler.as_ref()?.noise.steal_ms?;
        let whole_ms = report.run.seconds * 1e3 * report.environment.cpu.logical.max(1) as f64;
        let share = steal_ms / whole_ms;
        if !share.is_finite() || share <= SHARE {
            return None;
        }
        fault.found(
            Level::Warning,
            Certainty::Measured,
            vec![format!(
                "/proc/stat: {steal_ms:.0} ms of steal in a run of {:.1} s on {} ({})",
                report.run.seconds,
                plural(report.environment.cpu.logical as u64, "CPU", "CPUs"),
                percent(share)
            )],
        )
    },
};
