//! Children of this tool, as seen by the process that starts them: one that reads a clock for the
//! first time, and one that makes whole rounds. [`serve`](super::serve) has the child's side. A
//! request is one line, and so is its answer.
//!
//! | request | answer |
//! | --- | --- |
//! | `ready` | `ready`: the child has warmed up everything but the clock |
//! | `first` | the ticks of one read, the ruler's own cost subtracted |
//! | a `ChildJob` of a `Job` as JSON | a `Sampled` as JSON |
//! | a `ChildJob` of an `Around` as JSON | a `Pairs` as JSON |
//!
//! What loads and real-time priorities are allowed to be, and how a load is started.
//!
//! Below that are child processes of any kind: a client that sends requests and reads answers, one
//! line each, and a command that runs to its end. What a child writes is untrusted, and no child
//! outlives its owner.

use super::ruler::RulerKind;
use crate::locked;
use chronoscope_model::units::human;
use chronoscope_probes::group::Group;
use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::Root;
use chronoscope_probes::time::{Instant, receive};
use chronoscope_probes::waits::privilege::{self, RealtimeFence};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How to start a child of this tool so that it calls [`serve`](super::serve::serve).
#[derive(Clone, Debug)]
pub struct Children {
    pub program: PathBuf,
    /// The arguments before the clock's id and the ruler's name.
    pub args: Vec<OsString>,
}

/// The request that precedes a first read. The child then waits for the next request: a read right
/// after its own preparation would find more in the caches.
pub(super) const READY: &str = "ready";
pub(super) const FIRST: &str = "first";

/// Replaces the clock's id in the arguments of a child that makes rounds.
pub(super) const EVERY: &str = "*";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ChildJob<J> {
    /// The ids of all subjects; those that are not in the catalogue are empty loops.
    pub ids: Vec<String>,
    pub cpu: Option<usize>,
    /// Whether the core can be gauged.
    pub gauges: bool,
    pub job: J,
}

/// The environment variable that makes a child's environment longer.
const PADDING: &str = "CHRONOSCOPE_PADDING";
/// The time that a child may take to start and for anything but its rounds, including the time by
/// which rounds exceed their budget. A child that takes longer was stopped, or hangs in a driver.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is accepted: the samples of all rounds.
const LONGEST: u64 = 64 << 20;
/// The most bytes, a page, by which the environment of a child is longer.
pub(super) const PAGE: usize = 4096;

impl Children {
    /// Makes the first read of this clock in a new process and returns it in ticks of this ruler;
    /// `None` if the child cannot be started or fails.
    pub fn first(&self, id: &str, ruler: RulerKind) -> Option<u64> {
        let mut child = Child::start(&mut self.command(id, ruler), LONGEST).ok()?;
        child.ask(READY, PATIENCE, &|| false).ok()?;
        child.ask(FIRST, PATIENCE, &|| false).ok()?.trim().parse().ok()
    }

    /// Lets a child do this job, which may take this long; `None` if it fails or `stop` says so.
    pub(super) fn ask<J: Serialize, A: DeserializeOwned>(
        &self,
        wanted: &ChildJob<J>,
        budget: Duration,
        ruler: RulerKind,
        stop: Stop,
    ) -> Option<A> {
        let mut command = self.command(EVERY, ruler);
        command.env(PADDING, " ".repeat(fastrand::usize(1..=PAGE)));
        let mut child = Child::start(&mut command, LONGEST).ok()?;
        let request = serde_json::to_string(wanted).ok()?;
        let patience = budget.mul_f64(1.5) + PATIENCE;
        let answer = child.ask(&request, patience, stop).ok()?;
        serde_json::from_slice(answer.as_bytes()).ok()
    }

    fn command(&self, id: &str, ruler: RulerKind) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).args([id, ruler.name()]);
        command
    }
}

/// How long a real-time thread may run without blocking, in microseconds: longer than the longest
/// spin that is allowed, and too short to lock up a machine for long.
const FENCE_US: u64 = 3_000_000;
/// How long a real-time thread runs before it rests.
const REST_AFTER: Duration = Duration::from_millis(400);
/// The longest spin of a real-time thread, which may begin just before a rest is due.
pub(crate) const LONGEST_SPIN: Duration = Duration::from_millis(450);

/// The time for which a real-time thread runs, as a multiple of its rest after that.
const RUN_PER_REST: u32 = 9;

/// The rest that a real-time thread needs after it ran for this long. With it, the thread runs for
/// at most 950 ms of any second, so the kernel neither throttles it (sched(7),
/// `sched_rt_runtime_us`) nor ends the process (getrlimit(2), RLIMIT_RTTIME).
pub(crate) fn rest_of(ran: Duration) -> Duration {
    ran / RUN_PER_REST
}

/// How long such a thread must sleep now, if it must.
pub(crate) fn rest_due(ran: Duration) -> Option<Duration> {
    (ran >= REST_AFTER).then(|| rest_of(ran))
}

/// The most processes of a load, per CPU.
const MOST_LOAD: usize = 8;

/// Starts a load on the CPUs of the order, with one process for each of them if no number is given.
/// `measured` are the CPUs that are measured on: a load that must leave a CPU free leaves another
/// one.
///
/// # Errors
/// The reason why it cannot run, in one line.
pub(crate) fn start_processes(
    mut order: Order,
    processes: Option<u64>,
    measured: &[usize],
) -> Result<Running, String> {
    if load::leaves_one_free(order.load, order.fifo.is_some()) && !order.whole {
        // One CPU is left free, but not one on which waits are measured.
        let free = order.cpus.iter().rposition(|cpu| !measured.contains(cpu));
        let free = free.ok_or(
            "load high: a priority above all others must leave one CPU free, and there is none",
        )?;
        order.cpus.remove(free);
    }
    order.processes = processes.map_or(order.cpus.len(), |n| n as usize).max(1);
    load::start(&order).map_err(|reason| reason.0)
}

/// Limits how long real-time threads may run without blocking, if there are any.
///
/// # Errors
/// The system's error.
pub(crate) fn real_time_fence(fifo: Option<u32>) -> Result<Option<RealtimeFence>, String> {
    fifo.map(|_| RealtimeFence::new(FENCE_US)).transpose().map_err(|why| why.0)
}

/// Checks the number of processes of a load on a machine with this many CPUs.
///
/// # Errors
/// The numbers that are possible.
pub(crate) fn check_processes(processes: Option<u64>, cpus: usize) -> Result<(), String> {
    let most = (cpus.max(1) * MOST_LOAD) as u64;
    match processes {
        Some(processes) if !(1..=most).contains(&processes) => Err(format!(
            "{processes} load processes are not possible: choose 1 to {most}, {MOST_LOAD} per CPU"
        )),
        _ => Ok(()),
    }
}

/// Checks that an option's priority is possible and permitted: a run that was asked for a priority
/// and has none would answer another question. `high`: whether priorities above those of the
/// kernel's interrupt threads are allowed.
///
/// # Errors
/// What is missing.
pub(crate) fn check_fifo(
    option: &str,
    priority: u32,
    high: bool,
    cpus: usize,
) -> Result<(), String> {
    let possible = privilege::check_fifo(&Root::host(), priority, high, cpus);
    let permitted = possible.and_then(|()| privilege::try_fifo(priority));
    permitted.map_err(|why| format!("{option} {priority}: {}", why.0))
}

/// The most that a compiler or another helper may write.
const MOST_OUTPUT: u64 = 16 << 20;
/// How often a wait checks whether the user asked to stop.
const STEP: Duration = Duration::from_millis(50);
/// The same at first, because most helpers end soon.
const SOON: Duration = Duration::from_millis(2);
/// How long a child that was asked to end may take before it is killed.
const FAREWELL: Duration = Duration::from_millis(100);
/// How long to wait for the last words of a child that has ended. Its pipe closes at once, unless a
/// process that it left behind holds it open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How often a command that runs is looked at.
pub const LOOK: Duration = Duration::from_millis(10);

/// Whether the user asked to stop.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Makes text from outside safe to show: one line, without control characters, not too long.
pub fn shown(text: &str, most: usize) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let short: String = plain.take(most).collect();
    short.trim().to_owned()
}

/// A child that answers requests, one line each.
pub(crate) struct Child {
    group: Group,
    requests: Option<ChildStdin>,
    answers: Receiver<Result<String, String>>,
    /// The end of its error output.
    errors: Text,
    /// Receives nothing, and is disconnected once all of that has been read.
    complete: Receiver<()>,
}

impl Child {
    /// Starts a child whose answers may have up to `longest` bytes.
    ///
    /// # Errors
    /// The reason why it cannot be started.
    pub fn start(command: &mut Command, longest: u64) -> Result<Self, String> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::spawn(piped).map_err(|error| format!("cannot start: {error}"))?;
        let (Some(requests), Some(output), Some(errors)) = group.pipes() else {
            return Err("no pipes".into());
        };
        // At most two lines wait here, so that a child that writes endlessly is held up.
        let (send, answers) = sync_channel(2);
        alongside(move || {
            let mut lines = BufReader::new(output);
            while let Some(line) = next_line(&mut lines, longest) {
                if send.send(line).is_err() {
                    break;
                }
            }
        })?;
        let (kept, (reading, complete)) = (Text::default(), sync_channel(0));
        keep(errors, &kept, KEPT_ERRORS, reading)?;
        Ok(Self { group, requests: Some(requests), answers, errors: kept, complete })
    }

    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Returns the answer to a request that may take this long.
    ///
    /// # Errors
    /// The reason why there is no answer. The child is then of no further use.
    pub fn ask(&mut self, request: &str, patience: Duration, stop: Stop) -> Result<String, String> {
        match self.answers.try_recv() {
            Ok(Ok(line)) => {
                return Err(format!("it wrote without being asked: {}", shown(&line, 60)));
            }
            Ok(Err(why)) => return Err(why),
            Err(TryRecvError::Disconnected) => return Err(self.ended(request)),
            Err(TryRecvError::Empty) => {}
        }
        let Some(requests) = self.requests.as_mut() else {
            return Err("it was asked to end".into());
        };
        let sent = requests.write_all(format!("{request}\n").as_bytes());
        if sent.and_then(|()| requests.flush()).is_err() {
            return Err(self.ended(request));
        }
        let start = Instant::now();
        loop {
            match receive(&self.answers, STEP) {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(why)) => return Err(why),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(request)),
                Err(RecvTimeoutError::Timeout) if stop() => return Err(INTERRUPTED.into()),
                Err(RecvTimeoutError::Timeout) if start.elapsed() < patience => {}
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = start.elapsed().as_secs_f64();
                    let request = first_word(request);
                    return Err(format!("no answer to {request} within {seconds:.1} s"));
                }
            }
        }
    }

    /// Asks the child to end, and waits briefly for that.
    pub fn end(&mut self) {
        if let Some(mut requests) = self.requests.take() {
            let _ = requests.write_all(b"quit\n");
        }
        self.group.end(FAREWELL);
    }

    /// Returns how the child ended, with its last line of error output.
    fn ended(&mut self, request: &str) -> String {
        self.requests = None;
        let how = match self.group.end(FAREWELL) {
            Some(status) => outcome(status),
            None => "it closed its output".into(),
        };
        let _ = receive(&self.complete, LAST_WORDS);
        let errors = locked(&self.errors).clone();
        let text = last_line(&String::from_utf8_lossy(&errors));
        let text = if text.is_empty() { text } else { format!(": {text}") };
        format!("{how} at {}{text}", first_word(request))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.requests = None;
        self.group.end(Duration::ZERO);
    }
}

/// The reason given if the user asked to stop.
pub const INTERRUPTED: &str = "interrupted";

fn first_word(request: &str) -> &str {
    request.split(' ').next().unwrap_or_default()
}

fn outcome(status: ExitStatus) -> String {
    if let Some(signal) = signal(status) {
        return format!("it was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("it ended with code {code}"),
        None => "it ended".into(),
    }
}

/// The signal that ended a process.
#[cfg(unix)]
pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
pub(crate) fn signal(_: ExitStatus) -> Option<i32> {
    None
}

fn last_line(text: &str) -> String {
    let mut lines = text.lines().rev().map(str::trim);
    let line = lines.find(|line| !line.is_empty());
    shown(line.unwrap_or_default(), 120)
}

/// Returns the next line; `None` at the end of the output.
fn next_line(lines: &mut impl BufRead, longest: u64) -> Option<Result<String, String>> {
    let mut line = Vec::new();
    match lines.by_ref().take(longest + 1).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) if line.len() as u64 > longest => {
            Some(Err(format!("it wrote a line of more than {} MiB", longest >> 20)))
        }
        Ok(_) => Some(String::from_utf8(line).map_err(|_| "its output is not UTF-8".into())),
    }
}

/// Reads in another thread.
fn alongside(read: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let thread = std::thread::Builder::new().name("child".into()).spawn(read);
    thread.map(drop).map_err(|error| format!("no thread to read its output: {error}"))
}

/// The bytes of a child's error output that are kept.
const KEPT_ERRORS: usize = 2048;

/// What was read so far.
type Text = Arc<Mutex<Vec<u8>>>;

/// Reads all of a source in another thread, and keeps so much of its end. `reading` is dropped at
/// its end.
fn keep(
    mut source: impl Read + Send + 'static,
    text: &Text,
    most: usize,
    reading: SyncSender<()>,
) -> Result<(), String> {
    let text = Arc::clone(text);
    alongside(move || {
        let _reading = reading;
        let mut part = [0; 4096];
        while let Ok(read @ 1..) = source.read(&mut part) {
            let mut held = locked(&text);
            held.extend_from_slice(&part[..read]);
            let excess = held.len().saturating_sub(most);
            held.drain(..excess);
        }
    })
}

/// What a command wrote, and how it ended.
pub struct Output {
    pub status: ExitStatus,
    /// From just before it was started until it had ended.
    pub took: Duration,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
}

impl Output {
    /// How the command ended, in words.
    pub fn outcome(&self) -> String {
        outcome(self.status)
    }
}

/// Runs a command to its end, without input. It may write up to `most` bytes to each of its outputs
/// and take as long as `patience`. It is ended otherwise, and with it all that it started, as is
/// what it leaves behind when it ends by itself. `look` gets the number of its process every
/// [`LOOK`], and once it has ended.
///
/// # Errors
/// The reason why there is no result.
pub fn output(
    command: &mut Command,
    most: u64,
    patience: Duration,
    stop: Stop,
    look: &mut dyn FnMut(u32),
) -> Result<Output, String> {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut group = Group::spawn(piped).map_err(|error| format!("cannot start it: {error}"))?;
    let ended = ended(group.until_end())?;
    let (_, output, errors) = group.pipes();
    let (reading, complete) = sync_channel(0);
    let texts = [Arc::default(), Arc::default()];
    let output = output.map(|pipe| Box::new(pipe) as _);
    let errors = errors.map(|pipe| Box::new(pipe) as _);
    for (text, source) in texts.iter().zip([output, errors]) {
        let source: Box<dyn Read + Send> = source.ok_or("no pipes")?;
        keep(source.take(most + 1), text, usize::MAX, reading.clone())?;
    }
    drop(reading);
    let is_too_long = || texts.iter().any(|text| locked(text).len() as u64 > most);
    let too_long = || Err(format!("it wrote more than {} MiB", most >> 20));
    let in_time = || {
        if stop() {
            return Err(INTERRUPTED.into());
        }
        if start.elapsed() < patience { Ok(()) } else { Err(late(patience)) }
    };
    let mut looked = start;
    // It is over when the command has ended, whatever it has left behind with its pipes.
    while !group.is_over() && !is_too_long() {
        in_time()?;
        let step = if start.elapsed() < STEP { SOON } else { LOOK };
        if looked.elapsed() >= LOOK {
            look(group.id());
            looked = Instant::now();
        }
        if receive(&complete, step) == Err(RecvTimeoutError::Disconnected) {
            break;
        }
    }
    if is_too_long() {
        return too_long();
    }
    // The pipes close shortly before it ends, or long before.
    let at = loop {
        match receive(&ended, LOOK) {
            Ok(at) => break at,
            Err(RecvTimeoutError::Disconnected) => break Instant::now(),
            Err(RecvTimeoutError::Timeout) => look(group.id()),
        }
        in_time()?;
    };
    look(group.id());
    let status = group.end(patience.saturating_sub(start.elapsed()));
    let _ = receive(&complete, LAST_WORDS);
    if is_too_long() {
        return too_long();
    }
    let [output, errors] = texts.map(|text| locked(&text).clone());
    let status = status.ok_or_else(|| late(patience))?;
    Ok(Output { status, took: at.saturating_duration_since(start), output, errors })
}

/// Receives the time at which a child ends, from a thread that does nothing but wait for that.
pub(crate) fn ended(wait: impl FnOnce() + Send + 'static) -> Result<Receiver<Instant>, String> {
    let (send, ended) = sync_channel(1);
    alongside(move || {
        wait();
        let _ = send.send(Instant::now());
    })?;
    Ok(ended)
}

fn late(patience: Duration) -> String {
    format!("it did not end within {}", human(patience))
}

/// Runs a helper to its end, and returns the text of both of its outputs.
///
/// # Errors
/// The reason why it failed, or the last line of its output about that.
pub(crate) fn run(command: &mut Command, patience: Duration, stop: Stop) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let name = shown(name.rsplit(['/', '\\']).next().unwrap_or(&name), 40);
    let ended = match output(command, MOST_OUTPUT, patience, stop, &mut |_| ()) {
        Ok(ended) => ended,
        Err(why) if why == INTERRUPTED => return Err(why),
        Err(why) => return Err(format!("{name}: {why}")),
    };
    let texts = [&ended.output, &ended.errors].map(|text| String::from_utf8_lossy(text));
    if ended.status.success() {
        return Ok(texts.join("\n"));
    }
    let mut said = texts.iter().rev().map(|text| first_complaint(text));
    let said = said.find(|line| !line.is_empty());
    Err(format!("{name}: {}", said.unwrap_or_else(|| ended.outcome())))
}

/// Returns the line of a compiler's output that says what is wrong.
fn first_complaint(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    match lines.find(|line| line.to_lowercase().contains("error")) {
        Some(line) => shown(line, 120),
        None => last_line(text),
    }
}

#[cfg(test)]
mod children_tests {
    use super::*;

    #[test]
    fn an_unrelated_program_is_not_accepted_as_a_child() {
        for program in ["/bin/true", "/bin/cat", "/no/such/program"] {
            let children = Children { program: program.into(), args: Vec::new() };
            assert!(children.first("rust/instant", RulerKind::System).is_none());
        }
    }
}

#[cfg(test)]
mod load_tests {
    use super::*;

    #[test]
    fn a_real_time_thread_is_never_throttled() {
        // Each stretch without a rest may begin just before one is due, and then spin or count for
        // as long as is allowed.
        let longest = (REST_AFTER + LONGEST_SPIN).as_millis() as usize;
        for stretch in (400..=longest).step_by(5) {
            let rest = rest_due(Duration::from_millis(stretch as u64)).expect("it is due");
            let period = stretch + rest.as_millis() as usize;
            let runs = |from: usize| (from..from + 1000).filter(|ms| ms % period < stretch).count();
            let most = (0..period).step_by(5).map(runs).max();
            assert!(most <= Some(950), "{stretch} ms: {most:?}");
        }
        assert_eq!(rest_due(REST_AFTER / 2), None);
    }
}

#[cfg(all(test, unix))]
mod child_tests {
    use super::*;

    fn shell(script: &str) -> Child {
        Child::start(Command::new("/bin/sh").args(["-c", script]), 1 << 20).expect("a shell")
    }

    fn asked(script: &str) -> Result<String, String> {
        shell(script).ask("hello you", Duration::from_secs(20), &|| false)
    }

    #[test]
    fn an_answer_is_a_line() {
        assert_eq!(asked("read a; echo got $a").as_deref(), Ok("got hello you\n"));
    }

    #[test]
    fn the_reason_of_every_failure_is_told() {
        let cases = [
            (
                "read a; echo no such thing >&2; exit 7",
                "it ended with code 7 at hello: no such thing",
            ),
            ("kill -9 $$", "it was ended by signal 9 at hello"),
            (
                "read a; head -c 2000000 /dev/zero | tr '\\0' x",
                "it wrote a line of more than 1 MiB",
            ),
            ("read a; printf '\\377\\n'", "its output is not UTF-8"),
        ];
        for (script, reason) in cases {
            assert_eq!(asked(script), Err(reason.into()), "{script}");
        }
    }

    #[test]
    fn a_child_that_hangs_is_given_up_and_ended() {
        let mut child = shell("while :; do sleep 100; done");
        let late = child.ask("hello", Duration::from_millis(60), &|| false);
        assert!(late.is_err_and(|why| why.starts_with("no answer to hello")));
        let stopped = child.ask("hello", Duration::from_secs(60), &|| true);
        assert_eq!(stopped, Err(INTERRUPTED.into()));
    }

    #[test]
    fn a_child_that_writes_without_end_is_held_up() {
        let mut child = shell("read a; yes");
        assert_eq!(child.ask("x", Duration::from_secs(20), &|| false).as_deref(), Ok("y\n"));
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            match child.ask("x", Duration::from_secs(20), &|| false) {
                Err(why) => {
                    assert_eq!(why, "it wrote without being asked: y");
                    return;
                }
                Ok(_) => chronoscope_probes::time::sleep(Duration::from_millis(1)),
            }
        }
        panic!("it was never noticed");
    }

    #[test]
    fn a_command_succeeds_or_says_why_not() {
        use super::run as run_command;
        let run = |script: &str, patience| {
            run_command(
                Command::new("/bin/sh").args(["-c", script]),
                Duration::from_millis(patience),
                &|| false,
            )
        };
        assert!(run("echo 1.2; echo more >&2", 20_000).is_ok_and(|t| t.contains("1.2")));
        let failed = run("echo 'x.c:3: error: bad'; echo 'made it worse'; exit 1", 20_000);
        assert_eq!(failed, Err("sh: x.c:3: error: bad".into()));
        assert_eq!(run("exit 4", 20_000), Err("sh: it ended with code 4".into()));
        assert!(run("sleep 100", 60).is_err_and(|why| why.contains("did not end")));
        // What it leaves behind holds its pipes, and does not make it last.
        assert!(run("echo 1.2; sleep 100 & exit", 20_000).is_ok_and(|text| text.contains("1.2")));
        let endless = run("yes", 20_000);
        assert_eq!(endless, Err("sh: it wrote more than 16 MiB".into()));
    }

    #[test]
    fn text_from_outside_is_safe_to_show() {
        assert_eq!(shown("a\u{1b}[31mb\nc", 100), "a [31mb c");
        assert_eq!(shown(&"x".repeat(1000), 5), "xxxxx");
    }
}
