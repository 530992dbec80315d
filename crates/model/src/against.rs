//! How far the clocks of this machine are from others: servers of time, the host, and what a
//! program of this machine believes.

/// What exchanges with other clocks proved. Nothing was set.
#[record]
pub struct Against {
    /// When the first was asked, in UTC by the wall clock, as RFC 3339. Times are from then on.
    #[absent]
    pub started: String,
    /// How long others were to be asked, in seconds.
    pub asked_s: f64,
    /// How long they were asked, in seconds.
    pub seconds: f64,
    /// How far the wall clock is ahead of the time that the sources prove together, in nanoseconds,
    /// at the end; absent if none answered, or if no majority agrees.
    pub wall_ns: Option<Interval>,
    /// The same of the counter's rate, in parts per million.
    pub counter_ppm: Option<Interval>,
    /// Each source, in the order in which they were named.
    pub sources: Vec<Source>,
    /// How far the servers among them are from each other, at the end.
    pub apart: Vec<Apart>,
    /// Times at which the wall clock was set meanwhile.
    pub set: Vec<Set>,
    /// What else happened meanwhile, the oldest first.
    pub events: Vec<Event>,
    /// Where it ended, for `--resume`.
    pub anchor: Option<Anchor>,
}

impl Against {
    /// The sources that answered.
    pub fn answered(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.wall_ns.is_some())
    }

    /// The sources that cannot be right, because most others agree on something else.
    pub fn wrong(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.agrees == Some(false))
    }
}

/// How far two servers are from each other.
#[record]
pub struct Apart {
    /// One of them.
    pub id: String,
    /// The other.
    pub of: String,
    /// How far the first is ahead of the other, in nanoseconds.
    pub ahead_ns: Interval,
}

/// What is proved about a figure, and the best guess inside it, which nothing proves.
#[record(Copy)]
pub struct Interval {
    /// It is at least this.
    pub low: f64,
    /// It is this if requests and answers took equally long.
    pub best: f64,
    /// It is at most this.
    pub high: f64,
}

impl Interval {
    /// The middle, and how far both ends are from it.
    pub fn middle(&self) -> [f64; 2] {
        let half = (self.high - self.low) / 2.0;
        [self.low + half, half]
    }

    /// How far it is from 0 at least, in either direction; 0 if it may be 0.
    pub fn at_least(&self) -> f64 {
        self.low.max(-self.high).max(0.0)
    }
}

/// Another clock, and what exchanges with it proved.
#[record]
pub struct Source {
    /// As it is named: `ntp:HOST`, `http:HOST`, `rtc:/dev/rtc0`, `ptp:/dev/ptp0`,
    /// `pps:/dev/pps0`, `vmclock`, `clockbound:PATH`, `chrony`, `ntpd` or `timesyncd`.
    pub id: String,
    /// Whether it is the host's clock.
    pub host: bool,
    /// Why it gave no time.
    pub unavailable_reason: Option<String>,
    /// How often it was asked.
    #[always]
    pub requests: u64,
    /// How many of the answers could be used.
    #[always]
    pub answers: u64,
    /// Packets that answered no request, such as duplicates.
    #[absent]
    pub strays: u64,
    /// Answers whose arrival the kernel stamped, instead of when this program had read them.
    #[absent]
    pub stamped: u64,
    /// The least time between a request and its answer, in nanoseconds.
    pub round_trip_ns: Option<f64>,
    /// How far it can be from UTC by its own account, in nanoseconds. The intervals include it.
    pub root_distance_ns: Option<f64>,
    /// How many clocks are between it and one that has no other source, plus one.
    pub stratum: Option<u64>,
    /// From the first request to the last answer since the latest contradiction, in seconds.
    #[absent]
    pub seconds: f64,
    /// How far the wall clock is ahead of it at the end, in nanoseconds.
    pub wall_ns: Option<Interval>,
    /// How much faster the counter runs, in parts per million; absent after one exchange.
    pub counter_ppm: Option<Interval>,
    /// The same as it is believed by the program that corrects the clock, with its own bounds.
    pub believed_ppm: Option<Interval>,
    /// Whether it agrees with most of the sources; absent if it gave no time, or is alone.
    pub agrees: Option<bool>,
    /// What it says of itself, in words.
    pub says: Option<String>,
    /// Exchanges that no rate explains together with those before: the offset changed in between.
    pub contradictions: Vec<Contradiction>,
    /// What was known of the wall clock after each exchange, or after every so many of them.
    pub series: Vec<Known>,
}

impl Source {
    /// Whether it says how far it is from UTC. Of the others nothing is known: a battery-backed
    /// clock may be wrong, and so may a host's.
    pub fn knows_utc(&self) -> bool {
        self.root_distance_ns.is_some() || self.id == "vmclock"
    }
}

/// An exchange that contradicts those before it: something happened to one of the clocks, or the
/// other side says something untrue. Bounds are those of the exchanges from here on.
#[record(Copy)]
pub struct Contradiction {
    /// When it was seen, in seconds from the start.
    pub at_s: f64,
    /// The counter lost at least so much against the source, in nanoseconds; below 0 if it won.
    pub low_ns: f64,
    /// And at most so much.
    pub high_ns: f64,
}

/// How far the wall clock was ahead at one time.
#[record(Copy)]
pub struct Known {
    /// When, in seconds from the start.
    pub at_s: f64,
    /// At least, in nanoseconds.
    pub low_ns: f64,
    /// At most, in nanoseconds.
    pub high_ns: f64,
}

/// A time at which the wall clock was set.
#[record(Copy)]
pub struct Set {
    /// When it was seen, in seconds from the start.
    pub at_s: f64,
    /// By how much, in nanoseconds.
    pub by_ns: f64,
}

/// Something that happened while others were asked.
#[record]
pub struct Event {
    /// When it was seen, in seconds from the start.
    pub at_s: f64,
    /// What.
    pub what: Happened,
    /// How long it took, in nanoseconds.
    pub ns: Option<f64>,
    /// The source that it happened to; absent: this machine, or the run.
    pub source: Option<String>,
    /// Why a source is lost, or what kept the run from running.
    pub why: Option<String>,
}

/// What happened.
#[record]
pub enum Happened {
    /// Nothing of the run ran for a while.
    #[default]
    Paused,
    /// The machine was suspended. All bounds begin again after it.
    Suspended,
    /// The hypervisor moved or restored the machine. All bounds begin again after it.
    Disrupted,
    /// The run was stopped, and resumed after a while.
    Resumed,
    /// A source does not answer any more.
    Lost,
    /// It answers again.
    Back,
}

/// Where a run ended. Times are by the clock that the exchanges are timed by, in nanoseconds.
#[record]
pub struct Anchor {
    /// The boot of the machine on which it ran.
    pub boot: String,
    /// When it started, less the time for which the machine has been suspended since.
    #[always]
    pub started: i64,
    /// The wall clock at the end, between two reads of that clock.
    #[always]
    pub wall: [i64; 3],
    /// The wall clock less the clock that timers run on, which wraps.
    pub wall_offset: Option<u64>,
    /// How long the machine had been suspended since it booted.
    pub suspended: Option<u64>,
    /// The disruption marker of the hypervisor.
    pub marker: Option<u64>,
    /// What was known of each source.
    pub bounds: Vec<Hulls>,
}

/// The bounds that the exchanges with one source gave: each has a time, and an offset.
#[record]
pub struct Hulls {
    /// The source.
    pub id: String,
    /// The offset was at most this.
    pub uppers: Vec<[i64; 2]>,
    /// The offset was at least this.
    pub lowers: Vec<[i64; 2]>,
    /// When the first exchange began, and when the last ended.
    pub span: Option<[i64; 2]>,
    /// The width of the narrowest exchange, its middle, and the offset there.
    pub narrowest: Option<[i64; 3]>,
}
