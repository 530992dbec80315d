//! What happens to this machine while others are asked: it is suspended, moved or paused, its wall
//! clock is set, or the run itself is stopped and goes on.

use super::{CONTRADICTIONS, Track};
use crate::add_up_to;
use crate::engine::keep;
use chronoscope_model::against::{Against, Anchor, Event, Happened, Set};
use chronoscope_probes::machine::outside::{OUTLIVES, wall};
use chronoscope_probes::machine::quota::Freezer;
use chronoscope_probes::machine::{self, Root, vmclock};
use chronoscope_probes::waits::os;

/// Nothing of a run ran if it did not look for so long, in nanoseconds.
const PAUSED: i64 = 1_000_000_000;

#[derive(Debug)]
pub(super) struct Meanwhile {
    /// When the first source was asked.
    pub(super) start: i64,
    /// The last look at the wall clock.
    pub(super) last: [i64; 3],
    started: String,
    clocks: os::Clocks,
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
        let (freezer, clocks) = (Freezer::of(&Root::host()), os::Clocks::now());
        if let Some((earlier, anchor)) = earlier.and_then(|it| Some((it, it.anchor.as_ref()?))) {
            let (last, suspended) = (anchor.wall, anchor.suspended);
            let wall_offset = anchor.wall_offset.unwrap_or(clocks.wall_offset);
            let monotonic = last[1].cast_unsigned().wrapping_sub(wall_offset);
            return Self {
                start: anchor.started,
                last,
                started: earlier.started.clone(),
                clocks: os::Clocks { monotonic, wall_offset, suspended },
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
            clocks,
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
        self.see(wall(), os::Clocks::now(), marker, since)
    }

    /// Takes in a look.
    fn see(
        &mut self,
        now: [i64; 3],
        clocks: os::Clocks,
        marker: Option<u64>,
        since: Option<i64>,
    ) -> bool {
        let os::Change { suspended, set } = clocks.since(&self.clocks);
        // The clock that counts the time between two looks stands still in suspension, and times
        // since the start go on.
        let stood = if OUTLIVES { i64::try_from(suspended).unwrap_or(i64::MAX) } else { 0 };
        self.start = self.start.saturating_sub(stood);
        let at_s = (now[0].saturating_sub(self.start)) as f64 / 1e9;
        let mut happened = |what, ns: Option<f64>, why: Option<&str>| {
            let why = why.map(str::to_owned);
            let event = Event { at_s, what, ns, why, ..Event::default() };
            add_up_to(&mut self.events, CONTRADICTIONS, event);
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
        if suspended > 0 {
            happened(Happened::Suspended, Some(suspended as f64), None);
        }
        let moved = marker.zip(self.marker).is_some_and(|(now, then)| now != then);
        if moved {
            happened(Happened::Disrupted, None, None);
        }
        if let Some(by_ns) = set {
            keep(&mut self.set, Set { at_s, by_ns });
        }
        (self.last, self.clocks) = (now, clocks);
        self.marker = marker.or(self.marker);
        suspended > 0 || moved
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
            wall_offset: Some(self.clocks.wall_offset),
            suspended: self.clocks.suspended,
            marker: self.marker,
            bounds: tracks.iter().map(|it| it.region.hulls(it.found.id.clone())).collect(),
        });
        Against { started: self.started.clone(), set: self.set.clone(), events, anchor, ..found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_on_through_suspensions_and_the_stop_of_a_run() {
        const S: i64 = 1_000_000_000;
        let mut it = Meanwhile::new(None);
        let [start, wall, _] = it.last;
        // Not every system counts that.
        it.clocks.suspended = Some(0);
        let begin = it.clocks;
        // What the clocks show after so many seconds, in some of which the machine slept.
        let at = |s: i64, slept: i64| {
            let stood = if OUTLIVES { slept } else { 0 };
            let ran = (s - stood) * S;
            let clocks = os::Clocks {
                monotonic: begin.monotonic.wrapping_add_signed(ran),
                wall_offset: begin.wall_offset.wrapping_add_signed(stood * S),
                suspended: Some((slept * S).cast_unsigned()),
            };
            ([start + ran, wall + s * S, start + ran], clocks)
        };
        let [first, second, third] = [at(1, 0), at(3_601, 3_600), at(7_300, 7_200)];
        assert!(!it.see(first.0, first.1, None, Some(first.0[0])));
        assert!(it.see(second.0, second.1, None, Some(second.0[0])));
        it.resumed = true;
        assert!(it.see(third.0, third.1, None, None));
        let seconds = |it: &Event| (it.what, it.at_s.round(), (it.ns.unwrap_or(0.0) / 1e9).round());
        let seen = |it: &Meanwhile| it.events.iter().map(seconds).collect::<Vec<_>>();
        let asleep = |at_s| (Happened::Suspended, at_s, 3600.0);
        let resumed = (Happened::Resumed, 7300.0, 3699.0);
        assert_eq!(seen(&it), [asleep(3601.0), resumed, asleep(7300.0)]);
        assert!(it.set.is_empty(), "{:?}", it.set);
        // The clock is set while the run is stopped, on a boot that can be told from others.
        let told = it.told(Against::default(), &[]);
        if told.anchor.is_some() {
            let mut again = Meanwhile::new(Some(&told));
            let (now, clocks) = at(9_000, 7_200);
            let wall_offset = clocks.wall_offset.wrapping_add_signed(-60 * S);
            assert!(!again.see(now, os::Clocks { wall_offset, ..clocks }, None, None));
            assert_eq!(again.set, [Set { at_s: 9_000.0, by_ns: -60e9 }]);
            assert_eq!(seen(&again)[3..], [(Happened::Resumed, 9_000.0, 1_700.0)]);
        }
    }
}
