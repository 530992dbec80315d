//! Subjects that another process reads: a child of this tool that answers one request per line.
//!
//! | request | answer |
//! | --- | --- |
//! | `batch MODE READS` | the ruler's ticks, and 1 if the batch was disturbed, otherwise 0 |
//! | `fill N` | `N` raw values |
//! | `around N M` | the ticks of summing `M` integers `N` times, each sum timed by the clock |
//! | `first` | the ticks of one read, the ruler's own cost subtracted |
//!
//! A child for every clock makes whole rounds instead; see [`elsewhere`].
//!
//! The child writes `ready` when it accepts requests, and ends when its standard input does. It
//! opens the clock without reading it, so its first request can be the first read of the clock in
//! a process.

use super::bench::Bench;
use super::elsewhere;
use super::host::{Batch, Mode};
use super::ruler::RulerKind;
use super::subject::{Local, Subject};
use chronoscope_probes::clocks::{self, Opening};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How to start a child of this tool so that it calls [`serve`].
#[derive(Clone, Debug)]
pub struct Children {
    /// The program.
    pub program: PathBuf,
    /// The arguments before the clock's id and the ruler's name.
    pub args: Vec<OsString>,
}

/// The environment variable that makes a child's environment longer.
const PADDING: &str = "CHRONOSCOPE_PADDING";

/// A child that does not answer for this long is given up: it was stopped, or hangs in a driver.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is accepted: the values of one `fill`.
const LONGEST: u64 = 64 << 20;

impl Children {
    /// Starts a child that reads this clock with this ruler; `None` if it cannot be started or does
    /// not become ready.
    pub fn start(&self, id: &str, ruler: RulerKind) -> Option<Remote> {
        self.connect(id, ruler, "")
    }

    /// Starts a child as [`Children::start`] does, with an environment that is longer by `padding`.
    pub(super) fn connect(&self, id: &str, ruler: RulerKind, padding: &str) -> Option<Remote> {
        let mut command = Command::new(&self.program);
        if !padding.is_empty() {
            command.env(PADDING, padding);
        }
        let mut child = command
            .args(&self.args)
            .args([id, ruler.name()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (requests, answers) = (child.stdin.take()?, child.stdout.take()?);
        let (send, receive) = channel();
        let reader = std::thread::Builder::new().name("answers".into());
        let reading = reader.spawn(move || {
            let mut lines = BufReader::new(answers);
            let mut line = String::new();
            // Ends with the child, or when nobody receives any more.
            while let Ok(1..) = lines.by_ref().take(LONGEST).read_line(&mut line) {
                if send.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
        let remote = Remote { child, requests: Some(requests), answers: receive };
        reading.ok()?;
        (remote.answer(PATIENCE)?.trim() == "ready").then_some(remote)
    }
}

/// A clock that a child process reads.
pub struct Remote {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Remote {
    fn answer(&self, patience: Duration) -> Option<String> {
        self.answers.recv_timeout(patience).ok()
    }

    /// The answer to a request; `None` if the child has died or hangs.
    fn ask(&mut self, request: &str) -> Option<String> {
        self.ask_patiently(request, PATIENCE, || false)
    }

    /// The answer to a request that may take this long, unless `stop` says that nobody waits for it
    /// any more.
    pub(super) fn ask_patiently(
        &mut self,
        request: &str,
        patience: Duration,
        stop: impl Fn() -> bool,
    ) -> Option<String> {
        const STEP: Duration = Duration::from_millis(50);
        let requests = self.requests.as_mut()?;
        let sent = writeln!(requests, "{request}").and_then(|()| requests.flush());
        let mut answer = None;
        let mut left = if sent.is_ok() { patience } else { Duration::ZERO };
        while answer.is_none() && !left.is_zero() && !stop() {
            let step = left.min(STEP);
            answer = match self.answers.recv_timeout(step) {
                Ok(answer) => Some(answer),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            left -= step;
        }
        match answer {
            Some(answer) => Some(answer),
            None => {
                // A late answer must not be taken for the answer to the next request.
                self.requests = None;
                None
            }
        }
    }

    /// The first read of the clock in the child, in ticks of its ruler.
    pub fn first(&mut self) -> Option<u64> {
        self.ask("first")?.trim().parse().ok()
    }
}

/// A batch that nothing is known about: it counts as disturbed, and so towards no figure.
pub(super) const LOST: Batch = Batch { ticks: 0, disturbed: true };

impl Subject for Remote {
    fn batch(&mut self, _: &mut Bench, mode: Mode, reads: u64) -> Batch {
        let asked = self.ask(&format!("batch {} {reads}", mode.name()));
        let parsed = asked.as_deref().and_then(|answer| {
            let (ticks, disturbed) = answer.trim().split_once(' ')?;
            Some(Batch { ticks: ticks.parse().ok()?, disturbed: disturbed != "0" })
        });
        parsed.unwrap_or(LOST)
    }

    fn fill(&mut self, out: &mut [u64]) {
        let asked = self.ask(&format!("fill {}", out.len())).unwrap_or_default();
        let values = asked.split_ascii_whitespace().map_while(|v| v.parse().ok());
        for (place, value) in out.iter_mut().zip(values) {
            *place = value;
        }
    }

    fn span(&mut self, calls: u64) -> u64 {
        let asked = self.ask(&format!("span {calls}"));
        let parsed = asked.and_then(|answer| answer.trim().parse().ok());
        parsed.unwrap_or(0)
    }

    fn around(&mut self, _: &mut Bench, n: u64, v: &[u64]) -> u64 {
        let asked = self.ask(&format!("around {n} {}", v.len()));
        let parsed = asked.and_then(|answer| answer.trim().parse().ok());
        parsed.unwrap_or(0)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // The end of its input ends the child. If it hangs it is killed: no child outlives its
        // owner.
        self.requests = None;
        for _ in 0..20 {
            if let Ok(Some(_)) | Err(_) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How often the empty loop runs before the first request, so that only the clock is new to the
/// process.
const WARM: usize = 16;
/// The most integers that a child sums in an iteration.
const MOST_INTEGERS: usize = 1 << 24;
/// The most values that a child returns at once.
const MOST_VALUES: usize = 1 << 20;

/// The child's side: answers requests from `input` on `output` until there are no more.
///
/// # Errors
/// The clock or the ruler does not exist, or a request is not valid.
pub fn serve(
    id: &str,
    ruler: &str,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<(), String> {
    let ruler = RulerKind::named(ruler).ok_or("no such ruler")?;
    if id == elsewhere::EVERY {
        return elsewhere::serve(ruler, input, output);
    }
    let entry = clocks::find(id).ok_or("no such clock")?;
    let opened = entry.open(Opening::Untouched);
    let mut subject = Local(opened.map_err(|reason| reason.0)?);
    let mut empty = Local(clocks::empty(entry.language));
    let mut bench = Bench::new(ruler);
    let one = |subject: &mut Local, bench: &mut Bench| subject.batch(bench, Mode::Throughput, 1);
    let warm = (0..WARM).map(|_| one(&mut empty, &mut bench).ticks).min();
    let mut say = |answer: String| {
        writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .map_err(|error| error.to_string())
    };
    say("ready".into())?;
    for line in input.lines() {
        let line = line.map_err(|error| error.to_string())?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        let count = |at: usize, most: usize| {
            let n = number(at).and_then(|n| usize::try_from(n).ok());
            n.filter(|n| *n <= most)
        };
        let mode = words.get(1).and_then(|word| Mode::named(word));
        let answer = match (words.first().copied(), mode) {
            (Some("first"), _) => {
                let ticks = one(&mut subject, &mut bench).ticks;
                Some(ticks.saturating_sub(warm.unwrap_or(0)).to_string())
            }
            (Some("batch"), Some(mode)) => number(2).map(|reads| {
                let batch = subject.batch(&mut bench, mode, reads);
                format!("{} {}", batch.ticks, u8::from(batch.disturbed))
            }),
            (Some("fill"), _) => count(1, MOST_VALUES).map(|n| {
                let mut values = vec![0; n];
                subject.fill(&mut values);
                let texts: Vec<String> = values.iter().map(u64::to_string).collect();
                texts.join(" ")
            }),
            (Some("span"), _) => number(1).map(|calls| subject.span(calls).to_string()),
            (Some("around"), _) => number(1).zip(count(2, MOST_INTEGERS)).map(|(n, m)| {
                let values: Vec<u64> = (0..m as u64).collect();
                subject.around(&mut bench, n, &values).to_string()
            }),
            _ => None,
        };
        say(answer.ok_or("not a request")?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(requests: &str) -> Result<Vec<String>, String> {
        let mut output = Vec::new();
        let ruler = RulerKind::here().name();
        serve("rust/instant", ruler, requests.as_bytes(), &mut output)?;
        let text = String::from_utf8(output).expect("text");
        Ok(text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn each_request_is_answered_on_one_line() {
        let answers =
            served("first\nbatch throughput 100\nbatch cold 1\nfill 3\nspan 2\naround 2 10\n")
                .expect("all");
        assert_eq!(answers.len(), 7);
        assert_eq!(answers[0], "ready");
        assert!(answers[1].parse::<u64>().is_ok(), "{answers:?}");
        let (ticks, disturbed) = answers[2].split_once(' ').expect("two words");
        assert!(ticks.parse::<u64>().expect("ticks") > 0 && ["0", "1"].contains(&disturbed));
        let values: Vec<u64> = answers[4].split(' ').map(|v| v.parse().expect("a value")).collect();
        assert!(values.len() == 3 && values.is_sorted());
        assert!(answers[5].parse::<u64>().is_ok(), "{answers:?}");
        assert_eq!(served(""), Ok(vec!["ready".into()]));
    }

    #[test]
    fn what_is_not_a_request_ends_the_child() {
        let much = format!("fill {}", u64::MAX);
        for request in ["nonsense", "batch", "batch warm 1", "batch cold x", "fill -1", &much] {
            assert!(served(&format!("{request}\n")).is_err(), "{request}");
        }
        assert!(serve("no/such", "system", &b""[..], Vec::new()).is_err());
        assert!(serve("rust/instant", "none", &b""[..], Vec::new()).is_err());
    }

    #[test]
    fn an_unrelated_program_is_not_accepted_as_a_child() {
        for program in ["/bin/true", "/bin/cat", "/no/such/program"] {
            let children = Children { program: program.into(), args: Vec::new() };
            assert!(children.start("rust/instant", RulerKind::System).is_none());
        }
    }
}
