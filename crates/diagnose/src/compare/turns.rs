//! When did a figure change? A run begins a new level if it and the next one lie on the same side
//! of those before. A single spike is no change.

use super::judged::{self, Judged, Point};

/// The most runs that the next one is judged by: the latest of its level.
const LATEST: usize = 50;

/// Runs between two changes.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// The place of the first of them.
    pub from: usize,
    /// Their figures.
    pub points: Vec<Point>,
    /// What the second of them was next to the level before; absent for the first level.
    pub turn: Option<Judged>,
}

/// A figure while its runs are gone through.
#[derive(Default)]
struct Walk {
    levels: Vec<Level>,
    /// The figures that the next one is judged by.
    usual: Vec<Point>,
    /// Those that were off by themselves. Two of them are a state of their own, and usual.
    spikes: Vec<Point>,
    /// The place of the run before, its side and its figure, if it was off.
    off: Option<(usize, i8, Point)>,
}

/// The levels of each figure; `figures` has one for each run, in their order. The last element of
/// each result tells whether the newest run is off by itself.
pub fn turns(figures: &[Vec<Option<Point>>]) -> Vec<(Vec<Level>, bool)> {
    let mut walks: Vec<Walk> = figures.iter().map(|_| Walk::default()).collect();
    let runs = figures.first().map_or(0, Vec::len);
    for at in 0..runs {
        let new: Vec<Option<Point>> = figures.iter().map(|figure| figure[at]).collect();
        let earlier: Vec<&[Point]> = walks.iter().map(|walk| walk.usual.as_slice()).collect();
        let judged = judged::run(&earlier, &new);
        for ((walk, point), judged) in walks.iter_mut().zip(new).zip(judged) {
            if let Some(point) = point {
                walk.take(at, point, judged);
            }
        }
    }
    walks.into_iter().map(|walk| (walk.levels, walk.off.is_some())).collect()
}

impl Walk {
    fn take(&mut self, at: usize, point: Point, judged: Option<Judged>) {
        let side = judged.map_or(0, |it| it.side());
        match self.off.take() {
            Some((from, before, first)) if side == before => {
                // The run before belongs to this level, too.
                self.levels.last_mut().map(|level| level.points.pop());
                let points = vec![first, point];
                self.usual.clone_from(&points);
                self.spikes.clear();
                self.levels.push(Level { from, points, turn: judged });
                return;
            }
            Some((.., spike)) => {
                self.spikes.push(spike);
                if self.spikes.len() > 1 {
                    self.usual.append(&mut self.spikes);
                }
            }
            None => {}
        }
        match self.levels.last_mut() {
            Some(level) => level.points.push(point),
            None => self.levels.push(Level { from: at, points: vec![point], turn: None }),
        }
        match side {
            0 => self.usual.push(point),
            side => self.off = Some((at, side, point)),
        }
        let old = self.usual.len().saturating_sub(LATEST);
        self.usual.drain(..old);
    }
}
