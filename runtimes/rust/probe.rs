// The probe of Rust, with the clocks of its standard library only. See PROTOCOL.md.
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
    read: fn(Instant) -> i64,
    throughput: fn(Instant, u64),
    latency: fn(Instant, u64),
}

const CLOCKS: &[Clock] = &[
    Clock {
        id: "instant-now",
        call: "Instant::now()",
        kind: "monotonic",
        claims: MONOTONIC,
        read: stopwatch,
        throughput: |start, reads| throughput(start, reads, |_| Instant::now()),
        latency: |start, reads| latency(start, reads, |_| Instant::now()),
    },
    Clock {
        id: "instant-elapsed",
        call: "start.elapsed()",
        kind: "monotonic",
        claims: MONOTONIC,
        read: |start| ns(start.elapsed()),
        throughput: |start, reads| throughput(start, reads, |start| start.elapsed()),
        latency: |start, reads| latency(start, reads, |start| start.elapsed()),
    },
    Clock {
        id: "system-time-now",
        call: "SystemTime::now()",
        kind: "wall",
        claims: REALTIME,
        read: |_| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, ns),
        throughput: |start, reads| throughput(start, reads, |_| SystemTime::now()),
        latency: |start, reads| latency(start, reads, |_| SystemTime::now()),
    },
];

const EMPTY: Clock = Clock {
    id: "empty",
    call: "",
    kind: "",
    claims: "",
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
} else if cfg!(target_vendor = "apple") {
    "clock_gettime(CLOCK_UPTIME_RAW)"
} else {
    "clock_gettime(CLOCK_MONOTONIC)"
};
const REALTIME: &str = if cfg!(windows) {
    "GetSystemTimePreciseAsFileTime()"
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

fn hello() -> String {
    let clock = |clock: &Clock| {
        format!(
            concat!(
                r#"{{"id":"{}","call":"{}","kind":"{}","claims":"{}","hz":1000000000,"#,
                r#""modes":["throughput","latency"]}}"#
            ),
            clock.id, clock.call, clock.kind, clock.claims
        )
    };
    let clocks: Vec<String> = CLOCKS.iter().map(clock).collect();
    format!(
        concat!(
            r#"{{"protocol":1,"runtime":"Rust","version":"{}","#,
            r#""stopwatch":{{"call":"Instant::now()","hz":1000000000}},"clocks":{},"#,
            r#""sleeps":[{{"id":"thread-sleep","call":"thread::sleep(d)","unit_ns":1}}],"#,
            r#""allocations":false}}"#
        ),
        include_str!("version").trim(),
        list(&clocks)
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

/// The answer to a request, or `None` if there is no such request, clock or number.
fn answer(start: Instant, words: &[&str], reads: &mut Vec<i64>) -> Option<String> {
    let clock = |id: &str| CLOCKS.iter().chain([&EMPTY]).find(|clock| clock.id == id);
    let number = |word: &str| word.parse::<u64>().ok();
    Some(match *words {
        ["hello"] => hello(),
        ["batch", id, mode @ ("throughput" | "latency"), reads, warm] => {
            batch(start, clock(id)?, mode, number(reads)?, number(warm)?)
        }
        ["deltas", id, count] => deltas(start, clock(id)?, number(count)?, reads),
        ["more", from] => more(reads, number(from)? as usize),
        ["spins", id, count] => spins(start, clock(id)?, number(count)?),
        ["watch", id, count] => watch(start, clock(id)?, number(count)?),
        ["sleep", "thread-sleep", ns, count] => sleep(start, number(ns)?, number(count)?),
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
