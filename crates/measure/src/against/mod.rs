//! How far the clocks of this machine are from others, as intervals that no delay can falsify:
//! servers of time, the host, and what a program of this machine believes. Nothing is ever set.
//!
//! [`packets`] reads what others answer, [`sources`] and [`local`] ask them, and [`region`]
//! computes what the exchanges prove. All of them are timed by a clock that is neither slewed nor
//! set, so a wall clock that is set meanwhile is seen as that.

mod asking;
pub mod local;
mod meanwhile;
pub mod packets;
pub mod region;
pub mod sources;

pub use sources::Source;

use crate::engine::{Interrupt, schedule};
use crate::run::{Error, Measurement, Progress, Setting};
use crate::trust::{CHECKPOINTS, MOST, MOST_S, check_boot, rest};
use crate::{add_up_to, every_other, locked};
use asking::{Ask, Failed};
use chronoscope_model::Report;
use chronoscope_model::against::{
    Against, Apart, Contradiction, Event, Happened, Interval, Known, Source as Found,
};
use chronoscope_probes::machine::outside::{raw_ns, wall};
use chronoscope_probes::time::{Instant, sleep};
use meanwhile::Meanwhile;
use region::{Exchange, Region, Verdict, agreed};
use std::sync::{Arc, Mutex};
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
/// The contradictions and the events that are kept.
const CONTRADICTIONS: usize = 256;
/// A source is lost after so many failures in a row, and is opened again.
const FAILURES: u32 = 5;

#[derive(Default)]
pub struct Request {
    /// The sources; none: the first of this machine that answers.
    pub sources: Vec<Source>,
    /// How long to ask; absent: the run's budget, or as long as the sources need.
    pub time: Option<Duration>,
    /// The run that goes on, if there is one.
    earlier: Option<Against>,
}

impl Request {
    /// A request for these sources and this time.
    pub fn new(sources: Vec<Source>, time: Option<Duration>) -> Self {
        Self { sources, time, earlier: None }
    }

    /// A request to go on with an earlier run on the same boot of this machine: for this time, or
    /// for the rest of the time that was asked for, or, if it is over, for as long `again`.
    ///
    /// # Errors
    /// The run cannot be continued here; one line says why.
    pub fn resumed(
        earlier: Against,
        time: Option<Duration>,
        again: Option<Duration>,
    ) -> Result<Self, String> {
        let anchor = earlier.anchor.as_ref();
        let anchor = anchor.ok_or("it does not say where it ended; start a new run")?;
        check_boot(&anchor.boot)?;
        let (now, times) = (raw_ns(), [earlier.asked_s, earlier.seconds]);
        let [before, wall, after] = anchor.wall;
        // The start is before that of the clock if the machine was suspended for long since.
        let ordered = [-i64::MAX / 2, anchor.started, before, after, now].is_sorted();
        let sane = ordered
            && before >= 0
            && (0..i64::MAX / 2).contains(&wall)
            && times.iter().all(|s| (0.0..=MOST_S).contains(s))
            && earlier.sources.iter().all(|it| {
                [it.requests, it.answers, it.strays, it.stamped].iter().all(|count| *count <= MOST)
            })
            && anchor.bounds.iter().all(|it| Region::restored(it, now).is_some());
        if !sane {
            return Err("its figures are impossible".into());
        }
        let sources: Result<_, _> =
            anchor.bounds.iter().map(|hulls| Source::named(&hulls.id)).collect();
        let time = Some(rest(times, time, again));
        Ok(Self { sources: sources?, time, earlier: Some(earlier) })
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let seconds = self.sources.iter().any(|source| matches!(source, Source::Http(..)));
        let usual = if seconds { SECONDS_NEED } else { schedule::TRUST.time };
        let time = self.time.or(setting.budget).unwrap_or(usual);
        (setting.progress)(Progress::Time(time));
        let guest = report.environment.hypervisor.is_some();
        let (sources, silent) = match (&self.earlier, self.sources.is_empty()) {
            (None, true) => first_that_answers(guest),
            (earlier, _) => {
                let rest = earlier
                    .iter()
                    .flat_map(|it| &it.sources)
                    .filter(|it| !self.sources.iter().any(|source| source.to_string() == it.id));
                (self.sources.clone(), rest.cloned().collect())
            }
        };
        let interrupt = &setting.interrupt.clone();
        let earlier = self.earlier.as_ref();
        let plan = Plan { sources: &sources, guest, time, interrupt, earlier, glance: false };
        let (mut keep, mut kept) = (setting.checkpoint.take(), Instant::now());
        let whole = |mut found: Against| {
            found.sources.extend(silent.iter().cloned());
            found
        };
        let found = ask(&plan, &mut |share, now| {
            (setting.progress)(Progress::Phase("against", share));
            if let Some(keep) = &mut keep
                && kept.elapsed() >= CHECKPOINTS
            {
                kept = Instant::now();
                keep(&Report { against: Some(whole(now())), ..report.clone() });
            }
        });
        let found = whole(found);
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

/// What the host's clocks and chronyd show at a glance, within about a second; absent if none can
/// be read. No packet leaves the machine.
pub fn glance(guest: bool, interrupt: &Interrupt) -> Option<Against> {
    let quick = |it: &Source| it.is_host(guest) || matches!(it, Source::Chrony(_));
    let sources: Vec<Source> = Source::local().into_iter().filter(quick).collect();
    let time = GLANCE;
    let plan = Plan { sources: &sources, guest, time, interrupt, earlier: None, glance: true };
    let found = ask(&plan, &mut |_, _| ());
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
        Failed::Jumped(_) => "it or this machine's clock jumped".into(),
    }
}

/// What to ask, and for how long.
struct Plan<'a> {
    sources: &'a [Source],
    guest: bool,
    time: Duration,
    interrupt: &'a Interrupt,
    earlier: Option<&'a Against>,
    /// Whether each source is asked once: all of them are narrow at once.
    glance: bool,
}

impl Plan<'_> {
    /// What is known of a source, which is nothing unless the run goes on.
    fn track(&self, source: &Source, start: i64) -> Track {
        let new = Track::new(named(source, self.guest), start);
        let known = self.earlier.and_then(|earlier| {
            let hulls = earlier.anchor.as_ref()?.bounds.iter().find(|it| it.id == new.found.id)?;
            let found = earlier.sources.iter().find(|it| it.id == new.found.id)?.clone();
            Some((found, Region::restored(hulls, raw_ns())?))
        });
        let Some((found, region)) = known else { return new };
        let every = (found.answers / found.series.len().max(1) as u64).max(1);
        let found = Found { wall_ns: None, counter_ppm: None, agrees: None, seconds: 0.0, ..found };
        Track { found, region, every, ..new }
    }
}

/// Asks all of these. `look` is called again and again, with the share of the time that is over and
/// what gives the state.
fn ask(plan: &Plan<'_>, look: &mut dyn FnMut(f64, &dyn Fn() -> Against)) -> Against {
    /// By how much a request may be late, and at a glance.
    const LATE: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(1)];
    let mut following = Following::of(plan);
    let limit = plan.time.saturating_add(LATE[usize::from(plan.glance)]);
    // One that is in the middle of a look-up or a connection is left behind.
    let over = |began: Instant| plan.interrupt.is_set() || began.elapsed() > limit;
    while !following.has_ended() && !over(following.began) {
        let before = raw_ns();
        sleep(NAP);
        following.look_since(Some(before));
        let share = following.began.elapsed().as_secs_f64() / plan.time.as_secs_f64();
        look(share.min(1.0), &|| following.known());
    }
    following.known()
}

/// Sources that are asked, each in a thread of its own.
#[derive(Debug)]
pub struct Following {
    tracks: Vec<Arc<Mutex<Track>>>,
    threads: Vec<JoinHandle<()>>,
    began: Instant,
    time: Duration,
    /// How long an earlier run had asked, in seconds.
    before: f64,
    meanwhile: Meanwhile,
}

impl Following {
    /// Begins to ask, for this long or until it is interrupted.
    pub fn start(sources: &[Source], guest: bool, time: Duration, interrupt: &Interrupt) -> Self {
        Self::of(&Plan { sources, guest, time, interrupt, earlier: None, glance: false })
    }

    fn of(plan: &Plan<'_>) -> Self {
        let (meanwhile, time) = (Meanwhile::new(plan.earlier), plan.time);
        let track = |it| Arc::new(Mutex::new(plan.track(it, meanwhile.start)));
        let tracks = plan.sources.iter().map(track).collect();
        let before = plan.earlier.map_or(0.0, |it| it.seconds);
        let (threads, began) = (Vec::new(), Instant::now());
        let mut following = Self { tracks, threads, began, time, before, meanwhile };
        // What happened before the run was resumed.
        following.look_since(None);
        for (source, track) in plan.sources.iter().zip(&following.tracks) {
            let (source, track) = (source.clone(), Arc::clone(track));
            let (interrupt, glance) = (plan.interrupt.clone(), plan.glance);
            let over = move || began.elapsed() >= time || interrupt.is_set();
            let thread = thread::Builder::new().name("against".into());
            let spawned = thread.spawn(move || {
                follow(&source, &|| source.open(), &track, time, glance, &over);
            });
            following.threads.extend(spawned.ok());
        }
        following
    }

    fn has_ended(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Looks what happened to this machine, such as whether its wall clock was set.
    pub fn look(&mut self) {
        self.look_since(Some(raw_ns()));
    }

    /// The same after a nap that began then.
    fn look_since(&mut self, since: Option<i64>) {
        if self.meanwhile.look(since) {
            let (start, now) = (self.meanwhile.start, self.meanwhile.last[2]);
            for mut track in self.tracks.iter().map(|track| locked(track)) {
                track.start = start;
                track.restart(now);
            }
        }
    }

    /// What the sources have proved so far.
    pub fn known(&self) -> Against {
        let mut now: Vec<Track> = self.tracks.iter().map(|it| locked(it).clone()).collect();
        let mut found = self.meanwhile.told(concluded(&mut now, wall()), &now);
        found.seconds = self.before + self.began.elapsed().as_secs_f64();
        found.asked_s = self.before + self.time.as_secs_f64();
        found
    }
}

/// Asks one source, as `open` opens it, until the time is over, or until it must not be asked any
/// more.
fn follow(
    source: &Source,
    open: &dyn Fn() -> Result<Ask, String>,
    track: &Mutex<Track>,
    time: Duration,
    glance: bool,
    over: &dyn Fn() -> bool,
) {
    let mut asks = match open() {
        Ok(asks) => asks,
        Err(why) => {
            locked(track).failed(&Failed::Over(why));
            return;
        }
    };
    let (mut requests, mut slower) = (0, 1);
    loop {
        requests += 1;
        // Nobody else changes what was found.
        let (region, mut said) = {
            let mut track = locked(track);
            track.found.requests += 1;
            (track.region.clone(), track.found.clone())
        };
        let answer = asks(&region, &mut said);
        let (mut end, mut narrow, mut again) = (glance, false, false);
        {
            let mut track = locked(track);
            track.found = said;
            match &answer {
                Ok(exchange) => {
                    track.take(exchange, wall());
                    let width = track.width(exchange.received);
                    narrow = width <= (exchange.received - exchange.sent) * 3 / 2;
                }
                Err(Failed::Jumped(exchange)) => track.jumped(exchange, wall()),
                Err(why) => {
                    track.failed(why);
                    again = track.failures.is_multiple_of(FAILURES);
                    match why {
                        Failed::TooMany => slower *= 2,
                        Failed::Over(_) => end = true,
                        Failed::Lost(_) | Failed::Jumped(_) => {}
                    }
                }
            }
        }
        // A device that was removed and put back has to be opened again.
        if let Some(Ok(opened)) = again.then(open) {
            asks = opened;
        }
        if end || over() {
            return;
        }
        let failed = matches!(answer, Err(Failed::Lost(_))) && !matches!(source, Source::Ntp(..));
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
    /// Exchanges that began before say nothing about what is now.
    since: i64,
    /// How many requests failed in a row.
    failures: u32,
    events: Vec<Event>,
}

impl Track {
    /// A source of which nothing is known, from this time by the counter.
    pub fn new(found: Found, start: i64) -> Self {
        let (region, events) = (Region::default(), Vec::new());
        Self { found, region, start, every: 1, since: 0, failures: 0, events }
    }

    fn width(&self, time: i64) -> i64 {
        self.region.at(time).map_or(i64::MAX, |it| it.offset[1] - it.offset[0])
    }

    fn at_s(&self, time: i64) -> f64 {
        (time - self.start) as f64 / 1e9
    }

    /// Forgets all bounds, since this machine is known to have stood still until this time.
    pub fn restart(&mut self, time: i64) {
        (self.region, self.since) = (Region::default(), time);
    }

    fn happened(&mut self, what: Happened, why: Option<String>) {
        let (at_s, source) = (self.at_s(raw_ns()), Some(self.found.id.clone()));
        let event = Event { at_s, what, source, why, ns: None };
        add_up_to(&mut self.events, CONTRADICTIONS, event);
    }

    fn failed(&mut self, why: &Failed) {
        let reason = reason(why);
        self.failures += 1;
        let end = matches!(why, Failed::Over(_));
        if self.found.answers > 0 && (end || self.failures == FAILURES) {
            self.happened(Happened::Lost, Some(reason.clone()));
        }
        self.found.unavailable_reason = Some(reason);
    }

    /// Takes in the first exchange after a jump.
    fn jumped(&mut self, exchange: &Exchange, wall: [i64; 3]) {
        let [low, high] = self.region.change(exchange);
        let by = Some([low, high]).filter(|_| self.region.span() > 0 && (low > 0 || high < 0));
        self.begin_again(by, exchange);
        self.take(exchange, wall);
    }

    /// Forgets all bounds, and says by how much the offset changed, if that is known.
    fn begin_again(&mut self, by: Option<[i64; 2]>, exchange: &Exchange) {
        if self.found.contradictions.len() < CONTRADICTIONS {
            let at_s = self.at_s(exchange.received);
            let by = by.map(|by| by.map(|ns| ns as f64));
            let of = |[low_ns, high_ns]: [f64; 2]| Contradiction { at_s, low_ns, high_ns };
            self.found.contradictions.extend(by.map(of));
        }
        self.region = Region::default();
    }

    /// Takes in an exchange, and the wall clock right after it.
    pub fn take(&mut self, exchange: &Exchange, wall: [i64; 3]) {
        if exchange.sent < self.since {
            return;
        }
        if self.failures >= FAILURES && self.found.answers > 0 {
            self.happened(Happened::Back, None);
        }
        self.failures = 0;
        match self.region.add(exchange) {
            Verdict::Agrees => {}
            Verdict::Impossible => {
                self.found.unavailable_reason = Some("its answer is impossible".into());
                return;
            }
            Verdict::Contradicts(by) => {
                self.begin_again(Some(by), exchange);
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
            every_other(&mut found.series, 1);
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
    let right = |nth: usize| together.as_ref().is_some_and(|it| it.right[nth]);
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
    let sources: Vec<Found> = tracks.iter().map(|track| track.found.clone()).collect();
    Against { wall_ns, counter_ppm, apart: apart(&sources), sources, ..Against::default() }
}

/// How far servers are from each other, as what is proved of each leaves it.
fn apart(sources: &[Found]) -> Vec<Apart> {
    /// Nobody reads the pairs of more.
    const MOST: usize = 16;
    let server = |it: &&Found| ["ntp:", "http:"].iter().any(|kind| it.id.starts_with(kind));
    let known = sources.iter().filter(server).filter_map(|it| Some((&it.id, it.wall_ns?)));
    let known: Vec<(&String, Interval)> = known.take(MOST).collect();
    let mut apart = Vec::new();
    for (nth, (id, a)) in known.iter().enumerate() {
        for (of, b) in &known[nth + 1..] {
            let [low, high] = [b.low - a.high, b.high - a.low];
            let ahead_ns = Interval { low, best: b.best - a.best, high };
            apart.push(Apart { id: (*id).clone(), of: (*of).clone(), ahead_ns });
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_device_that_was_removed_and_put_back_is_opened_again() {
        let opened = AtomicU64::new(0);
        // What was opened first answers once.
        let open = || -> Result<Ask, String> {
            let removed = opened.fetch_add(1, Ordering::Relaxed) == 0;
            let mut asked = 0;
            let ask: Ask = Box::new(move |_, _| {
                asked += 1;
                if removed && asked > 1 {
                    return Err(Failed::Lost("no such device".into()));
                }
                let sent = raw_ns();
                Ok(Exchange { sent, received: raw_ns(), latest: sent, earliest: sent })
            });
            Ok(ask)
        };
        let track = Mutex::new(Track::new(named(&Source::VmClock, true), raw_ns()));
        let began = Instant::now();
        let over = || locked(&track).found.answers > 1 || began.elapsed() > 4 * SECONDS_NEED;
        // A server is asked often at first, even if it does not answer.
        let often = Source::Ntp("a".into(), 1);
        follow(&often, &open, &track, SECONDS_NEED, false, &over);
        let track = locked(&track);
        let seen: Vec<_> = track.events.iter().map(|it| it.what).collect();
        assert_eq!(seen, [Happened::Lost, Happened::Back]);
        assert_eq!((track.found.requests, opened.load(Ordering::Relaxed)), (7, 2));
    }

    #[test]
    fn a_source_is_lost_after_some_failures_and_back_with_the_next_answer() {
        const SECOND: i64 = 1_000_000_000;
        let mut track = Track::new(Found { id: "ntp:a".into(), ..Found::default() }, raw_ns());
        let fail = |track: &mut Track, times: u32| {
            (0..times).for_each(|_| track.failed(&Failed::Lost("it does not answer".into())));
        };
        let answer = |track: &mut Track, sent: i64| {
            let received = sent + 1_000_000;
            let exchange = Exchange { sent, received, latest: received, earliest: sent };
            track.take(&exchange, [received; 3]);
        };
        // Not what never answered, nor what fails a few times.
        fail(&mut track, 2 * FAILURES);
        answer(&mut track, SECOND);
        fail(&mut track, FAILURES - 1);
        answer(&mut track, 2 * SECOND);
        assert!(track.events.is_empty(), "{:?}", track.events);
        fail(&mut track, 2 * FAILURES);
        answer(&mut track, 3 * SECOND);
        track.failed(&Failed::Over("it is gone".into()));
        let seen = track.events.iter().map(|it| (it.what, it.why.as_deref()));
        let lost = |why| (Happened::Lost, Some(why));
        let back = (Happened::Back, None);
        assert_eq!(
            seen.collect::<Vec<_>>(),
            [lost("it does not answer"), back, lost("it is gone")]
        );
        assert!(track.events.iter().all(|it| it.source.as_deref() == Some("ntp:a")));
        // What was on its way during a suspension proves nothing.
        track.restart(5 * SECOND);
        answer(&mut track, 4 * SECOND);
        assert_eq!((track.found.answers, track.region.span()), (3, 0));
        answer(&mut track, 6 * SECOND);
        assert_eq!(track.found.answers, 4);
    }
}
