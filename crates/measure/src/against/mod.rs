//! How far the clocks of this machine are from others, as intervals that no delay can falsify:
//! servers of time, the host, and what a program of this machine believes. Nothing is ever set.
//!
//! [`packets`] reads what others answer, [`sources`] asks them, and [`region`] computes what the
//! exchanges prove. All of them are timed by a clock that is neither slewed nor set, so a wall
//! clock that is set meanwhile is seen as that.

pub mod packets;
pub mod region;
pub mod sources;

pub use sources::Source;

use crate::engine::{Interrupt, schedule};
use crate::run::{Error, Measurement, Progress, Setting};
use chronoscope_model::Report;
use chronoscope_model::against::{Against, Contradiction, Interval, Known, Set, Source as Found};
use chronoscope_probes::machine::outside::{raw_ns, wall};
use chronoscope_probes::time::{Instant, sleep};
use region::{Exchange, Region, Verdict, agreed};
use sources::Failed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time to ask a clock that shows only whole seconds: thirteen requests, one in each.
const SECONDS_NEED: Duration = Duration::from_secs(16);
/// How long a local source may take to answer: until the battery-backed clock begins a second.
const GLANCE: Duration = Duration::from_millis(1200);
/// Whoever asks for longer than this needs fewer requests per second, after so many.
const LONG: Duration = Duration::from_secs(3600);
const EAGER: u64 = 16;
/// The longest sleep between two looks at whether the run is over.
const NAP: Duration = Duration::from_millis(50);
/// The points of a series; of more, every other one is dropped.
const POINTS: usize = 512;
/// The contradictions that are kept.
const CONTRADICTIONS: usize = 64;

pub struct Request {
    /// The sources; none: the first of this machine that answers.
    pub sources: Vec<Source>,
    /// How long to ask; absent: the run's budget, or as long as the sources need.
    pub time: Option<Duration>,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let seconds = self.sources.iter().any(|source| matches!(source, Source::Http(..)));
        let usual = if seconds { SECONDS_NEED } else { schedule::TRUST.time };
        let time = self.time.or(setting.budget).unwrap_or(usual);
        (setting.progress)(Progress::Time(time));
        let guest = report.environment.hypervisor.is_some();
        let (sources, silent) = match self.sources.is_empty() {
            true => first_that_answers(guest),
            false => (self.sources, Vec::new()),
        };
        let interrupt = setting.interrupt.clone();
        let mut found = ask(&sources, guest, time, &interrupt, &mut |share| {
            (setting.progress)(Progress::Phase("against", share));
        });
        found.sources.extend(silent);
        if found.answered().next().is_none() && !interrupt.is_set() {
            let why = found.sources.iter().map(|source| {
                let why = source.unavailable_reason.as_deref().unwrap_or("it does not answer");
                format!("{}: {why}", source.id)
            });
            let why: Vec<String> = why.collect();
            return Err(Error::Nothing(format!("no source gave the time: {}", why.join("; "))));
        }
        report.against = Some(found);
        Ok(())
    }
}

/// What the host's clocks show at a glance, within about a second; absent if none can be read. No
/// packet leaves the machine.
pub fn glance(guest: bool, interrupt: &Interrupt) -> Option<Against> {
    let local = Source::local().into_iter().filter(|source| source.is_host(guest));
    let local: Vec<Source> = local.collect();
    let found = ask(&local, guest, GLANCE, interrupt, &mut |_| ());
    let answered = found.answered().next().is_some();
    answered.then_some(found)
}

/// The first source of this machine that answers, and why those before it do not.
fn first_that_answers(guest: bool) -> (Vec<Source>, Vec<Found>) {
    let mut silent = Vec::new();
    for source in Source::local() {
        let mut found = named(&source, guest);
        let asked = source.open().map_err(Failed::Over);
        match asked.and_then(|mut ask| ask(&Region::default(), &mut found)) {
            Ok(_) => return (vec![source], silent),
            Err(why) => found.unavailable_reason = Some(reason(&why)),
        }
        silent.push(found);
    }
    (Vec::new(), silent)
}

fn named(source: &Source, guest: bool) -> Found {
    Found { id: source.to_string(), host: source.is_host(guest), ..Found::default() }
}

fn reason(why: &Failed) -> String {
    match why {
        Failed::Lost(why) | Failed::Over(why) => why.clone(),
        Failed::TooMany => "it asks for fewer requests (RATE)".into(),
    }
}

/// Asks all of these for this long.
fn ask(
    sources: &[Source],
    guest: bool,
    time: Duration,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(f64),
) -> Against {
    let mut following = Following::start(sources, guest, time, interrupt);
    // One that is interrupted may be in the middle of a look-up or a connection: it is left behind.
    while !interrupt.is_set() && !following.has_ended() {
        sleep(NAP);
        let share = following.began.elapsed().as_secs_f64() / time.as_secs_f64();
        progress(share.min(1.0));
        following.look();
    }
    Against { asked_s: time.as_secs_f64(), ..following.known() }
}

/// Sources that are asked, each in a thread of its own.
#[derive(Debug)]
pub struct Following {
    tracks: Vec<Arc<Mutex<Track>>>,
    threads: Vec<JoinHandle<()>>,
    began: Instant,
    start: i64,
    last: [i64; 3],
    set: Vec<Set>,
}

impl Following {
    /// Begins to ask, for this long or until it is interrupted.
    pub fn start(sources: &[Source], guest: bool, time: Duration, interrupt: &Interrupt) -> Self {
        let (start, began) = (raw_ns(), Instant::now());
        let (mut tracks, mut threads) = (Vec::new(), Vec::new());
        for source in sources {
            let track = Arc::new(Mutex::new(Track::new(named(source, guest), start)));
            tracks.push(Arc::clone(&track));
            let (source, interrupt) = (source.clone(), interrupt.clone());
            let over = move || began.elapsed() >= time || interrupt.is_set();
            let thread = thread::Builder::new().name("against".into());
            let spawned = thread.spawn(move || follow(&source, &track, time, &over));
            threads.extend(spawned.ok());
        }
        Self { tracks, threads, began, start, last: wall(), set: Vec::new() }
    }

    fn has_ended(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Looks whether the wall clock was set. Only the latest times are kept.
    pub fn look(&mut self) {
        let now = wall();
        self.set.extend(was_set(self.last, now, self.start));
        let many = self.set.len().saturating_sub(CONTRADICTIONS);
        self.set.drain(..many);
        self.last = now;
    }

    /// What the sources have proved so far.
    pub fn known(&self) -> Against {
        let locked = |it: &Arc<Mutex<Track>>| lock(it).clone();
        let mut tracks: Vec<Track> = self.tracks.iter().map(locked).collect();
        let seconds = self.began.elapsed().as_secs_f64();
        Against { set: self.set.clone(), seconds, ..concluded(&mut tracks, wall()) }
    }
}

fn lock(track: &Mutex<Track>) -> MutexGuard<'_, Track> {
    track.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the wall clock was set between two looks at it.
fn was_set(before: [i64; 3], after: [i64; 3], start: i64) -> Option<Set> {
    /// More than a slew explains (adjtimex(2): 500 ppm, and what `adjtime` adds), and more than
    /// the reads themselves.
    const SLEWED_PPM: i64 = 1000;
    const LEAST: i64 = 1_000_000;
    let by = (after[1] - before[1]) - (after[0] - before[0]);
    let reads = (before[2] - before[0]) + (after[2] - after[0]);
    let explained = LEAST + reads + (after[0] - before[0]) / (1_000_000 / SLEWED_PPM);
    let at_s = (after[0] - start) as f64 / 1e9;
    (by.abs() > explained).then_some(Set { at_s, by_ns: by as f64 })
}

/// Asks one source until the time is over, or until it must not be asked any more.
fn follow(source: &Source, track: &Mutex<Track>, time: Duration, over: &dyn Fn() -> bool) {
    let with = |change: &mut dyn FnMut(&mut Track)| {
        change(&mut lock(track));
    };
    let (mut region, mut found) = (Region::default(), Found::default());
    with(&mut |track| found = track.found.clone());
    let mut asks = match source.open() {
        Ok(asks) => asks,
        Err(why) => {
            with(&mut |track| track.found.unavailable_reason = Some(why.clone()));
            return;
        }
    };
    let (mut requests, mut slower) = (0, 1);
    loop {
        requests += 1;
        let answer = asks(&region, &mut found);
        let (mut end, mut narrow) = (false, false);
        with(&mut |track| {
            let Found { stratum, root_distance_ns, says, strays, .. } = found.clone();
            track.found =
                Found { stratum, root_distance_ns, says, strays, requests, ..track.found.clone() };
            match &answer {
                Ok(exchange) => {
                    track.take(exchange, wall());
                    let width = track.width(exchange.received);
                    narrow = width <= (exchange.received - exchange.sent) * 3 / 2;
                }
                Err(why) => {
                    track.found.unavailable_reason = Some(reason(why));
                    match why {
                        Failed::TooMany => slower *= 2,
                        Failed::Over(_) => end = true,
                        Failed::Lost(_) => {}
                    }
                }
            }
            region = track.region.clone();
        });
        // At a glance, one answer of a local source is enough.
        if end || over() || (time == GLANCE && answer.is_ok() && source.is_quick()) {
            return;
        }
        let failed = answer.is_err() && !matches!(source, Source::Ntp(..));
        let mut pause = source.pause(requests, narrow) * slower;
        pause = if failed { pause.max(Duration::from_secs(1)) } else { pause };
        // Whoever asks for hours asks less often.
        if time > LONG && requests > EAGER {
            pause *= 8;
        }
        let began = Instant::now();
        while began.elapsed() < pause && !over() {
            sleep(NAP.min(pause));
        }
        if over() {
            return;
        }
    }
}

/// What one source has shown so far.
#[derive(Clone, Debug)]
pub struct Track {
    pub found: Found,
    region: Region,
    start: i64,
    /// Every so many exchanges make a point of the series.
    every: u64,
}

impl Track {
    /// A source of which nothing is known, from this time by the counter.
    pub fn new(found: Found, start: i64) -> Self {
        Self { found, region: Region::default(), start, every: 1 }
    }

    fn width(&self, time: i64) -> i64 {
        self.region.at(time).map_or(i64::MAX, |it| it.offset[1] - it.offset[0])
    }

    /// Takes in an exchange, and the wall clock right after it.
    pub fn take(&mut self, exchange: &Exchange, wall: [i64; 3]) {
        let at_s = |time: i64| (time - self.start) as f64 / 1e9;
        match self.region.add(exchange) {
            Verdict::Agrees => {}
            Verdict::Impossible => {
                self.found.unavailable_reason = Some("its answer is impossible".into());
                return;
            }
            Verdict::Contradicts([low, high]) => {
                if self.found.contradictions.len() < CONTRADICTIONS {
                    let [low_ns, high_ns] = [low as f64, high as f64];
                    let at_s = at_s(exchange.received);
                    self.found.contradictions.push(Contradiction { at_s, low_ns, high_ns });
                }
                self.region = Region::default();
                self.region.add(exchange);
            }
        }
        let took = (exchange.received - exchange.sent) as f64;
        let found = &mut self.found;
        found.answers += 1;
        found.unavailable_reason = None;
        found.round_trip_ns = Some(found.round_trip_ns.map_or(took, |least| least.min(took)));
        if !found.answers.is_multiple_of(self.every) {
            return;
        }
        if let Some([low, high]) = self.region.at(wall[2]).map(|it| ahead(wall, it.offset)) {
            let at_s = (wall[2] - self.start) as f64 / 1e9;
            found.series.push(Known { at_s, low_ns: low as f64, high_ns: high as f64 });
        }
        if found.series.len() >= POINTS {
            let mut nth = 0_usize;
            found.series.retain(|_| {
                nth += 1;
                nth.is_multiple_of(2)
            });
            self.every *= 2;
        }
    }
}

/// How far a wall clock that was read between two reads of the counter is ahead, if the other clock
/// is ahead of the counter by so much.
fn ahead([before, wall, after]: [i64; 3], [low, high]: [i64; 2]) -> [i64; 2] {
    [(wall - after).saturating_sub(high), (wall - before).saturating_sub(low)]
}

/// How much faster the counter runs than a clock that gains so many parts per million on it.
fn faster([low, high]: [f64; 2]) -> [f64; 2] {
    let invert = |ppm: f64| -ppm / (1.0 + ppm * 1e-6);
    [invert(high), invert(low)]
}

/// What all sources prove of the wall clock, which was read last.
pub fn concluded(tracks: &mut [Track], wall: [i64; 3]) -> Against {
    let mut known = Vec::new();
    for (nth, Track { found, region, .. }) in tracks.iter_mut().enumerate() {
        let Some(bounds) = region.at(wall[2]) else {
            continue;
        };
        let interval = |[low, high]: [i64; 2], best: i64| {
            let best = (best as f64).clamp(low as f64, high as f64);
            Interval { low: low as f64, best, high: high as f64 }
        };
        let offset = ahead(wall, bounds.offset);
        let guess = region.guess(wall[2]).unwrap_or(bounds.offset[0]);
        found.wall_ns = Some(interval(offset, (wall[1] - wall[0]).saturating_sub(guess)));
        found.seconds = region.span() as f64 / 1e9;
        // Nothing bounds how fast the counter is against a clock that may stand still.
        let rate = bounds.rate_ppm.filter(|[low, _]| *low > -1e6);
        found.counter_ppm = rate.map(|ppm| {
            let [low, high] = faster(ppm);
            Interval { low, best: low + (high - low) / 2.0, high }
        });
        known.push((nth, offset));
    }
    let intervals: Vec<[i64; 2]> = known.iter().map(|(_, interval)| *interval).collect();
    let together = agreed(&intervals);
    let right = |nth: usize| match &together {
        Some(together) => together.right[nth],
        None => false,
    };
    for (nth, (source, _)) in known.iter().enumerate() {
        tracks[*source].found.agrees = (known.len() > 1).then(|| right(nth));
    }
    let mut trusted: Vec<&Found> = known
        .iter()
        .enumerate()
        .filter(|(nth, _)| right(*nth))
        .map(|(_, (source, _))| &tracks[*source].found)
        .collect();
    // The guess of the source that is known best.
    let width = |it: &Interval| it.high - it.low;
    trusted.sort_by(|a, b| {
        let [a, b] = [a, b].map(|it| it.wall_ns.as_ref().map_or(f64::MAX, width));
        a.total_cmp(&b)
    });
    let best = trusted.first().and_then(|found| found.wall_ns).map_or(0.0, |it| it.best);
    let wall_ns = together.as_ref().map(|it| {
        let [low, high] = it.offset.map(|ns| ns as f64);
        Interval { low, best: best.clamp(low, high), high }
    });
    // The same of the rates, in billionths of what they are shown in.
    let rates = tracks.iter().filter_map(|track| track.found.counter_ppm);
    let rates: Vec<[i64; 2]> =
        rates.map(|it| [(it.low * 1e9).floor() as i64, (it.high * 1e9).ceil() as i64]).collect();
    let counter_ppm = agreed(&rates).filter(|_| together.is_some()).map(|it| {
        let [low, high] = it.offset.map(|ppm| ppm as f64 / 1e9);
        Interval { low, best: low + (high - low) / 2.0, high }
    });
    Against {
        wall_ns,
        counter_ppm,
        sources: tracks.iter().map(|track| track.found.clone()).collect(),
        ..Against::default()
    }
}
