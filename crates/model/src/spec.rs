//! What is asked of a measurement: the options of its command, under their names. Each is described
//! by the question that the measurement answers, as its command is.

use crate::load::Load;
#[cfg(feature = "clap")]
use crate::units::{parse_count, parse_duration, parse_whole};
use crate::waits::WaitSpec;
use std::time::Duration;

/// What was asked of a run.
#[record(!Copy, !Eq)]
pub enum Spec {
    /// Clocks.
    Clocks(ClockSpec),
    /// The differences between successive reads.
    Deltas(DeltaSpec),
    /// The mean of a million calls, of ten, and a single call.
    Calls(CallSpec),
    /// What timing adds to a loop.
    Overhead(OverheadSpec),
    /// Waits.
    Waits(WaitSpec),
    /// The clocks of language runtimes.
    Runtimes(RuntimeSpec),
    /// Whether clocks can be trusted.
    Trust(TrustSpec),
    /// Clocks under every clock source of the kernel.
    Sweep(SweepSpec),
    /// How far repeated work varies.
    Noise(NoiseSpec),
}

/// What disturbs a measurement, or keeps others from disturbing it.
#[record(Args)]
#[serde(default)]
pub struct Disturbance {
    /// Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers,
    /// print.
    #[serde(rename = "loads")]
    #[arg(long, value_name = "LOAD", value_delimiter = ',')]
    pub load: Vec<Load>,
    /// Processes of a load. Default: one per CPU.
    #[arg(long, value_name = "N", requires = "load")]
    #[arg(value_parser = parse_count, allow_hyphen_values = true)]
    pub load_processes: Option<u64>,
    /// Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority).
    #[serde(rename = "fifo")]
    #[arg(long, value_name = "PRIORITY")]
    #[arg(value_parser = parse_whole::<u32>, allow_hyphen_values = true)]
    pub priority: Option<u32>,
    /// Allow a --priority of 50 to 99, which the kernel's interrupt threads cannot interrupt.
    #[arg(long, requires = "priority")]
    pub allow_high_priority: bool,
}

impl Disturbance {
    /// The loads, each once.
    pub fn loads(&self) -> Vec<Load> {
        let mut loads = Vec::new();
        for &load in &self.load {
            if load != Load::None && !loads.contains(&load) {
                loads.push(load);
            }
        }
        loads
    }
}

/// What does each clock cost, and what is its resolution?
#[record(Args)]
#[serde(default)]
pub struct ClockSpec {
    /// Ids, prefixes or globs of clocks: posix/monotonic, linux, '*/*coarse*'. Default: all.
    pub ids: Vec<String>,
    /// Actually make N calls of each clock, such as 10M, and show how long they took.
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub calls: Option<u64>,
    /// Include the clocks of other libraries (in builds with --features peers).
    #[arg(long)]
    pub peers: bool,
    /// What runs alongside, and with which priority the reads are made.
    #[serde(flatten)]
    #[command(flatten)]
    pub disturbance: Disturbance,
}

/// How far apart are two successive reads of a clock?
#[record(Args, !Default)]
pub struct DeltaSpec {
    /// The clock's id, or RUNTIME/CLOCK for a clock of a language runtime, as in python/time-ns.
    pub id: String,
    /// How many reads to make, such as 10M; with --budget, as many of them as fit.
    #[arg(long, value_name = "N", value_parser = parse::reads)]
    #[arg(default_value_t = Self::READS, allow_hyphen_values = true)]
    pub reads: u64,
    /// What runs alongside, and with which priority the reads are made.
    #[serde(flatten)]
    #[command(flatten)]
    pub disturbance: Disturbance,
}

impl DeltaSpec {
    /// Reads if no other number is asked for.
    pub const READS: u64 = 1_000_000;
}

/// The mean of a million calls, the mean of ten, and a single call, in three passes.
#[record(Args, !Default)]
pub struct CallSpec {
    /// The clock's id, or RUNTIME/CLOCK for a clock of a language runtime, as in python/time-ns.
    #[arg(default_value = Self::ID)]
    pub id: String,
    /// What runs alongside, and with which priority the reads are made.
    #[serde(flatten)]
    #[command(flatten)]
    pub disturbance: Disturbance,
}

impl CallSpec {
    /// The best portable clock of this system.
    pub const ID: &str = if cfg!(windows) { "windows/qpc" } else { "posix/monotonic" };
}

/// What does timing add to my loop?
#[record(!Default)]
pub struct OverheadSpec {
    /// The clock's id.
    pub id: String,
    /// Samples to take.
    pub samples: u64,
    /// Iterations of the loop per sample.
    pub n: u64,
    /// Integers summed in each iteration.
    pub m: u64,
    /// What runs alongside, and with which priority the loops run.
    #[serde(flatten)]
    pub disturbance: Disturbance,
}

impl OverheadSpec {
    /// The clock that is measured by default.
    pub const ID: &str = "rust/instant";
    /// The defaults: samples, iterations per sample, integers per iteration.
    pub const SHAPE: [u64; 3] = [9999, 999, 999];
}

/// What do my language's clocks cost on this machine, compared with C?
#[record(Args)]
#[serde(default)]
pub struct RuntimeSpec {
    /// Runtimes, languages, or builds such as c:gcc-O2; see chronoscope list runtimes. Default:
    /// all.
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Where a runtime is: its program, or the directory that holds it.
    #[arg(long, value_name = "ID=PATH", value_parser = parse::place)]
    pub runtime: Vec<(String, String)>,
}

/// Does a clock go backwards, agree between CPUs, and keep its rate?
#[record(Args)]
#[serde(default)]
pub struct TrustSpec {
    /// Ids, prefixes or globs of clocks. Default: the clocks that programs use, without other paths
    /// to the same clock.
    pub ids: Vec<String>,
    /// How long to watch, such as 60s or 8h. Default: 10s.
    #[serde(rename = "duration_ns", with = "crate::waits::ns")]
    #[schemars(with = "Option<u64>")]
    #[arg(long, value_name = "DURATION", conflicts_with = "budget")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    pub duration: Option<Duration>,
    /// How far is the wall clock from these? ntp:HOST, http:HOST, rtc:/dev/rtc0, ptp:/dev/ptp0,
    /// vmclock, clockbound, chrony. Nothing is set, and only a HOST is asked over a network.
    /// Default: the first of this machine that answers.
    #[arg(long, value_name = "SOURCE", value_delimiter = ',', num_args = 0..=1)]
    #[arg(default_missing_value = "", conflicts_with = "ids")]
    pub against: Option<Vec<String>>,
}

/// Is this machine fit to measure on, and what makes samples vary?
///
/// Times the same millisecond of work again and again, as a benchmark does, each time with a
/// witness that sees whether something came in between.
#[record(Args)]
pub struct NoiseSpec {}

/// What do clocks cost under every clock source of the kernel?
///
/// Changes the kernel's clock source, which only root may do. The clock source is restored
/// afterwards, even if the run is stopped or killed: a second process waits for that. Meanwhile all
/// programs on the machine read their clocks more slowly.
#[record(Args)]
#[serde(default)]
pub struct SweepSpec {
    /// Ids, prefixes or globs of clocks. Default: those that are built on the clock source.
    pub ids: Vec<String>,
    /// Also measure language runtimes under every clock source: these, or all. That takes
    /// about 30 s per source.
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    #[arg(num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    pub runtimes: Option<Vec<String>>,
}

/// Values as a command line has them.
#[cfg(feature = "clap")]
mod parse {
    use crate::units::parse_count;

    pub fn reads(text: &str) -> Result<u64, String> {
        match parse_count(text) {
            Ok(1) => Err("it must be at least 2, because a difference needs two reads".into()),
            other => other.map_err(|error| error.to_string()),
        }
    }

    /// An id and a path.
    pub fn place(text: &str) -> Result<(String, String), String> {
        match text.split_once('=') {
            Some((id, path)) if !id.is_empty() && !path.is_empty() => {
                let place = |_| (id.into(), path.into());
                std::path::absolute(path).map(place).map_err(|error| error.to_string())
            }
            _ => Err("it is written ID=PATH, for example java=/opt/jdk/bin/java".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_has_the_name_of_its_command_and_the_options_that_were_given() {
        let trust = TrustSpec { duration: Some(Duration::from_secs(1)), ..TrustSpec::default() };
        let none = Disturbance::default;
        let disturbance =
            Disturbance { load: vec![Load::Normal, Load::Print], priority: Some(5), ..none() };
        for (spec, json) in [
            (
                Spec::Deltas(DeltaSpec { id: "c/time".into(), reads: 2, disturbance: none() }),
                r#"{"deltas":{"id":"c/time","reads":2}}"#,
            ),
            (Spec::Clocks(ClockSpec::default()), r#"{"clocks":{}}"#),
            (
                Spec::Calls(CallSpec { id: "c/time".into(), disturbance }),
                r#"{"calls":{"id":"c/time","loads":["normal","print"],"fifo":5}}"#,
            ),
            (Spec::Trust(trust), r#"{"trust":{"duration_ns":1000000000}}"#),
        ] {
            assert_eq!(serde_json::to_string(&spec).expect("plain data"), json);
            assert_eq!(serde_json::from_str::<Spec>(json).expect("a spec"), spec);
        }
    }
}

/// The words after `overhead`: an id and up to three numbers. The numbers have an order; the id may
/// stand anywhere among them.
#[cfg(feature = "clap")]
mod overhead {
    use super::{Disturbance, OverheadSpec};
    use crate::units::parse_count;
    use clap::error::ErrorKind;
    use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

    /// What does timing add to my loop?
    #[derive(Args)]
    struct Words {
        /// The clock's id, or RUNTIME/CLOCK for a clock of a language runtime; it may also stand
        /// after the numbers [default: rust/instant]
        #[arg(allow_negative_numbers = true)]
        id: Option<String>,
        /// Samples to take [default: 9999]
        #[arg(allow_negative_numbers = true)]
        samples: Option<String>,
        /// Iterations of the loop per sample [default: 999]
        #[arg(allow_negative_numbers = true)]
        n: Option<String>,
        /// Integers summed in each iteration [default: 999]
        #[arg(allow_negative_numbers = true)]
        m: Option<String>,
        /// What runs alongside, and with which priority the loops run.
        #[command(flatten)]
        disturbance: Disturbance,
    }

    impl Args for OverheadSpec {
        fn augment_args(command: Command) -> Command {
            Words::augment_args(command)
        }

        fn augment_args_for_update(command: Command) -> Command {
            Words::augment_args_for_update(command)
        }
    }

    impl FromArgMatches for OverheadSpec {
        fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
            let Words { id, samples, n, m, disturbance } = Words::from_arg_matches(matches)?;
            of([id, samples, n, m].into_iter().flatten())
                .map(|spec| Self { disturbance, ..spec })
                .map_err(|why| Error::raw(ErrorKind::ValueValidation, format!("{why}\n")))
        }

        fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
            *self = Self::from_arg_matches(matches)?;
            Ok(())
        }
    }

    /// 8 MB of integers.
    const MOST_INTEGERS: u64 = 1_000_000;

    fn of(words: impl Iterator<Item = String>) -> Result<OverheadSpec, String> {
        // No id begins like a number.
        let (ids, numbers): (Vec<String>, Vec<String>) =
            words.partition(|word| word.starts_with(|first: char| first.is_alphabetic()));
        let id = match &ids[..] {
            [] => OverheadSpec::ID.to_owned(),
            [id] => id.clone(),
            _ => {
                return Err(format!("one clock is measured, but these are two: {}", ids.join(" ")));
            }
        };
        if numbers.len() > OverheadSpec::SHAPE.len() {
            let numbers = numbers.join(" ");
            return Err(format!(
                "there are three numbers, SAMPLES N M, but these are four: {numbers}"
            ));
        }
        let mut shape = OverheadSpec::SHAPE;
        for (place, number) in shape.iter_mut().zip(numbers) {
            *place = parse_count(&number).map_err(|error| error.to_string())?;
        }
        let [samples, n, m] = shape;
        if m > MOST_INTEGERS {
            return Err(format!("an iteration sums at most {MOST_INTEGERS} integers"));
        }
        Ok(OverheadSpec { id, samples, n, m, disturbance: Disturbance::default() })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn parsed(line: &str) -> Result<(String, [u64; 3]), String> {
            let spec = of(line.split_whitespace().map(str::to_owned))?;
            Ok((spec.id, [spec.samples, spec.n, spec.m]))
        }

        #[test]
        fn the_id_is_optional_and_stands_anywhere_among_the_numbers() {
            let default = OverheadSpec::ID;
            for (line, id, shape) in [
                ("", default, OverheadSpec::SHAPE),
                ("9999 999 999", default, [9999, 999, 999]),
                ("100", default, [100, 999, 999]),
                ("c/time", "c/time", OverheadSpec::SHAPE),
                ("c/time 1k 2 3", "c/time", [1000, 2, 3]),
                ("1 c/time 2", "c/time", [1, 2, 999]),
                ("1 2 3 c/time", "c/time", [1, 2, 3]),
            ] {
                assert_eq!(parsed(line), Ok((id.into(), shape)), "{line}");
            }
        }

        #[test]
        fn what_does_not_fit_is_named() {
            for (line, why) in [
                ("c/time 9 rust/instant", "two: c/time rust/instant"),
                ("1 2 3 4", "four: 1 2 3 4"),
                ("0", "above zero"),
                ("-1", "above zero"),
                ("1 1 2M", "at most 1000000"),
            ] {
                let told = parsed(line).expect_err(line);
                assert!(told.contains(why), "{line}: {told}");
            }
        }
    }
}
