//! How each clock ran over the whole watch, and how a later run continues it.

use super::{Bracket, Log, Moved, Role, Track};
use crate::every_other;
use chronoscope_model::trust::{Anchor, Anchored, Course, Gap, Series, Trust};

/// The most points that are kept. When there are more, every second one is dropped, and later ones
/// are twice as far apart.
const MOST: usize = 512;
/// The least time between the first points, in seconds.
const SPACING_S: f64 = 1.0;

/// How far a clock got ahead of the counter, in nanoseconds, and how much of that came from steps
/// and jumps. Not numbers if it was not read.
type Ahead = [f64; 2];

#[derive(Clone, Debug)]
struct Point {
    at_s: f64,
    clocks: Vec<Ahead>,
}

#[derive(Clone, Debug)]
pub(super) struct Points {
    spacing_s: f64,
    points: Vec<Point>,
}

impl Default for Points {
    fn default() -> Self {
        Self { spacing_s: SPACING_S, points: Vec::new() }
    }
}

impl Points {
    fn is_due(&self, at_s: f64) -> bool {
        self.points.last().is_none_or(|last| at_s - last.at_s >= self.spacing_s)
    }

    fn push(&mut self, at_s: f64, clocks: Vec<Ahead>) {
        self.points.push(Point { at_s, clocks });
        if self.points.len() > MOST {
            every_other(&mut self.points, 0);
            self.spacing_s *= 2.0;
        }
    }
}

impl Track {
    fn ahead(&self) -> Ahead {
        match self.last {
            Some(_) => [self.ahead_with_jumps_ns, self.ahead_with_jumps_ns - self.ahead_ns],
            None => [f64::NAN; 2],
        }
    }
}

impl Log {
    pub(super) fn keep_point(&mut self) {
        if self.points.is_due(self.at_s) {
            self.points.push(self.at_s, self.tracks.iter().map(Track::ahead).collect());
        }
    }

    /// Records the time between the earlier run and this one. Nobody watched meanwhile: if a clock
    /// moved against the counter by more than rates explain, as one that counts from the start of
    /// its process does, that is no event of the run, but its rate begins again.
    pub(super) fn bridge(&mut self, moved: &mut [Option<Moved>], gap_ns: f64) {
        self.watched.gaps.push(Gap { at_s: self.at_s, seconds: gap_ns.max(0.0) / 1e9 });
        let jumped = |moved: &Option<Moved>| moved.filter(Moved::jumped).map(|moved| moved.by_ns);
        let steered = self.steady(false).and_then(|at| jumped(&moved[at]));
        for (at, one) in moved.iter_mut().enumerate() {
            // The wall clock may have been set, but otherwise moves with the monotonic clock.
            let own = if self.subjects[at].role == Role::Wall { steered } else { jumped(one) };
            if let (Some(by_ns), Some(one)) = (own, one) {
                one.by_ns -= by_ns;
                self.tracks[at].ahead_with_jumps_ns -= by_ns;
                self.moments.forget(at);
            }
        }
    }

    /// Returns how each clock ran against one that is never slewed, or else against the counter,
    /// since `started`.
    pub fn series(&self, started: String) -> Series {
        let against = self.steady(true);
        let points = &self.points.points;
        let of = |point: &Point, at: Option<usize>| at.map_or([0.0; 2], |at| point.clocks[at]);
        let course = |id: &str, at: Option<usize>| {
            let ahead: Vec<Ahead> = points
                .iter()
                .map(|point| (of(point, at), of(point, against)))
                .map(|(clock, base)| [0, 1].map(|of| clock[of] - base[of]))
                .collect();
            // Once a clock has been read, its last value stands.
            let read = |[all, stepped]: &Ahead| all.is_finite() && stepped.is_finite();
            let first = ahead.iter().rposition(|one| !read(one)).map_or(0, |last| last + 1);
            let rates = ahead.windows(2).zip(points.windows(2)).skip(first).map(|(two, at)| {
                let [before, after] = [two[0], two[1]].map(|[all, stepped]| all - stepped);
                // Nanoseconds per second are thousandths of a part per million.
                rounded((after - before) / (at[1].at_s - at[0].at_s) / 1e3, 1e4)
            });
            let of = |part: usize| ahead[first..].iter().map(move |one| rounded(one[part], 10.0));
            let stepped = of(1).any(|ns| ns != 0.0);
            Course {
                id: id.into(),
                first,
                offset_ns: of(0).collect(),
                stepped_ns: if stepped { of(1).collect() } else { Vec::new() },
                rate_ppm: rates.collect(),
            }
        };
        let counter = against.map(|_| course(&self.counter, None));
        let others = (0..self.subjects.len()).filter(|at| Some(*at) != against);
        let others = others.map(|at| course(&self.subjects[at].id, Some(at)));
        Series {
            started,
            against: against.map_or(&self.counter, |at| &self.subjects[at].id).clone(),
            spacing_s: self.points.spacing_s,
            at_s: points.iter().map(|point| rounded(point.at_s, 1e3)).collect(),
            clocks: counter
                .into_iter()
                .chain(others)
                .filter(|one| !one.offset_ns.is_empty())
                .collect(),
        }
    }

    /// Returns where the watch ended, for a run on the same boot; `None` if there was no look.
    pub fn anchor(&self, boot: String) -> Option<Anchor> {
        let clocks = self.subjects.iter().zip(&self.tracks).filter_map(|(subject, track)| {
            let Bracket { before, value, after } = track.last?;
            let [ahead_ns, stepped_ns] = track.ahead();
            let read = [before, value, after];
            Some(Anchored { id: subject.id.clone(), read, ahead_ns, stepped_ns })
        });
        Some(Anchor {
            boot,
            counter: self.counter.clone(),
            tick_ns: self.ns_per_tick,
            looks: [self.origin?, self.last],
            clocks: clocks.collect(),
        })
    }

    /// Continues an earlier run from where it ended. Its counter is that of this log.
    #[must_use]
    pub fn resume(mut self, earlier: &Trust, anchor: &Anchor) -> Self {
        self.watched = earlier.watched.clone();
        self.wall = earlier.wall.clone().unwrap_or_default();
        self.most_slew = self.wall.slew.map(|slew| slew.most_ppm);
        self.ns_per_tick = anchor.tick_ns;
        self.origin = Some(anchor.looks[0]);
        self.last = anchor.looks[1];
        self.resumed = true;
        for (subject, track) in self.subjects.iter().zip(&mut self.tracks) {
            if let Some(known) = anchor.clocks.iter().find(|one| one.id == subject.id) {
                let [before, value, after] = known.read;
                track.last = Some(Bracket { before, value, after });
                track.ahead_ns = known.ahead_ns - known.stepped_ns;
                track.ahead_with_jumps_ns = known.ahead_ns;
            }
        }
        if let Some(series) = &earlier.series {
            self.take_over(series);
        }
        self
    }

    /// Takes over the points of an earlier run. Points that contradict each other are left out,
    /// because reports are untrusted.
    fn take_over(&mut self, series: &Series) {
        let of = |id: &str| series.clocks.iter().find(|course| course.id == id);
        let ahead = |course: Option<&Course>, nth: usize| course?.at(nth);
        let end_s = self.signed_ns(self.last, self.origin.unwrap_or(self.last)) / 1e9;
        for (nth, &at_s) in series.at_s.iter().enumerate() {
            let later = self.points.points.last().is_none_or(|last| at_s > last.at_s);
            if !later || at_s > end_s + SPACING_S {
                continue;
            }
            // The reference against the counter, which is against itself if there is no other.
            let base = match ahead(of(&self.counter), nth) {
                Some(counter) => counter.map(|ns| -ns),
                None if series.against == self.counter => [0.0; 2],
                None => continue,
            };
            let clocks = self.subjects.iter().map(|subject| {
                let own = if subject.id == series.against {
                    Some([0.0; 2])
                } else {
                    ahead(of(&subject.id), nth)
                };
                own.map_or([f64::NAN; 2], |own| [0, 1].map(|of| own[of] + base[of]))
            });
            let clocks: Vec<Ahead> = clocks.collect();
            self.moments.push(at_s, clocks.iter().map(|[all, steps]| all - steps).collect());
            self.points.push(at_s, clocks);
        }
        if series.spacing_s.is_finite() {
            self.points.spacing_s = self.points.spacing_s.max(series.spacing_s);
        }
    }
}

/// A figure in full parts of a unit.
fn rounded(figure: f64, parts: f64) -> f64 {
    // Not -0, which reads as if it were less than 0.
    (figure * parts).round() / parts + 0.0
}
