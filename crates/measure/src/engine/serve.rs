//! The child's side: it answers the requests of [`children`](super::children) until its standard
//! input ends.
//!
//! A child opens its clock without reading it, so a first read is the first of that clock in a
//! process. For rounds, the system places each process elsewhere in memory, by pages. The length of
//! the child's environment shifts its stack within a page, an allocation shifts its heap, and each
//! process uses another copy of the timed loops.

use super::children::{ChildJob, EVERY, FIRST, PAGE, READY};
use super::machine::{Gauges, Machine};
use super::ruler::{Bench, Ruler, RulerKind};
use super::sampling::{self, sample_around};
use super::schedule::Interrupt;
use super::{Around, Job, Mode, Offer, Pairs, Sampled, Timed};
use chronoscope_probes::clocks::{self, Opening, Reader};
use chronoscope_probes::machine::affinity::{self, PinGuard};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Duration;

/// How often the empty loop runs before the first request, so that only the clock is new to the
/// process.
const WARM: usize = 16;

/// Answers requests for first reads of the clock with this id, or for rounds of every clock, from
/// `input` on `output` until there are no more.
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
    let mut answer = answers(id, ruler)?;
    for line in input.lines() {
        let answer = answer(&line.map_err(|error| error.to_string())?).ok_or("not a request")?;
        let said = writeln!(output, "{answer}").and_then(|()| output.flush());
        said.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A function that answers a request; `None` if the request is not valid.
type Answer = Box<dyn FnMut(&str) -> Option<String>>;

fn answers(id: &str, ruler: RulerKind) -> Result<Answer, String> {
    if id == EVERY {
        // The stack is shifted by up to a page, and the heap by up to sixteen.
        let shift = vec![1u8; fastrand::usize(1..=16 * PAGE)];
        return Ok(Box::new(move |request| {
            black_box(&shift);
            // From bytes, as reports are read: each type of JSON is compiled for one kind of input.
            if let Ok(wanted) = serde_json::from_slice(request.as_bytes()) {
                return serde_json::to_string(&rounds(&wanted, ruler)?).ok();
            }
            let wanted = serde_json::from_slice(request.as_bytes()).ok()?;
            serde_json::to_string(&pairs(&wanted, ruler)?).ok()
        }));
    }
    let entry = clocks::find(id).ok_or("no such clock")?;
    let mut reader = entry.open(Opening::Untouched).map_err(|reason| reason.0)?;
    let mut empty = clocks::empty(entry.language);
    let mut bench = Bench::new(ruler);
    let mut one = move |reader: &mut Reader| bench.batch(reader, Mode::Throughput, 1).ticks;
    let warm = (0..WARM).map(|_| one(&mut empty)).min().unwrap_or(0);
    Ok(Box::new(move |request| match request {
        READY => Some(READY.into()),
        FIRST => Some(one(&mut reader).saturating_sub(warm).to_string()),
        _ => None,
    }))
}

/// Makes the rounds; `None` if the request names subjects that do not exist.
fn rounds(wanted: &ChildJob<Job>, ruler: RulerKind) -> Option<Sampled> {
    let job = &wanted.job;
    let (mut machine, _pin) = machine(wanted, ruler, job.copy)?;
    let subjects = machine.specs().len();
    let known = job.series.iter().all(|wanted| wanted.subject < subjects);
    // The empty loops are at the same places in both processes.
    (known && job.empty < subjects).then(|| sampling::sample(&mut machine, job, |_, _| false))
}

/// Makes the samples; `None` if the request names subjects that do not exist.
fn pairs(wanted: &ChildJob<Around>, ruler: RulerKind) -> Option<Pairs> {
    let job = &wanted.job;
    let (mut machine, _pin) = machine(wanted, ruler, job.copy)?;
    let known = job.subject.max(job.baseline) < machine.specs().len();
    known.then(|| sample_around(&mut machine, job, |_| ()))
}

/// The host for a job, pinned to its CPU; `None` if a subject does not exist here.
fn machine<J>(
    wanted: &ChildJob<J>,
    ruler: RulerKind,
    copy: usize,
) -> Option<(Machine, Option<PinGuard>)> {
    let pin = wanted.cpu.and_then(|cpu| affinity::pin(cpu).ok());
    let entries = wanted.ids.iter().map_while(|id| clocks::find(id));
    let offers: Vec<Offer> = entries.map(Offer::unread).collect();
    let distrust = (ruler == RulerKind::System).then(String::new);
    let ruler = Ruler::new(distrust, Duration::ZERO);
    let mut machine = Machine::new(ruler, offers, Interrupt::default());
    machine.use_copy(copy);
    if wanted.gauges {
        machine.gauges = Gauges::here();
    }
    (machine.specs().len() == wanted.ids.len()).then_some((machine, pin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Wanted;

    fn served(id: &str, requests: &str) -> Result<Vec<String>, String> {
        let mut output = Vec::new();
        serve(id, RulerKind::here().name(), requests.as_bytes(), &mut output)?;
        let text = String::from_utf8(output).expect("text");
        Ok(text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn each_request_is_answered_on_one_line() {
        let answers = served("rust/instant", "ready\nfirst\n").expect("all");
        assert_eq!((answers.len(), answers[0].as_str()), (2, "ready"));
        assert!(answers[1].parse::<u64>().is_ok(), "{answers:?}");
        assert_eq!(served("rust/instant", ""), Ok(Vec::new()));
    }

    #[test]
    fn what_is_not_a_request_ends_the_child() {
        for request in ["nonsense", "first x", "batch", "{}"] {
            assert!(served("rust/instant", &format!("{request}\n")).is_err(), "{request}");
            assert!(served(EVERY, &format!("{request}\n")).is_err(), "{request}");
        }
        assert!(serve("no/such", "system", &b""[..], Vec::new()).is_err());
        assert!(serve("rust/instant", "none", &b""[..], Vec::new()).is_err());
    }

    fn request() -> ChildJob<Job> {
        let ids = ["rust/instant", "empty/C", "empty/C++", "empty/Rust"];
        ChildJob {
            ids: ids.map(str::to_owned).to_vec(),
            cpu: None,
            gauges: true,
            job: Job {
                series: vec![Wanted { subject: 0, mode: Mode::Throughput, reads: 10 }],
                empty: 3,
                budget: Duration::ZERO,
                least: 7,
                most: 20,
                seed: 1,
                copy: 6,
            },
        }
    }

    fn made<J: serde::Serialize>(wanted: &ChildJob<J>) -> Result<Vec<String>, String> {
        served(EVERY, &serde_json::to_string(wanted).expect("JSON"))
    }

    #[test]
    fn a_child_makes_the_rounds_it_is_asked_for() {
        let answers = made(&request()).expect("an answer");
        let sampled: Sampled = serde_json::from_str(&answers[0]).expect("samples");
        assert_eq!((sampled.rounds.len(), sampled.ticks[0].len()), (7, 7));
        assert!(sampled.ticks[0].iter().flatten().all(|ticks| *ticks > 0));
    }

    #[test]
    fn a_child_makes_the_samples_it_is_asked_for() {
        let ChildJob { ids, cpu, gauges, .. } = request();
        let budget = Duration::from_secs(9);
        let job = Around {
            subject: 0,
            baseline: 3,
            samples: 7,
            n: 9,
            m: 9,
            part: 9,
            budget,
            seed: 1,
            copy: 6,
        };
        let mut wanted = ChildJob { ids, cpu, gauges, job };
        let answers = made(&wanted).expect("an answer");
        let pairs: Pairs = serde_json::from_str(&answers[0]).expect("samples");
        assert_eq!((pairs.taken.len(), pairs.cut_short), (7, None));
        wanted.job.subject = 9;
        assert!(made(&wanted).is_err());
    }

    #[test]
    fn subjects_that_do_not_exist_are_refused() {
        let mut wanted = request();
        wanted.job.series[0].subject = 9;
        assert!(made(&wanted).is_err());
        let mut wanted = request();
        wanted.ids.insert(0, "no/such-clock".into());
        assert!(made(&wanted).is_err());
    }
}
