//! The run that a resumed run continues.

use super::Request;
use crate::engine::schedule;
use crate::run::measurement::{Error, Measurement, Setting};
use chronoscope_model::Report;
use chronoscope_model::trust::{Anchor, Trust, VmClock};
use chronoscope_probes::clocks::Entry;
use chronoscope_probes::machine;
use std::time::Duration;

/// A run cannot last longer than this, in seconds, …
const MOST_S: f64 = 1e9;
/// … nor count more than this of anything.
const MOST: u64 = 1 << 56;
/// The least rate of a counter, in hertz.
const LEAST_HZ: f64 = 1e3;
/// If less of the time of the earlier run is left, in seconds, it was complete.
const LEFT_S: f64 = 0.1;

/// A run that can be continued on this machine.
pub(super) struct Earlier {
    pub(super) trust: Trust,
    pub(super) anchor: Anchor,
}

impl Earlier {
    /// Checks that this run can be continued here and now.
    fn of(mut trust: Trust) -> Result<Self, String> {
        let anchor = trust.anchor.take();
        let anchor = anchor.ok_or("it does not say where its watch ended; start a new run")?;
        let boot = machine::boot_id()
            .ok_or("this system does not tell one boot from another, so rates cannot go on")?;
        if anchor.boot != boot {
            return Err("it is from another machine, or from before the machine was restarted; \
                        start a new run"
                .into());
        }
        let earlier = Self { trust, anchor };
        if earlier.is_sane() { Ok(earlier) } else { Err("its figures are impossible".into()) }
    }

    /// Whether figures can be added: reports are untrusted.
    fn is_sane(&self) -> bool {
        let Trust { clocks, matrix, sandwiches, watched, wall, .. } = &self.trust;
        let tries = clocks.iter().flat_map(|watch| [watch.tries(), watch.backwards()]);
        let pairs = matrix.pairs.iter().flat_map(|pair| {
            let exchanges = pair.offsets.iter().map(|offset| offset.exchanges);
            exchanges.chain([pair.handed.turns, pair.handed.backwards])
        });
        let sandwiches = sandwiches
            .iter()
            .flat_map(|one| [one.tries, one.below, one.above, one.calls_backwards]);
        let wall = wall.iter();
        let wall = wall.flat_map(|wall| [wall.looks, wall.more_steps, wall.reported.unwrap_or(0)]);
        let watched = [watched.looks, watched.more_jumps.unwrap_or(0)];
        let mut counts = tries.chain(pairs).chain(sandwiches).chain(wall).chain(watched);
        let time = |s: f64| (0.0..=MOST_S).contains(&s);
        let times = time(self.trust.seconds) && time(self.trust.asked_s);
        let ticks = self.anchor.tick_ns > 0.0 && self.anchor.tick_ns <= 1e9 / LEAST_HZ;
        times && ticks && counts.all(|count| count <= MOST)
    }

    /// The rate that the counter was taken to have, in hertz.
    ///
    /// # Errors
    /// It was another counter.
    pub(super) fn hz_of(&self, counter: &str) -> Result<f64, String> {
        let then = &self.anchor.counter;
        if then != counter {
            return Err(format!(
                "the counter is now {counter}, but it was {then}; start a new run"
            ));
        }
        Ok(1e9 / self.anchor.tick_ns)
    }
}

/// Lets a page of the hypervisor begin with what it showed in the earlier run.
pub(super) fn since(page: &mut VmClock, earlier: Option<&VmClock>) {
    let Some(earlier) = earlier else { return };
    page.disruption_marker[0] = earlier.disruption_marker[0];
    if let (Some(now), Some(then)) = (&mut page.generation, earlier.generation) {
        now[0] = then[0];
    }
}

/// A request to continue an earlier run.
pub struct Resumed {
    request: Request,
    earlier: Earlier,
}

impl Resumed {
    /// Makes a request to go on with these clocks for this time; by default, for the rest of the
    /// time that was asked for, or for `again` (by default, that of [`schedule`]) if it is over.
    ///
    /// # Errors
    /// The run cannot be continued on this machine; one line says why.
    pub fn of(
        entries: Vec<&'static Entry>,
        trust: Trust,
        time: Option<Duration>,
        again: Option<Duration>,
    ) -> Result<Self, String> {
        let earlier = Earlier::of(trust)?;
        let left = earlier.trust.asked_s - earlier.trust.seconds;
        let left = (left > LEFT_S).then(|| Duration::from_secs_f64(left));
        let time = time.or(left).or(again).unwrap_or(schedule::TRUST.time);
        Ok(Self { request: Request { entries, time: Some(time) }, earlier })
    }
}

impl Measurement for Resumed {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        self.request.watch(Some(self.earlier), setting, report)
    }
}
