// The probe of Rust, with the clocks of its standard library, for WASI also those of the interface
// itself, and with a feature the waits of an asynchronous library. See PROTOCOL.md.
#[cfg(any(feature = "tokio", feature = "async-io", feature = "smol"))]
use std::future::Future;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock, read by functions that take the instant at which the probe started. Each has loops of
/// its own, because the generic functions below are compiled for each call.
struct Clock {
    id: &'static str,
    call: &'static str,
    kind: &'static str,
    claims: &'static str,
    /// What the interface claims, in nanoseconds; 0 if nothing.
    claimed_ns: fn() -> u64,
    /// The value in nanoseconds; negative if the clock cannot be read.
    read: fn(Instant) -> i64,
    throughput: fn(Instant, u64),
    latency: fn(Instant, u64),
}

/// A clock of this call, and what reads it as a user does and in nanoseconds.
macro_rules! clock {
    ($id:literal, $call:literal, $kind:literal, $claims:expr, $now:expr, $read:expr) => {
        Clock {
            id: $id,
            call: $call,
            kind: $kind,
            claims: $claims,
            claimed_ns: || 0,
            read: $read,
            throughput: |start, reads| throughput(start, reads, $now),
            latency: |start, reads| latency(start, reads, $now),
        }
    };
}

const CLOCKS: &[Clock] = &[
    clock!("instant-now", "Instant::now()", "monotonic", MONOTONIC, |_| Instant::now(), stopwatch),
    clock!(
        "instant-elapsed",
        "start.elapsed()",
        "monotonic",
        MONOTONIC,
        |start| start.elapsed(),
        |start| ns(start.elapsed())
    ),
    clock!("system-time-now", "SystemTime::now()", "wall", REALTIME, |_| SystemTime::now(), |_| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, ns)
    }),
    #[cfg(target_os = "wasi")]
    wasi::clock!(0, "clock-time-get-realtime", "clock_time_get(realtime, 1)", "wall"),
    #[cfg(target_os = "wasi")]
    wasi::clock!(1, "clock-time-get-monotonic", "clock_time_get(monotonic, 1)", "monotonic"),
    #[cfg(target_os = "wasi")]
    wasi::clock!(2, "clock-time-get-process", "clock_time_get(process_cputime_id, 1)", "cpu"),
    #[cfg(target_os = "wasi")]
    wasi::clock!(3, "clock-time-get-thread", "clock_time_get(thread_cputime_id, 1)", "cpu"),
];

const EMPTY: Clock = Clock {
    id: "empty",
    call: "",
    kind: "",
    claims: "",
    claimed_ns: || 0,
    read: |_| 1,
    throughput: |start, reads| throughput(start, reads, |start| start),
    latency: |start, reads| {
        let values = black_box([start, start]);
        let mut value = start;
        for _ in 0..reads {
            value = values[usize::from(value < start)];
        }
        black_box(value);
    },
};

/// What the standard library's manual says that it calls.
const MONOTONIC: &str = if cfg!(windows) {
    "QueryPerformanceCounter()"
} else if cfg!(target_os = "wasi") {
    "clock_time_get(monotonic)"
} else if cfg!(target_vendor = "apple") {
    "clock_gettime(CLOCK_UPTIME_RAW)"
} else {
    "clock_gettime(CLOCK_MONOTONIC)"
};
const REALTIME: &str = if cfg!(windows) {
    "GetSystemTimePreciseAsFileTime()"
} else if cfg!(target_os = "wasi") {
    "clock_time_get(realtime)"
} else {
    "clock_gettime(CLOCK_REALTIME)"
};

#[inline(never)]
fn throughput<T>(start: Instant, reads: u64, now: impl Fn(Instant) -> T) {
    for _ in 0..reads {
        black_box(now(start));
    }
}

/// No call has an argument that a value could go into, so the value selects what is called. It is
/// never less than the first one, unless the clock is set; the compiler does not know that.
#[inline(never)]
fn latency<T: PartialOrd + Copy>(start: Instant, reads: u64, now: fn(Instant) -> T) {
    let readers = black_box([now, now]);
    let first = now(start);
    let mut value = first;
    for _ in 0..reads {
        value = readers[usize::from(value < first)](start);
    }
    black_box(value);
}

fn ns(time: Duration) -> i64 {
    time.as_nanos() as i64
}

fn stopwatch(start: Instant) -> i64 {
    ns(Instant::now() - start)
}

fn list<T: ToString>(values: &[T]) -> String {
    let all: Vec<String> = values.iter().map(T::to_string).collect();
    format!("[{}]", all.join(","))
}

fn hello(start: Instant) -> String {
    let clock = |clock: &&Clock| {
        let claimed = match (clock.claimed_ns)() {
            0 => String::new(),
            ns => format!(r#","claimed_ns":{ns}"#),
        };
        format!(
            concat!(
                r#"{{"id":"{}","call":"{}","kind":"{}","claims":"{}","hz":1000000000{},"#,
                r#""modes":["throughput","latency"]}}"#
            ),
            clock.id, clock.call, clock.kind, clock.claims, claimed
        )
    };
    let (here, gone): (Vec<&Clock>, Vec<&Clock>) =
        CLOCKS.iter().partition(|clock| (clock.read)(start) >= 0);
    let here: Vec<String> = here.iter().map(clock).collect();
    let why = |clock: &&Clock| {
        format!(r#"{{"id":"{}","reason":"the engine refuses {}"}}"#, clock.id, clock.call)
    };
    let gone: Vec<String> = gone.iter().map(why).collect();
    let waits: Vec<String> = waits::ALL.iter().map(|id| format!(r#""{id}""#)).collect();
    format!(
        concat!(
            r#"{{"protocol":2,"runtime":"Rust","version":"{}","build":"{}","#,
            r#""stopwatch":{{"call":"Instant::now()","hz":1000000000}},"clocks":{},"#,
            r#""unavailable":{},"waits":{},"#,
            r#""sleeps":[{{"id":"thread-sleep","call":"thread::sleep(d)","unit_ns":1}}],"#,
            r#""allocations":false}}"#
        ),
        include_str!("version").trim(),
        waits::BUILD,
        list(&here),
        list(&gone),
        list(&waits)
    )
}

fn batch(start: Instant, clock: &Clock, mode: &str, reads: u64, warm: u64) -> String {
    let timed = if mode == "latency" { clock.latency } else { clock.throughput };
    timed(start, warm);
    let before = stopwatch(start);
    timed(start, reads);
    let ticks = stopwatch(start) - before;
    format!(r#"{{"start":{before},"ticks":{ticks}}}"#)
}

#[inline(never)]
fn sums(turns: u64, integers: &[u64]) {
    for _ in 0..turns {
        black_box(black_box(integers).iter().sum::<u64>());
    }
}

#[inline(never)]
fn timed_sums(turns: u64, integers: &[u64], read: impl Fn() -> i64) {
    for _ in 0..turns {
        let start = read();
        black_box(black_box(integers).iter().sum::<u64>());
        black_box(read() - start);
    }
}

fn around(start: Instant, clock: &Clock, turns: u64, count: u64) -> String {
    let integers: Vec<u64> = (0..count.min(1_000_000)).collect();
    let before = stopwatch(start);
    if clock.id == EMPTY.id {
        sums(turns, &integers);
    } else {
        timed_sums(turns, &integers, || (clock.read)(start));
    }
    let ticks = stopwatch(start) - before;
    format!(r#"{{"start":{before},"ticks":{ticks}}}"#)
}

/// Replaces the reads of the last `deltas`, each less the first one.
fn deltas(start: Instant, clock: &Clock, count: u64, reads: &mut Vec<i64>) -> String {
    *reads = vec![1; count.min(1_000_000) as usize];
    for value in &mut *reads {
        *value = (clock.read)(start);
    }
    let first = reads.first().copied().unwrap_or(0);
    reads.iter_mut().for_each(|value| *value -= first);
    more(reads, 0)
}

fn more(reads: &[i64], from: usize) -> String {
    let rest = reads.get(from..).unwrap_or_default();
    format!(r#"{{"values":{}}}"#, list(&rest[..rest.len().min(20_000)]))
}

fn spins(start: Instant, clock: &Clock, count: u64) -> String {
    let most = count.min(2000) as usize;
    let (mut steps, mut reads) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let limit = stopwatch(start) + 500_000_000;
    let (mut last, mut tries, mut first) = ((clock.read)(start), 0_u64, true);
    while steps.len() < most {
        let now = (clock.read)(start);
        tries += 1;
        if now != last {
            if !first {
                steps.push(now - last);
                reads.push(tries);
            }
            (first, last, tries) = (false, now, 0);
        } else if tries % 100 == 0 && stopwatch(start) > limit {
            break;
        }
    }
    format!(r#"{{"steps":{},"reads":{}}}"#, list(&steps), list(&reads))
}

fn watch(start: Instant, clock: &Clock, count: u64) -> String {
    let limit = stopwatch(start) + 2_000_000_000;
    let (mut same, mut smallest, mut longest, mut backwards, mut worst) = (0, 0, 0, 0, 0);
    let (mut last, mut done) = ((clock.read)(start), 0);
    while done < count {
        let now = (clock.read)(start);
        let step = now - last;
        last = now;
        done += 1;
        longest = step.max(longest);
        if step > 0 && (step < smallest || smallest == 0) {
            smallest = step;
        }
        same += u64::from(step == 0);
        if step < 0 {
            backwards += 1;
            worst = worst.max(-step);
        }
        if done % 1024 == 0 && stopwatch(start) > limit {
            break;
        }
    }
    format!(
        concat!(
            r#"{{"reads":{},"same":{},"smallest":{},"longest":{},"#,
            r#""backwards":{},"worst":{}}}"#
        ),
        done, same, smallest, longest, backwards, worst
    )
}

fn sleep(start: Instant, ns: u64, count: u64) -> String {
    let slept = |_| {
        let before = stopwatch(start);
        thread::sleep(Duration::from_nanos(ns));
        stopwatch(start) - before
    };
    let all: Vec<i64> = (0..count.min(1000)).map(slept).collect();
    format!(r#"{{"slept":{}}}"#, list(&all))
}

/// The times of some waits, and the deadlines that they are for, in nanoseconds of the stopwatch.
struct Series {
    start: Instant,
    ns: i64,
    first: i64,
    work: i64,
    deadline: i64,
    /// How many times there will be: three for each wait.
    most: usize,
    times: Vec<i64>,
}

#[allow(dead_code)]
impl Series {
    fn new(start: Instant, [ns, count, first, work]: [u64; 4]) -> Self {
        let most = 3 * count.min(1000) as usize;
        let times = Vec::with_capacity(most);
        let now = stopwatch(start);
        let (ns, first) = (ns as i64, first as i64);
        let deadline = if first > now { first } else { now + ns };
        Series { start, ns, first, work: work as i64, deadline, most, times }
    }

    /// Begins the next wait, and returns how long it is, unless there was the last.
    fn begin(&mut self) -> Option<Duration> {
        while self.times.len() < self.most {
            let now = stopwatch(self.start);
            if self.first == 0 {
                self.deadline = now + self.ns;
            }
            self.times.extend([now, self.deadline]);
            if self.deadline > now {
                return Some(Duration::from_nanos((self.deadline - now) as u64));
            }
            self.end();
        }
        None
    }

    fn end(&mut self) {
        let now = stopwatch(self.start);
        self.times.push(now);
        while self.work > 0 && stopwatch(self.start) < now + self.work {}
        self.deadline += self.ns;
        if now >= self.deadline {
            self.deadline += self.ns * ((now - self.deadline) / self.ns + 1);
        }
    }

    /// The first deadline of a timer with a period of its own, which begins now.
    fn grid(&mut self) -> Instant {
        self.deadline = stopwatch(self.start) + self.ns;
        self.moment()
    }

    /// As `begin`, for such a timer: whether there is a wait.
    fn tick(&mut self) -> bool {
        let more = self.times.len() < self.most;
        if more {
            self.times.extend([stopwatch(self.start), self.deadline]);
        }
        more
    }

    fn moment(&self) -> Instant {
        self.start + Duration::from_nanos(self.deadline as u64)
    }

    #[cfg(any(feature = "tokio", feature = "async-io", feature = "smol"))]
    async fn made<F: Future>(mut self, wait: impl Fn(Duration, Instant) -> F) -> Self {
        while let Some(left) = self.begin() {
            wait(left, self.moment()).await;
            self.end();
        }
        self
    }
}

fn waits(start: Instant, id: &str, numbers: [u64; 4]) -> Option<String> {
    let made = waits::make(id, Series::new(start, numbers))?;
    let first = made.times.first().copied().unwrap_or_else(|| stopwatch(start));
    let times: Vec<i64> = made.times.iter().map(|time| time - first).collect();
    Some(format!(r#"{{"start":{first},"times":{}}}"#, list(&times)))
}

/// WASI itself. What its calls take are words of 64 bits, since a machine of WebAssembly is
/// little-endian (wasi_snapshot_preview1.witx).
#[cfg(target_os = "wasi")]
mod wasi {
    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    extern "C" {
        fn clock_res_get(id: u32, resolution: *mut u64) -> u32;
        fn clock_time_get(id: u32, precision: u64, time: *mut u64) -> u32;
        fn poll_oneoff(subs: *const [u64; 6], events: *mut [u64; 4], n: u32, seen: *mut u32)
        -> u32;
    }

    pub fn now(id: u32) -> i64 {
        let mut time = 0;
        // SAFETY: the engine writes one word.
        let error = unsafe { clock_time_get(id, 1, &mut time) };
        if error == 0 { time as i64 } else { -1 }
    }

    pub fn resolution(id: u32) -> u64 {
        let mut ns = 0;
        // SAFETY: the engine writes one word.
        let error = unsafe { clock_res_get(id, &mut ns) };
        if error == 0 { ns } else { 0 }
    }

    /// Waits for a duration, or until a time of the monotonic clock.
    pub fn poll(ns: u64, absolute: bool) {
        let clock = [0, 0, 1, ns, 1, u64::from(absolute)];
        let (mut event, mut seen) = ([0; 4], 0);
        // SAFETY: one subscription, and room for its event and for their number.
        unsafe { poll_oneoff(&clock, &mut event, 1, &mut seen) };
    }

    macro_rules! clock {
        ($number:literal, $id:literal, $call:literal, $kind:literal) => {
            Clock {
                claimed_ns: || wasi::resolution($number),
                ..clock!($id, $call, $kind, "", |_| wasi::now($number), |_| wasi::now($number))
            }
        };
    }
    pub(crate) use clock;
}

#[cfg(target_os = "wasi")]
mod waits {
    use super::{Series, wasi};

    pub const ALL: &[&str] = &["thread-sleep", "poll-oneoff", "poll-oneoff-abstime"];
    pub const BUILD: &str = "wasm32-wasip1, -Copt-level=3";

    pub fn make(id: &str, mut series: Series) -> Option<Series> {
        while let Some(left) = series.begin() {
            let ns = left.as_nanos() as u64;
            match id {
                "thread-sleep" => std::thread::sleep(left),
                "poll-oneoff" => wasi::poll(ns, false),
                "poll-oneoff-abstime" => wasi::poll(wasi::now(1) as u64 + ns, true),
                _ => return None,
            }
            series.end();
        }
        Some(series)
    }
}

#[cfg(feature = "tokio")]
mod waits {
    use super::{Duration, Series};
    use std::future::pending;
    use std::sync::LazyLock;
    use tokio::runtime::{Builder, Runtime};
    use tokio::time::{interval_at, sleep, sleep_until, timeout};

    pub const ALL: &[&str] = &["sleep", "sleep-until", "timeout", "interval", "sleep-one-thread"];
    pub const BUILD: &str = concat!("tokio ", env!("CARGO_PKG_VERSION"));

    /// What `#[tokio::main]` makes, and the same without threads.
    static THREADS: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("threads"));
    static ALONE: LazyLock<Runtime> =
        LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a timer"));

    async fn ticks(mut series: Series) -> Series {
        let period = Duration::from_nanos(series.ns as u64);
        let mut interval = interval_at(series.grid().into(), period);
        while series.tick() {
            interval.tick().await;
            series.end();
        }
        series
    }

    pub fn make(id: &str, series: Series) -> Option<Series> {
        let task = match id {
            "sleep" => THREADS.spawn(series.made(|left, _| sleep(left))),
            "sleep-until" => THREADS.spawn(series.made(|_, at| sleep_until(at.into()))),
            "timeout" => THREADS.spawn(series.made(|left, _| timeout(left, pending::<()>()))),
            "interval" => THREADS.spawn(ticks(series)),
            "sleep-one-thread" => {
                return Some(ALONE.block_on(series.made(|left, _| sleep(left))));
            }
            _ => return None,
        };
        THREADS.block_on(task).ok()
    }
}

#[cfg(feature = "async-io")]
mod waits {
    use super::Series;
    use async_io::{Timer, block_on};

    pub const ALL: &[&str] = &["timer-after", "timer-at"];
    pub const BUILD: &str = concat!("async-io ", env!("CARGO_PKG_VERSION"));

    pub fn make(id: &str, series: Series) -> Option<Series> {
        match id {
            "timer-after" => Some(block_on(series.made(|left, _| Timer::after(left)))),
            "timer-at" => Some(block_on(series.made(|_, at| Timer::at(at)))),
            _ => None,
        }
    }
}

#[cfg(feature = "smol")]
mod waits {
    use super::{Duration, Series};
    use smol::stream::StreamExt;
    use smol::{Timer, block_on, spawn};

    pub const ALL: &[&str] = &["timer-after", "timer-at", "timer-interval"];
    pub const BUILD: &str = concat!("smol ", env!("CARGO_PKG_VERSION"));

    async fn ticks(mut series: Series) -> Series {
        let period = Duration::from_nanos(series.ns as u64);
        let mut interval = Timer::interval_at(series.grid(), period);
        while series.tick() {
            interval.next().await;
            series.end();
        }
        series
    }

    pub fn make(id: &str, series: Series) -> Option<Series> {
        let task = match id {
            "timer-after" => spawn(series.made(|left, _| Timer::after(left))),
            "timer-at" => spawn(series.made(|_, at| Timer::at(at))),
            "timer-interval" => spawn(ticks(series)),
            _ => return None,
        };
        Some(block_on(task))
    }
}

/// The tool itself makes the waits of the standard library.
#[cfg(not(any(target_os = "wasi", feature = "tokio", feature = "async-io", feature = "smol")))]
mod waits {
    use super::Series;

    pub const ALL: &[&str] = &[];
    pub const BUILD: &str = "-Copt-level=3";

    pub fn make(_: &str, _: Series) -> Option<Series> {
        None
    }
}

/// The answer to a request, or `None` if there is no such request, clock or number.
fn answer(start: Instant, words: &[&str], reads: &mut Vec<i64>) -> Option<String> {
    let clock = |id: &str| CLOCKS.iter().chain([&EMPTY]).find(|clock| clock.id == id);
    let number = |word: &str| word.parse::<u64>().ok();
    Some(match *words {
        ["hello"] => hello(start),
        ["batch", id, mode @ ("throughput" | "latency"), reads, warm] => {
            batch(start, clock(id)?, mode, number(reads)?, number(warm)?)
        }
        ["around", id, turns, count] => around(start, clock(id)?, number(turns)?, number(count)?),
        ["deltas", id, count] => deltas(start, clock(id)?, number(count)?, reads),
        ["more", from] => more(reads, number(from)? as usize),
        ["spins", id, count] => spins(start, clock(id)?, number(count)?),
        ["watch", id, count] => watch(start, clock(id)?, number(count)?),
        ["sleep", "thread-sleep", ns, count] => sleep(start, number(ns)?, number(count)?),
        ["waits", id, ns, count, first, work] => {
            let [ns, count, first, work] = [ns, count, first, work].map(number);
            waits(start, id, [ns?, count?, first?, work?])?
        }
        _ => return None,
    })
}

fn main() -> io::Result<()> {
    let start = Instant::now();
    let mut reads = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "quit" {
            break;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let refused = || r#"{"error":"no such request"}"#.into();
        println!("{}", answer(start, &words, &mut reads).unwrap_or_else(refused));
        io::stdout().flush()?;
    }
    Ok(())
}
