//! What exchanges with another clock prove: the region of (offset, rate) that all of them allow,
//! computed in integers, and what several clocks prove together.
//!
//! An exchange that left at T1 and came back at T4 by this machine's counter, and that the other
//! side stamped T2 and T3, proves an offset of at most T2 - T1 when it left, and of at least
//! T3 - T4 when it came back, whatever the network did. If one rate held throughout, the offset is
//! a straight line below all of the first and above all of the second. This is the reasoning of
//! the library's calibration (`crates/chronoscope/src/calibrate.rs`; Marzullo, 1984), which keeps
//! three samples in fixed memory. Here the convex hulls of all of them are kept, from which no
//! bound is lost.

use crate::every_other;
use chronoscope_model::against::Hulls;
use chronoscope_probes::machine::outside::CRYSTAL_PPM;

/// How far the rate of an oscillator may wander, as the divisor of a time: 5e-8, the library's
/// limit (`calibrate::WANDER`).
const WANDER: i64 = 20_000_000;

/// Times are at most this, in nanoseconds: the year 2116. Products of two differences then fit an
/// `i128`.
const MOST: i64 = 1 << 62;

/// No clock that keeps time is off by this much, in parts per million: 1 %. Without a limit, two
/// wide exchanges would explain any jump between them by a rate.
const RATE_PPM: i128 = 10_000;

/// A hull of more points than this loses every other one, which only makes bounds wider. Random
/// delays leave some twenty.
const POINTS: usize = 256;

/// One exchange. All times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// When the request left, by this machine's counter.
    pub sent: i64,
    /// When the answer had arrived, by the same.
    pub received: i64,
    /// The latest time, by the other clock, at which the request can have arrived.
    pub latest: i64,
    /// The earliest time, by the other clock, at which the answer can have left.
    pub earliest: i64,
}

impl Exchange {
    /// The width of the interval that it proves.
    pub fn width(&self) -> i64 {
        (self.latest - self.sent) - (self.earliest - self.received)
    }

    fn is_possible(&self) -> bool {
        let times = [self.sent, self.received, self.latest, self.earliest];
        times.iter().all(|time| (0..MOST).contains(time))
            && self.sent <= self.received
            && self.width() >= 0
    }
}

/// A time by this machine's counter, and a bound of the offset at that time.
type Point = (i64, i64);

/// A slope: nanoseconds of offset in so many nanoseconds.
type Slope = (i128, i128);

/// What an exchange does to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    /// No rate explains it together with all earlier exchanges: a clock was set, stood still or
    /// jumped, or the other side said something untrue. The offset must have changed by an amount
    /// between these, in nanoseconds.
    Contradicts([i64; 2]),
    /// No clock can have made these stamps.
    Impossible,
}

/// Offsets and rates that are possible at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// How far the other clock is ahead of the counter, in nanoseconds.
    pub offset: [i64; 2],
    /// How much faster the other clock runs, in parts per million; absent if fewer than two
    /// exchanges were made.
    pub rate_ppm: Option<[f64; 2]>,
}

/// The offsets and rates of another clock that all exchanges allow.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The lower hull of the upper bounds, ascending in time.
    uppers: Vec<Point>,
    /// The upper hull of the lower bounds, ascending in time.
    lowers: Vec<Point>,
    /// When the first exchange left, and when the latest had arrived.
    span: Option<[i64; 2]>,
    /// The middle of the narrowest exchange, and the offset there if both delays were equal.
    narrowest: Option<(i64, Point)>,
}

impl Region {
    /// Adds an exchange, unless it contradicts the others.
    pub fn add(&mut self, exchange: &Exchange) -> Verdict {
        if !exchange.is_possible() {
            return Verdict::Impossible;
        }
        let Exchange { sent, received, latest, earliest } = *exchange;
        let mut with = self.clone();
        insert(&mut with.uppers, (sent, latest - sent), 1);
        insert(&mut with.lowers, (received, earliest - received), -1);
        let [first, last] = self.span.unwrap_or([sent, received]);
        with.span = Some([first.min(sent), last.max(received)]);
        if with.at(received).is_none() {
            return Verdict::Contradicts(self.change(exchange));
        }
        let width = exchange.width();
        if with.narrowest.is_none_or(|(least, _)| width <= least) {
            let offset = earliest - received + width / 2;
            with.narrowest = Some((width, (sent + (received - sent) / 2, offset)));
        }
        *self = with;
        Verdict::Agrees
    }

    /// By how much the offset must have changed since, if this exchange is the first after it did.
    pub fn change(&self, exchange: &Exchange) -> [i64; 2] {
        let Exchange { sent, received, latest, earliest } = *exchange;
        let [low, high] = self.at(received).map_or([0, 0], |bounds| bounds.offset);
        let by = |to: i64, from: i64| to.saturating_sub(from);
        [by(earliest - received, high), by(latest - sent, low)]
    }

    /// What a run that goes on from here needs.
    pub fn hulls(&self, id: String) -> Hulls {
        let list = |points: &[Point]| points.iter().map(|&(at, bound)| [at, bound]).collect();
        let [uppers, lowers] = [list(&self.uppers), list(&self.lowers)];
        let narrowest = self.narrowest.map(|(width, (at, offset))| [width, at, offset]);
        Hulls { id, uppers, lowers, span: self.span, narrowest }
    }

    /// The region of an earlier run, on the same boot and until now, if it is possible: reports
    /// are untrusted.
    pub fn restored(hulls: &Hulls, now: i64) -> Option<Self> {
        let mut region = Self { span: hulls.span, ..Self::default() };
        let Some([first, last]) = hulls.span else { return Some(region) };
        let most = MOST / 2;
        let fits =
            |[at, bound]: [i64; 2]| (first..=last).contains(&at) && (-most..most).contains(&bound);
        let all = || hulls.uppers.iter().chain(&hulls.lowers).copied();
        let few = hulls.uppers.len().max(hulls.lowers.len()) <= POINTS;
        if first < 0 || last > now.min(MOST) || !few || !all().all(fits) {
            return None;
        }
        for &[at, bound] in &hulls.uppers {
            insert(&mut region.uppers, (at, bound), 1);
        }
        for &[at, bound] in &hulls.lowers {
            insert(&mut region.lowers, (at, bound), -1);
        }
        let narrowest =
            hulls.narrowest.filter(|[width, at, bound]| *width >= 0 && fits([*at, *bound]));
        region.narrowest = narrowest.map(|[width, at, offset]| (width, (at, offset)));
        region.at(last).map(|_| region)
    }

    /// From the first request to the latest answer, in nanoseconds.
    pub fn span(&self) -> i64 {
        self.span.map_or(0, |[first, last]| last - first)
    }

    /// The bounds at this time, or at the time of the latest answer if that is later. Absent if
    /// there are none, or if no straight line is possible.
    pub fn at(&self, time: i64) -> Option<Bounds> {
        let time = time.max(self.span?[1]);
        // An older bound is worth less, because the rate may have wandered since.
        let wander = |(at, _): &Point| (time - at) / WANDER + 1;
        let widened = |points: &[Point], sign: i64| -> Vec<Point> {
            points.iter().map(|it| (it.0, it.1 + sign * wander(it))).collect()
        };
        let (uppers, lowers) = (widened(&self.uppers, 1), widened(&self.lowers, -1));
        let (mut steepest, mut shallowest): (Option<Slope>, Option<Slope>) = (None, None);
        for upper in &uppers {
            for lower in &lowers {
                let (dt, dy) = (i128::from(upper.0 - lower.0), i128::from(upper.1 - lower.1));
                if dt > 0 {
                    let so_far = steepest.filter(|it| !is_less((dy, dt), *it));
                    steepest = so_far.or(Some((dy, dt)));
                } else if dt < 0 {
                    let so_far = shallowest.filter(|it| !is_less(*it, (-dy, -dt)));
                    shallowest = so_far.or(Some((-dy, -dt)));
                } else if dy < 0 {
                    return None;
                }
            }
        }
        if steepest.zip(shallowest).is_some_and(|(most, least)| is_less(most, least)) {
            return None;
        }
        let within = |ppm: i128| [(-ppm, 1_000_000), (ppm, 1_000_000)];
        let [least, most] = within(RATE_PPM);
        if steepest.is_some_and(|it| is_less(it, least))
            || shallowest.is_some_and(|it| is_less(most, it))
        {
            return None;
        }
        let [least, most] = within(CRYSTAL_PPM.into());
        let usual = steepest.is_none_or(|it| !is_less(it, least))
            && shallowest.is_none_or(|it| !is_less(most, it));
        let high = extreme(&uppers, &lowers, time, usual, 1)?;
        let low = extreme(&lowers, &uppers, time, usual, -1)?;
        let ppm = |slope: Slope| slope.0 as f64 / slope.1 as f64 * 1e6;
        let rate_ppm = shallowest.zip(steepest).map(|(low, high)| [ppm(low), ppm(high)]);
        Some(Bounds { offset: [low, high], rate_ppm })
    }

    /// The offset at this time if the narrowest exchange took as long in both directions. Inside
    /// the bounds, but nothing proves it.
    pub fn guess(&self, time: i64) -> Option<i64> {
        let Bounds { offset: [low, high], rate_ppm } = self.at(time)?;
        let (_, (at, offset)) = self.narrowest?;
        let usual = CRYSTAL_PPM as f64;
        // Until the rate is known better than that of any crystal, none is the best guess.
        let rate = rate_ppm.filter(|[low, high]| high - low < usual);
        let ppm = rate.map_or(0.0, |[low, high]| low + (high - low) / 2.0);
        let moved = (time.max(self.span?[1]) - at) as f64 * ppm / 1e6;
        Some(offset.saturating_add(moved as i64).clamp(low, high))
    }
}

fn is_less(a: Slope, b: Slope) -> bool {
    a.0 * b.1 < b.0 * a.1
}

/// The highest offset at `time` for `sign` 1, the lowest for -1. `own` are the bounds of that side,
/// all of them before `time`: a line that holds all bounds is steepest if it touches one of the
/// other side first, or has the most extreme rate of a crystal.
fn extreme(own: &[Point], other: &[Point], time: i64, usual: bool, sign: i64) -> Option<i64> {
    let sign = i128::from(sign);
    let mut found: Option<i128> = None;
    let mut hold = |value: i128| found = Some(found.map_or(value, |it| it.min(value)));
    for &(at, bound) in own {
        let (left, bound) = (i128::from(time - at), sign * i128::from(bound));
        // The crystal's rate is rounded outwards, and so are the slopes.
        if usual || left == 0 {
            hold(bound + up(left * i128::from(CRYSTAL_PPM), 1_000_000));
        }
        for &(from, opposite) in other.iter().take_while(|it| it.0 < at) {
            let rise = bound - sign * i128::from(opposite);
            hold(bound + scaled(rise, left, i128::from(at - from)));
        }
    }
    i64::try_from(sign * found?).ok()
}

/// `rise * left / run`, rounded up. Their quotient is used where the product does not fit.
fn scaled(rise: i128, left: i128, run: i128) -> i128 {
    rise.checked_mul(left).map_or_else(|| (rise / run + 1).saturating_mul(left), |it| up(it, run))
}

fn up(a: i128, b: i128) -> i128 {
    a.div_euclid(b) + i128::from(a.rem_euclid(b) != 0)
}

/// Adds a point to a hull: the lower one of upper bounds for `sign` 1, the upper one of lower
/// bounds for -1.
fn insert(hull: &mut Vec<Point>, point: Point, sign: i128) {
    let place = hull.partition_point(|it| it.0 < point.0);
    match hull.get_mut(place).filter(|it| it.0 == point.0) {
        Some(same) if sign == 1 => same.1 = same.1.min(point.1),
        Some(same) => same.1 = same.1.max(point.1),
        None => hull.insert(place, point),
    }
    let mut kept: Vec<Point> = Vec::with_capacity(hull.len());
    for &next in hull.iter() {
        while let [.., before, last] = kept[..] {
            let run = [last.0 - before.0, next.0 - last.0].map(i128::from);
            let rise = [last.1 - before.1, next.1 - last.1].map(i128::from);
            // The last one bounds nothing if it is on the far side of the line between the two.
            if sign * (rise[0] * run[1] - rise[1] * run[0]) < 0 {
                break;
            }
            kept.pop();
        }
        kept.push(next);
    }
    if kept.len() > POINTS {
        every_other(&mut kept, 0);
    }
    *hull = kept;
}

/// What clocks of which most are right prove together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    pub offset: [i64; 2],
    /// Which of the clocks can be right.
    pub right: Vec<bool>,
}

/// The offsets that all clocks but a minority allow, whichever these are (RFC 5905, section
/// 11.2.1). Absent if no majority agrees, so with two clocks, unless both do.
pub fn agreed(intervals: &[[i64; 2]]) -> Option<Agreed> {
    let most_wrong = intervals.len().checked_sub(1)? / 2;
    let enough = intervals.len() - most_wrong;
    let allowed = |offset: &i64| {
        intervals.iter().filter(|it| (it[0]..=it[1]).contains(offset)).count() >= enough
    };
    let low = intervals.iter().map(|it| it[0]).filter(allowed).min()?;
    let high = intervals.iter().map(|it| it[1]).filter(allowed).max()?;
    let right = intervals.iter().map(|it| it[0] <= high && low <= it[1]).collect();
    Some(Agreed { offset: [low, high], right })
}
