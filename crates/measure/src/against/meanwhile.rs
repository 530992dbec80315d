//! What happens to this machine while others are asked: it is suspended, moved or paused, its wall
//! clock is set, or the run itself is stopped and goes on.

use super::{CONTRADICTIONS, Track};
use chronoscope_model::against::{Against, Anchor, Event, Happened, Set};
use chronoscope_probes::machine::outside::{OUTLIVES, wall};
use chronoscope_probes::machine::quota::Freezer;
use chronoscope_probes::machine::{self, Root, vmclock};
use chronoscope_probes::waits::os;

/// Nothing of a run ran if it did not look for so long, in nanoseconds.
const PAUSED: i64 = 1_000_000_000;
/// A shorter suspend, in nanoseconds, is within the scatter of the clocks.
const SUSPENDED: u64 = 1_000_000;

#[derive(Debug)]
pub(super) struct Meanwhile {
    /// When the first source was asked.
    pub(super) start: i64,
    /// The last look at the wall clock.
    pub(super) last: [i64; 3],
    started: String,
    suspended: Option<u64>,
    marker: Option<u64>,
    freezer: Freezer,
    set: Vec<Set>,
    events: Vec<Event>,
    /// Whether the next look is the first after the run was resumed.
    resumed: bool,
}

impl Meanwhile {
    pub(super) fn new(earlier: Option<&Against>) -> Self {
        os::forget_continue();
        let freezer = Freezer::of(&Root::host());
        if let Some((earlier, anchor)) = earlier.and_then(|it| Some((it, it.anchor.as_ref()?))) {
            return Self {
                start: anchor.started,
                last: anchor.wall,
                started: earlier.started.clone(),
                suspended: anchor.suspended,
                marker: anchor.marker,
                freezer,
                set: earlier.set.clone(),
                events: earlier.events.clone(),
                resumed: true,
            };
        }
        let last = wall();
        Self {
            start: last[0],
            last,
            started: jiff::Timestamp::now().to_string(),
            suspended: os::suspended(),
            marker: vmclock::read().ok().map(|page| page.disruption_marker),
            freezer,
            set: Vec::new(),
            events: Vec::new(),
            resumed: false,
        }
    }

    /// Looks again, after a nap since then. Returns whether what was known of other clocks before
    /// says nothing about now.
    pub(super) fn look(&mut self, since: Option<i64>) -> bool {
        let marker = self.marker.and_then(|_| Some(vmclock::read().ok()?.disruption_marker));
        self.see(wall(), os::suspended(), marker, since)
    }

    /// Takes in a look.
    fn see(
        &mut self,
        now: [i64; 3],
        suspended: Option<u64>,
        marker: Option<u64>,
        since: Option<i64>,
    ) -> bool {
        let slept = suspended.zip(self.suspended).map_or(0, |(now, then)| now.saturating_sub(then));
        let slept = if slept > SUSPENDED { slept } else { 0 };
        // The clock that counts the time between two looks stands still in suspension, and times
        // since the start go on.
        let stood = if OUTLIVES { i64::try_from(slept).unwrap_or(i64::MAX) } else { 0 };
        self.start = self.start.saturating_sub(stood);
        let at_s = (now[0].saturating_sub(self.start)) as f64 / 1e9;
        let mut happened = |what, ns: Option<f64>, why: Option<&str>| {
            if self.events.len() < CONTRADICTIONS {
                let why = why.map(str::to_owned);
                self.events.push(Event { at_s, what, ns, why, ..Event::default() });
            }
        };
        let why = match (self.freezer.take(), os::take_continue()) {
            (true, _) => Some("its control group was frozen"),
            (_, true) => Some("a signal had stopped it"),
            _ => None,
        };
        let passed = now[0] - since.unwrap_or(self.last[2]);
        match std::mem::take(&mut self.resumed) {
            true => happened(Happened::Resumed, Some(passed as f64 + stood as f64), None),
            false if passed > PAUSED => happened(Happened::Paused, Some(passed as f64), why),
            false => {}
        }
        if slept > 0 {
            happened(Happened::Suspended, Some(slept as f64), None);
        }
        let moved = marker.zip(self.marker).is_some_and(|(now, then)| now != then);
        if moved {
            happened(Happened::Disrupted, None, None);
        }
        self.set.extend(was_set(self.last, now, stood, at_s));
        // The latest are kept.
        let many = self.set.len().saturating_sub(CONTRADICTIONS);
        self.set.drain(..many);
        self.last = now;
        // A longer suspension than before is one; reads of both clocks scatter.
        self.suspended = if slept > 0 { suspended } else { self.suspended.or(suspended) };
        self.marker = marker.or(self.marker);
        slept > 0 || moved
    }

    /// Adds what happened to what sources have shown.
    pub(super) fn told(&self, found: Against, tracks: &[Track]) -> Against {
        let own = tracks.iter().flat_map(|track| &track.events);
        let mut events: Vec<Event> = self.events.iter().chain(own).cloned().collect();
        events.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        let anchor = machine::boot_id().filter(|_| OUTLIVES).map(|boot| Anchor {
            boot,
            started: self.start,
            wall: self.last,
            suspended: self.suspended,
            marker: self.marker,
            bounds: tracks.iter().map(|it| it.region.hulls(it.found.id.clone())).collect(),
        });
        Against { started: self.started.clone(), set: self.set.clone(), events, anchor, ..found }
    }
}

/// Whether the wall clock was set between two looks at it, between which the machine was suspended
/// for so many nanoseconds.
fn was_set(before: [i64; 3], after: [i64; 3], stood: i64, at_s: f64) -> Option<Set> {
    /// More than a slew explains (adjtimex(2): 500 ppm, and what `adjtime` adds), and more than
    /// the reads themselves.
    const SLEWED_PPM: i64 = 1000;
    const LEAST: i64 = 1_000_000;
    let by = (after[1] - before[1]) - (after[0] - before[0]).saturating_add(stood);
    let reads = (before[2] - before[0]) + (after[2] - after[0]);
    let explained = LEAST + reads + (after[0] - before[0]) / (1_000_000 / SLEWED_PPM);
    (by.abs() > explained).then_some(Set { at_s, by_ns: by as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_on_through_suspensions_and_the_stop_of_a_run() {
        const S: i64 = 1_000_000_000;
        let mut it = Meanwhile::new(None);
        let [start, wall, _] = it.last;
        it.suspended = Some(0);
        // What both clocks show after so many seconds, in some of which the machine slept.
        let at = |s: i64, slept: i64| {
            let raw = start + (s - if OUTLIVES { slept } else { 0 }) * S;
            [raw, wall + s * S, raw]
        };
        let [first, second, third] = [at(1, 0), at(3_601, 3_600), at(7_300, 7_200)];
        assert!(!it.see(first, Some(0), None, Some(first[0])));
        assert!(it.see(second, Some(3_600 * S as u64), None, Some(second[0])));
        it.resumed = true;
        assert!(it.see(third, Some(7_200 * S as u64), None, None));
        let seconds = |it: &Event| (it.what, it.at_s.round(), (it.ns.unwrap_or(0.0) / 1e9).round());
        let seen: Vec<_> = it.events.iter().map(seconds).collect();
        let asleep = |at_s| (Happened::Suspended, at_s, 3600.0);
        let resumed = (Happened::Resumed, 7300.0, 3699.0);
        assert_eq!(seen, [asleep(3601.0), resumed, asleep(7300.0)]);
        assert!(it.set.is_empty(), "{:?}", it.set);
    }
}
