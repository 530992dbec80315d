//! The answers that a probe may give (`PROTOCOL.md`), and the checks of them. No answer is trusted.

use crate::engine::children::shown;
use chronoscope_model::clock::Kind;
use chronoscope_runtimes::PROTOCOL;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;

/// The answer to `hello`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Hello {
    protocol: u64,
    pub runtime: String,
    pub version: String,
    pub build: Option<String>,
    pub stopwatch: Stopwatch,
    pub clocks: Vec<Clock>,
    #[serde(default)]
    pub unavailable: Vec<Unavailable>,
    #[serde(default)]
    pub sleeps: Vec<Sleep>,
    #[serde(default)]
    pub allocations: bool,
    /// The ids of the waits; none in version 1.
    #[serde(default)]
    pub waits: Vec<String>,
    /// Whether the times of waits are by the clock that the system's timers run on.
    #[serde(default)]
    pub monotonic: bool,
}

/// The clock that times the batches.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Stopwatch {
    pub call: String,
    pub hz: f64,
}

/// A clock of the runtime.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Clock {
    pub id: String,
    pub call: String,
    pub kind: Kind,
    pub hz: f64,
    /// The largest error of `hz` in parts per million, if the probe measured it.
    pub hz_ppm: Option<f64>,
    pub claimed_ns: Option<f64>,
    pub high_resolution: Option<bool>,
    pub claims: Option<String>,
    #[serde(default)]
    pub internal: bool,
    pub modes: Vec<String>,
}

/// A clock that the runtime could have, but not here.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Unavailable {
    pub id: String,
    pub reason: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sleep {
    pub id: String,
    pub call: String,
    pub unit_ns: f64,
}

/// The answer to `batch`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Batch {
    pub start: f64,
    pub ticks: f64,
}

/// The answer to `deltas` and to `more`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Deltas {
    pub values: Vec<f64>,
}

/// The answer to `spins`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Spins {
    pub steps: Vec<f64>,
}

/// The answer to `watch`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Watch {
    pub reads: u64,
    pub same: u64,
    pub smallest: f64,
    pub longest: f64,
    pub backwards: u64,
    pub worst: f64,
}

/// The answer to `pairs`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Pairs {
    pub call: String,
    pub pairs: u64,
    pub zero: u64,
    pub total: f64,
    pub longest: f64,
}

/// The answer to `sleep`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Slept {
    pub slept: Vec<f64>,
}

/// The answer to `waits`: of each wait its begin, its deadline and its end, in nanoseconds since
/// `start`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Waited {
    pub start: f64,
    pub times: Vec<f64>,
    pub cpu_ns: Option<f64>,
    /// The system's number of the thread that made them all.
    pub thread: Option<f64>,
}

/// The answer to `allocations`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Allocations {
    pub bytes: Option<f64>,
    pub objects: Option<f64>,
}

/// An answer with the reason why the probe refuses a request.
#[derive(Deserialize)]
struct Refused {
    error: String,
}

/// An answer that can be checked.
pub(super) trait Checked: DeserializeOwned {
    /// Checks the answer.
    ///
    /// # Errors
    /// The reason why it cannot be believed.
    fn check(&mut self) -> Result<(), String>;
}

#[derive(Debug, PartialEq)]
pub(super) enum NoAnswer {
    /// The probe reports that it cannot serve this request; it remains usable.
    Refused(String),
    /// The answer is not valid, so nothing else from this probe can be believed.
    Invalid(String),
}

/// Parses an answer.
///
/// # Errors
/// There is no answer, or it cannot be believed.
pub(super) fn read<T: Checked>(line: &str) -> Result<T, NoAnswer> {
    if let Ok(refused) = serde_json::from_slice::<Refused>(line.as_bytes()) {
        return Err(NoAnswer::Refused(shown(&refused.error, 200)));
    }
    let mut answer: T = serde_json::from_slice(line.as_bytes()).map_err(|error| {
        let (line, error) = (shown(line, 60), shown(&error.to_string(), 80));
        NoAnswer::Invalid(format!("not an answer ({error}): {line}"))
    })?;
    answer.check().map_err(NoAnswer::Invalid)?;
    Ok(answer)
}

/// The highest rate of a clock that is believed: ten units per picosecond would be absurd.
const MOST_HZ: f64 = 1e13;
/// The most units in a difference: the largest count that a double holds exactly.
const MOST_UNITS: f64 = 9e15;

/// Checks that these are numbers within the range.
fn numbers(name: &str, values: &[f64], range: RangeInclusive<f64>) -> Result<(), String> {
    match values.iter().find(|value| !range.contains(value)) {
        Some(value) => Err(format!("{name} is {value}")),
        None => Ok(()),
    }
}

fn id(text: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
    if (1..=40).contains(&text.len()) && text.chars().all(plain) {
        Ok(())
    } else {
        Err(format!("'{}' is not a valid id", shown(text, 40)))
    }
}

/// The lowest units per second of a clock, whose unit may be longer than a second.
const LEAST_HZ: f64 = 1e-3;

impl Checked for Hello {
    fn check(&mut self) -> Result<(), String> {
        if !(1..=PROTOCOL).contains(&self.protocol) {
            return Err(format!("it speaks version {} of the protocol", self.protocol));
        }
        numbers("the rate of its stopwatch", &[self.stopwatch.hz], LEAST_HZ..=MOST_HZ)?;
        self.unavailable.truncate(32);
        if self.clocks.is_empty() || self.clocks.len() > 32 || self.sleeps.len() > 8 {
            let (clocks, sleeps) = (self.clocks.len(), self.sleeps.len());
            return Err(format!("it has {clocks} clocks and {sleeps} sleeps"));
        }
        for clock in &mut self.clocks {
            id(&clock.id)?;
            numbers(&format!("the rate of {}", clock.id), &[clock.hz], LEAST_HZ..=MOST_HZ)?;
            let (ppm, claimed) = (clock.hz_ppm.as_slice(), clock.claimed_ns.as_slice());
            numbers(&format!("the error of the rate of {}", clock.id), ppm, 0.0..=1e6)?;
            numbers(&format!("the resolution of {}", clock.id), claimed, 0.0..=1e15)?;
            clock.call = shown(&clock.call, 80);
            clock.claims = clock.claims.take().map(|text| shown(&text, 80));
            clock.claims.take_if(|text| text.is_empty());
        }
        if self.waits.len() > 32 {
            return Err(format!("it has {} waits", self.waits.len()));
        }
        self.waits.iter().try_for_each(|wait| id(wait))?;
        for gone in &mut self.unavailable {
            id(&gone.id)?;
            gone.reason = shown(&gone.reason, 120);
        }
        for sleep in &mut self.sleeps {
            id(&sleep.id)?;
            numbers("the unit of its sleep", &[sleep.unit_ns], 1e-3..=1e12)?;
            sleep.call = shown(&sleep.call, 80);
        }
        let mut ids: Vec<&str> = self.clocks.iter().map(|clock| clock.id.as_str()).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("two of its clocks have the same id".into());
        }
        self.runtime = shown(&self.runtime, 40);
        self.version = shown(&self.version, 40);
        self.build = self.build.take().map(|text| shown(&text, 80));
        self.stopwatch.call = shown(&self.stopwatch.call, 80);
        Ok(())
    }
}

impl Checked for Batch {
    fn check(&mut self) -> Result<(), String> {
        numbers("the start of a batch", &[self.start], -1e19..=1e19)?;
        numbers("the length of a batch", &[self.ticks], 0.0..=MOST_UNITS)
    }
}

impl Checked for Deltas {
    fn check(&mut self) -> Result<(), String> {
        numbers("a difference", &self.values, -MOST_UNITS..=MOST_UNITS)
    }
}

impl Checked for Spins {
    fn check(&mut self) -> Result<(), String> {
        numbers("a step", &self.steps, -MOST_UNITS..=MOST_UNITS)
    }
}

impl Checked for Watch {
    fn check(&mut self) -> Result<(), String> {
        numbers("a difference", &[self.smallest, self.longest, self.worst], 0.0..=MOST_UNITS)?;
        match self.same.checked_add(self.backwards) {
            Some(known) if known <= self.reads => Ok(()),
            _ => Err("it reports more differences than reads".into()),
        }
    }
}

impl Checked for Pairs {
    fn check(&mut self) -> Result<(), String> {
        numbers("the length of a pair", &[self.longest, self.total], 0.0..=MOST_UNITS)?;
        if self.zero > self.pairs || self.longest > self.total {
            return Err("its pairs do not add up".into());
        }
        self.call = shown(&self.call, 80);
        Ok(())
    }
}

impl Checked for Slept {
    fn check(&mut self) -> Result<(), String> {
        numbers("the length of a sleep", &self.slept, 0.0..=1e14)
    }
}

impl Checked for Waited {
    fn check(&mut self) -> Result<(), String> {
        numbers("the start of its waits", &[self.start], 0.0..=MOST_UNITS)?;
        numbers("a time of a wait", &self.times, -MOST_UNITS..=MOST_UNITS)?;
        numbers("the CPU time of its waits", self.cpu_ns.as_slice(), 0.0..=MOST_UNITS)?;
        numbers("the thread of its waits", self.thread.as_slice(), 1.0..=f64::from(u32::MAX))?;
        if !self.times.len().is_multiple_of(3) {
            return Err("a wait has three times".into());
        }
        let mut last = 0.0;
        for one in self.times.chunks_exact(3) {
            if one[2] < one[0] {
                return Err("a wait ended before it began".into());
            }
            if one[0] < last {
                return Err("a wait began before the last one ended".into());
            }
            last = one[2];
        }
        Ok(())
    }
}

impl Checked for Allocations {
    fn check(&mut self) -> Result<(), String> {
        let known: Vec<f64> = self.bytes.into_iter().chain(self.objects).collect();
        numbers("a count of allocations", &known, 0.0..=MOST_UNITS)
    }
}

#[cfg(test)]
pub(super) const HELLO: &str = r#"{"protocol":1,"runtime":"Fake","version":"1.2","build":"x",
"stopwatch":{"call":"now()","hz":1e9},
"clocks":[{"id":"now","call":"now()","kind":"monotonic","hz":1e9,"claimed_ns":1,
"modes":["throughput","latency"]}],
"sleeps":[{"id":"sleep","call":"sleep(s)","unit_ns":1}],"allocations":false,"more":[1]}"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid<T: Checked>(line: &str) -> String {
        match read::<T>(line).map(drop) {
            Err(NoAnswer::Invalid(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_hello_is_read_and_unknown_keys_are_ignored() {
        let hello: Hello = read(HELLO).expect("valid");
        assert_eq!((hello.clocks.len(), hello.sleeps.len()), (1, 1));
        assert_eq!(hello.clocks[0].kind, Kind::Monotonic);
        assert!(hello.waits.is_empty() && !hello.monotonic);
    }

    #[test]
    fn both_versions_of_the_protocol_are_spoken() {
        let second = HELLO.replace("\"protocol\":1", "\"protocol\":2,\"waits\":[\"sleep\"]");
        let hello: Hello = read(&second).expect("valid");
        assert_eq!(hello.waits, ["sleep"]);
        assert!(
            invalid::<Hello>(&second.replace("\"sleep\"]", "\"Sl eep\"]")).contains("valid id")
        );
        let many = format!("\"waits\":[{}\"a\"]", "\"a\",".repeat(40));
        assert!(
            invalid::<Hello>(&second.replace("\"waits\":[\"sleep\"]", &many)).contains("41 waits")
        );
        for version in ["0", "3"] {
            let other = HELLO.replace("\"protocol\":1", &format!("\"protocol\":{version}"));
            assert!(invalid::<Hello>(&other).contains("version"));
        }
    }

    #[test]
    fn what_cannot_be_true_is_refused_with_the_reason() {
        let with = |from: &str, to: &str| invalid::<Hello>(&HELLO.replacen(from, to, 1));
        assert_eq!(with("\"hz\":1e9", "\"hz\":-5"), "the rate of its stopwatch is -5");
        assert!(with("\"hz\":1e9", "\"hz\":NaN").starts_with("not an answer"));
        assert!(with("\"hz\":1e9", "\"hz\":1e999").contains("not an answer"));
        assert_eq!(with("\"protocol\":1", "\"protocol\":9"), "it speaks version 9 of the protocol");
        assert_eq!(with("\"id\":\"now\"", "\"id\":\"N o\""), "'N o' is not a valid id");
        assert_eq!(with("\"claimed_ns\":1", "\"claimed_ns\":-1"), "the resolution of now is -1");
        assert!(invalid::<Hello>("garbage").starts_with("not an answer"));
        assert!(invalid::<Batch>(r#"{"start":1}"#).contains("missing field"));
        assert_eq!(invalid::<Batch>(r#"{"start":1,"ticks":-3}"#), "the length of a batch is -3");
        assert!(invalid::<Slept>(r#"{"slept":[1,-1]}"#).contains("-1"));
        let watch = r#"{"reads":5,"same":4,"smallest":1,"longest":1,"backwards":4,"worst":1}"#;
        assert!(invalid::<Watch>(watch).contains("more differences"));
        let pairs = |text: &str| {
            let line = format!(r#"{{"call":"Start()","pairs":5,"zero":1,{text}}}"#);
            invalid::<Pairs>(&line)
        };
        assert_eq!(pairs(r#""total":9,"longest":10"#), "its pairs do not add up");
        assert_eq!(pairs(r#""total":-9,"longest":1"#), "the length of a pair is -9");
        assert!(pairs(r#""total":9,"longest":1,"pairs":6"#).contains("duplicate"));
        let measured = with("\"claimed_ns\":1", "\"hz_ppm\":-1");
        assert_eq!(measured, "the error of the rate of now is -1");
        assert!(invalid::<Deltas>(&"[".repeat(100_000)).starts_with("not an answer"));
    }

    #[test]
    fn a_probe_may_refuse_a_request() {
        let refused = read::<Batch>(r#"{"error":"no such clock"}"#).map(drop);
        assert_eq!(refused, Err(NoAnswer::Refused("no such clock".into())));
    }
}
