//! The wall clock was stepped during the run.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::{Certainty, Level};

/// The smallest step that is reported, in nanoseconds. Below are what interrupts between two reads
/// of different clocks leave.
const LEAST_NS: u64 = 100_000;
/// The most steps that are named.
const NAMED: usize = 4;

pub(super) const FAULT: Fault = Fault {
    id: "clock-stepped",
    title: "The wall clock was stepped",
    about: "During the run, the wall clock moved against the monotonic clock, which a slew does \
            not do: somebody set it, or a program corrected a large error at once. Durations \
            measured with it are wrong by that much, and may be negative.",
    fix: "Measure durations with a monotonic clock. Find out what sets the clock: the log of \
          chrony, ntpd or systemd-timesyncd, or the hypervisor's tools. chrony's `makestep` should \
          apply to the first few updates only.",
    reference: "clock_gettime(2); pingcap/tidb#64342",
    certainty: Certainty::Measured,
    looks_at: "the wall clock against the monotonic clock, before and after, and while trust \
               watches",
    needs: &[Need::Moved],
    minor: false,
    look: |report, fault| {
        let mut evidence: Vec<String> = Vec::new();
        if let Some(moved) = &report.run.moved {
            let by = moved.wall_ns;
            // A kernel may round both clocks to a tick of its clock source.
            if by.unsigned_abs() > LEAST_NS.max(moved.error_ns.unsigned_abs()) {
                let way = if by > 0 { "forwards" } else { "backwards" };
                let by = short(by.unsigned_abs() as f64);
                let seconds = report.run.seconds;
                evidence.push(format!("by {by} {way} within {seconds:.1} s"));
            }
        }
        let wall = report.trust.as_ref().and_then(|trust| trust.wall.as_ref());
        let steps = wall.into_iter().flat_map(|wall| &wall.steps);
        let steps = steps.filter(|step| step.by_ns.abs() > LEAST_NS as f64);
        evidence.extend(
            steps
                .take(NAMED)
                .map(|step| format!("after {:.1} s: by {:+.0} ns", step.at_s, step.by_ns)),
        );
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
