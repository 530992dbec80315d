//! Which calls a read makes, counted while nothing is timed: a preloaded library counts calls to
//! the C library, and strace counts system calls. Neither sees a program that calls the vDSO or
//! reads a counter itself.

use super::prepare::{Cache, Ready};
use super::probe::Probe;
use crate::engine::children::{self, Stop};
use crate::engine::{Interrupt, RulerKind};
use chronoscope_model::packed;
use chronoscope_model::runtimes::Called;
use chronoscope_runtimes::COUNTER;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The reads of a counted batch: for the library, for which a call is cheap, and for strace. Other
/// threads of a runtime read clocks meanwhile, so more reads give a more accurate figure.
const READS: u64 = 20_000;
const TRACED_READS: u64 = 2000;
/// Fewer calls per read than this belong to the runtime itself.
const SOME: f64 = 0.01;
const BUILT: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Counters {
    library: Option<PathBuf>,
    strace: Option<PathBuf>,
    /// Why there is no library.
    why: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    pub calls: Option<Vec<Called>>,
    /// System calls that read clocks, and futex calls, per read.
    pub of_system: Option<[f64; 2]>,
    pub by: String,
}

/// The number of calls, by name.
type Calls = BTreeMap<String, u64>;

impl Counters {
    /// Builds the library, and checks for strace.
    pub fn here(cache: &Cache, interrupt: &Interrupt) -> Self {
        if !cfg!(target_os = "linux") {
            return Self { why: "calls are counted on Linux only".into(), ..Self::default() };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let find = |name: &str| {
            let mut places = std::env::split_paths(&path).map(|dir| dir.join(name));
            places.find(|file| file.is_file())
        };
        let compiler = find("cc").or_else(|| find("gcc")).or_else(|| find("clang"));
        let library = match compiler {
            Some(compiler) => build(&compiler, cache, &|| interrupt.is_set()),
            None => Err("counting calls needs a C compiler: apt install gcc libc6-dev".into()),
        };
        Self {
            strace: find("strace"),
            why: library.as_ref().err().cloned().unwrap_or_default(),
            library: library.ok(),
        }
    }

    /// Counts the calls of every clock of a runtime.
    pub fn count(&self, ready: &Ready, clocks: &[String], interrupt: &Interrupt) -> Vec<Counted> {
        let scratch = Cache::of_this_run().ok();
        let library = self.library.as_deref().zip(scratch.as_ref());
        let in_library = library.and_then(|(library, scratch)| {
            let counts = scratch.root.join("counts");
            fs::write(&counts, vec![0; 8 * PLACES.lines().count()]).ok()?;
            let mut command = ready.command();
            command.env("LD_PRELOAD", library).env("CHRONOSCOPE_COUNTS", &counts);
            batches(&mut command, clocks, READS, || read_counts(&counts), interrupt)
        });
        let strace = self.strace.as_ref().zip(scratch.as_ref());
        let in_system = strace.and_then(|(strace, scratch)| {
            let log = scratch.root.join("log");
            let strace = strace.to_str()?.to_owned();
            let log_name = log.to_str()?.to_owned();
            let words = ["-f", "-qq", "-e", TRACED, "-o", &log_name];
            let under: Vec<String> =
                std::iter::once(strace).chain(words.map(str::to_owned)).collect();
            batches(
                &mut ready.command_under(&under),
                clocks,
                TRACED_READS,
                || read_log(&log),
                interrupt,
            )
        });
        let merge = |nth: usize| self.merged(nth, in_library.as_deref(), in_system.as_deref());
        (0..clocks.len()).map(merge).collect()
    }

    /// Combines what both counters saw of a clock.
    fn merged(
        &self,
        nth: usize,
        in_library: Option<&[Calls]>,
        in_system: Option<&[Calls]>,
    ) -> Counted {
        let per_read = |calls: &Calls, suffix: &str, reads: u64| -> Vec<Called> {
            let all = calls.iter().map(|(call, count)| Called {
                call: format!("{call}{suffix}"),
                per_read: *count as f64 / reads as f64,
            });
            all.filter(|called| called.per_read >= SOME).collect()
        };
        let library = in_library.map(|all| per_read(&all[nth], "", READS));
        let system = in_system.map(|all| per_read(&all[nth], " as a system call", TRACED_READS));
        let by = match (&library, &system) {
            (None, None) if self.why.is_empty() => "the counters failed with this runtime".into(),
            (None, None) => self.why.clone(),
            (Some(seen), system) if seen.is_empty() => {
                let none = system.as_ref().is_none_or(Vec::is_empty);
                if none { NOTHING_SEEN.into() } else { "strace".into() }
            }
            (Some(_), None) => "LD_PRELOAD".into(),
            (Some(_), Some(_)) => "LD_PRELOAD and strace".into(),
            (None, Some(_)) => "strace".into(),
        };
        let calls = match (library, system) {
            (None, None) => None,
            (library, system) => Some([library, system].into_iter().flatten().flatten().collect()),
        };
        let of_system = in_system.map(|all| {
            let futex = all[nth].get(FUTEX).copied().unwrap_or(0);
            let rest = all[nth].values().sum::<u64>() - futex;
            [rest, futex].map(|count| count as f64 / TRACED_READS as f64)
        });
        Counted { calls, of_system, by }
    }
}

/// The description of a read that no counter saw.
const NOTHING_SEEN: &str =
    "no call to the C library or the kernel was seen: it calls the vDSO or reads a counter itself";

fn build(compiler: &Path, cache: &Cache, stop: Stop) -> Result<PathBuf, String> {
    let content = (COUNTER.packed, compiler);
    let dir = cache.directory("count", &content, |dir| {
        let source = dir.join(COUNTER.name);
        fs::write(&source, packed::bytes(COUNTER.packed)).map_err(|error| error.to_string())?;
        let mut command = Command::new(compiler);
        command.args(["-O1", "-shared", "-fPIC", "-o"]);
        command.arg(dir.join("libcount.so")).arg(source).arg("-ldl");
        Cache::build(&mut command, BUILT, stop)
    })?;
    Ok(dir.join("libcount.so"))
}

/// Returns the counts of a batch of each clock, less those of an empty batch.
fn batches(
    command: &mut Command,
    clocks: &[String],
    reads: u64,
    counts: impl Fn() -> Option<Calls>,
    interrupt: &Interrupt,
) -> Option<Vec<Calls>> {
    let mut probe = Probe::start(command, RulerKind::System, interrupt).ok()?;
    let mut around = |clock: &str| -> Option<Calls> {
        let before = counts()?;
        probe.batch_of(clock, reads)?;
        Some(less(counts()?, &before))
    };
    around("empty")?;
    let empty = around("empty")?;
    let all = clocks.iter().map(|clock| Some(less(around(clock)?, &empty))).collect();
    probe.end();
    all
}

fn less(mut calls: Calls, others: &Calls) -> Calls {
    for (call, count) in &mut calls {
        *count = count.saturating_sub(others.get(call).copied().unwrap_or(0));
    }
    calls
}

/// The calls that the library counts, in the order of its file.
const PLACES: &str = include_str!("counted.txt");

fn read_counts(file: &Path) -> Option<Calls> {
    let bytes = fs::read(file).ok()?;
    let counts = bytes.as_chunks::<8>().0.iter().copied().map(u64::from_ne_bytes);
    let named = PLACES.lines().map(str::to_owned);
    Some(named.zip(counts).filter(|(_, count)| *count > 0).collect())
}

/// The system calls that read clocks, and the one that waits for a mutex or wakes who waits.
const TRACED: &str = "trace=clock_gettime,?gettimeofday,?time,?times,?getrusage,?futex";
const FUTEX: &str = "futex()";

/// Counts the calls in a log of strace: `123 clock_gettime(CLOCK_MONOTONIC, {...}) = 0`.
fn read_log(file: &Path) -> Option<Calls> {
    let text = fs::read_to_string(file).ok()?;
    let mut calls = Calls::new();
    for line in text.lines() {
        if let Some(call) = logged(line) {
            *calls.entry(call).or_default() += 1;
        }
    }
    Some(calls)
}

fn logged(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (name, arguments) = line.split_once('(')?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
        return None;
    }
    let first = arguments.split([',', ')']).next()?;
    Some(match name {
        "clock_gettime" => format!("{name}({})", children::shown(first, 40)),
        _ => format!("{name}()"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_strace_become_calls() {
        let cases = [
            (
                "12 clock_gettime(CLOCK_MONOTONIC, {tv_sec=1}) = 0",
                Some("clock_gettime(CLOCK_MONOTONIC)"),
            ),
            ("times({tms_utime=3}) = 42", Some("times()")),
            ("12 futex(0x7f00, FUTEX_WAKE_PRIVATE, 1) = 0", Some(FUTEX)),
            ("12 +++ exited with 0 +++", None),
            ("12 --- SIGCHLD {si_signo=SIGCHLD} ---", None),
            ("12 <... clock_gettime resumed>) = 0", None),
        ];
        for (line, call) in cases {
            assert_eq!(logged(line).as_deref(), call, "{line}");
        }
    }

    #[test]
    fn both_counters_are_joined_and_what_none_saw_is_said() {
        let counters = Counters { why: "no compiler".into(), ..Counters::default() };
        let calls = |name: &str, count| Calls::from([(name.to_owned(), count)]);
        let library = [calls("clock_gettime(CLOCK_MONOTONIC)", READS)];
        let system = [Calls::new()];
        let found = counters.merged(0, Some(&library), Some(&system));
        assert_eq!(found.by, "LD_PRELOAD and strace");
        let calls = found.calls.expect("counted");
        assert_eq!((calls.len(), calls[0].per_read), (1, 1.0));
        let nothing = counters.merged(0, Some(&system), Some(&system));
        assert_eq!(nothing.by, NOTHING_SEEN);
        assert_eq!(nothing.calls, Some(Vec::new()));
        assert_eq!(nothing.of_system, Some([0.0, 0.0]));
        let both = Calls::from([("times()".into(), TRACED_READS), (FUTEX.into(), READS / 20)]);
        assert_eq!(counters.merged(0, None, Some(&[both])).of_system, Some([1.0, 0.5]));
        let neither = counters.merged(0, None, None);
        assert_eq!((neither.calls, neither.by.as_str()), (None, "no compiler"));
    }
}
