//! The mean of a million calls, the mean of ten, and a single call, in three passes, with nothing
//! printed in between.

use crate::clocks::disturbance::Conditions;
use crate::engine::host::ticks;
use crate::engine::load::LONGEST_SPIN;
use crate::engine::schedule::{CALLS_MEAN, CALLS_QUIET};
use crate::engine::{Batches, Mode, Spec, Values};
use crate::run::measurement::{Error, Measurement, Progress, Setting};
use chronoscope_model::Report;
use chronoscope_model::loops::{Calls, Pass};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

/// How many calls each of the three means is taken over.
pub const COUNTS: [u64; 3] = [1_000_000, 10, 1];
pub const PASSES: usize = 3;
/// The most calls that warm up the code with which the ruler times.
const WARM: u64 = 10;
/// How often the cost of a call is tried: the first try is often slow.
const LOOKS: usize = 3;
/// The most time of a real-time thread. Its means take a sixth of three quarters of that
/// at most ([`CALLS_MEAN`]): no more than such a thread may spin.
const REAL_TIME: Duration = LONGEST_SPIN.saturating_mul(8);

pub struct Request {
    pub entry: &'static Entry,
    pub disturbance: Disturbance,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &[self.entry])?;
        let specs = session.specs.clone();
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        // A real-time thread may not make a million slow calls without a rest.
        let most = setting.fifo.map(|_| REAL_TIME);
        let longest = longest.into_iter().chain(most).min();
        let mut found = Vec::new();
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        let (mut done, all) = (0.0, 1.0 + f64::from(conditions.loads()));
        conditions.each(&mut session, report, |session, load| {
            let progress = |part| (setting.progress)(Progress::Phase("calls", (done + part) / all));
            let calls = measure(&mut session.machine, &specs, 0, longest, progress);
            done += 1.0;
            found.extend(calls.map(|calls| Calls { load, ..calls }));
        })?;
        setting.require_unit(found.first(), self.entry)?;
        report.calls.append(&mut found);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

/// Measures one subject by itself, within a time limit if there is one; the large mean is then
/// taken over as many calls as fit. If the user asks to stop, the result has the complete passes.
/// `None` if no pass was complete, or if the clock's unit has no fixed length. `progress` gets the
/// share that is done, 0 to 1.
pub fn measure<H: Batches + Values>(
    host: &mut H,
    specs: &[Spec],
    subject: usize,
    longest: Option<Duration>,
    mut progress: impl FnMut(f64),
) -> Option<Calls> {
    let spec = &specs[subject];
    let ns_per_unit = spec.ns_per_unit(host.hz())?;
    // Any loading that the start of the program caused has ended after the quiet start.
    let quiet = CALLS_QUIET.within(longest);
    // Each of the passes has a large mean by the clock and one by the ruler. A clock for which one
    // would take longer gets fewer calls, and the report gives their number.
    let large = CALLS_MEAN.within(longest.map(|longest| longest - quiet));
    progress(0.0);
    host.sleep(quiet);

    // Nothing is stored between the calls: after a million of them, an array is in no cache, and
    // its first stores would take longer than ten calls.
    let mut look = || {
        let start = host.ticks();
        host.span(subject, 10);
        (host.ticks().wrapping_sub(start) / 11).max(1)
    };
    let each = (0..LOOKS).map(|_| look()).min().unwrap_or(1);
    let affordable = ticks(host, large) / each;
    let counts = COUNTS.map(|count| count.min(affordable).max(1));

    // The cost of the ruler with nothing between its start and its stop.
    let baseline = spec.baseline;
    let empty = (0..64).map(|_| host.batch(baseline, Mode::Throughput, 0).ticks).min().unwrap_or(0);

    let mut passes = Vec::with_capacity(PASSES);
    'passes: while passes.len() < PASSES {
        progress((1.0 + passes.len() as f64) / (1 + PASSES) as f64);
        let mut by_clock = [0.0; 3];
        let mut by_ruler = [0.0; 3];
        for (at, count) in counts.into_iter().enumerate() {
            if host.interrupted() {
                break 'passes;
            }
            let elapsed = host.span(subject, count) as i64;
            by_clock[at] = elapsed as f64 * ns_per_unit / count as f64;
            // The batch before ended with system calls, after which the code that times is cold.
            host.batch(subject, Mode::Throughput, count.min(WARM));
            let ticks = host.batch(subject, Mode::Throughput, count).ticks;
            by_ruler[at] = ticks.saturating_sub(empty) as f64 / host.hz() * 1e9 / count as f64;
        }
        passes.push(Pass {
            delta1_ns: by_clock[0],
            delta2_ns: by_clock[1],
            delta3_ns: by_clock[2],
            ruler_ns: by_ruler,
        });
    }
    (!passes.is_empty()).then(|| Calls {
        id: spec.row.id.clone(),
        load: None,
        nominal_ns: spec.nominal_ns,
        counts,
        passes,
    })
}
