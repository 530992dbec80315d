//! Rounds that another process makes: a child of this tool that reads every clock of the run. The
//! request is a `There` and the answer a [`Sampled`], each as JSON on one line.
//!
//! The system places each process elsewhere in memory, by pages. The length of the child's
//! environment shifts its stack within a page, an allocation shifts its heap, and each process uses
//! another copy of the timed loops.

use super::machine::Machine;
use super::remote::{Children, Remote};
use super::ruler::{Ruler, RulerKind};
use super::sampling::{self, Job, Sampled};
use super::subject::Offer;
use super::time::Interrupt;
use chronoscope_probes::clocks;
use chronoscope_probes::machine::affinity;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Duration;

/// What stands for the id of a clock in the arguments of such a child.
pub(super) const EVERY: &str = "*";

/// What the child must do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct There {
    /// The ids of all subjects; those that are not in the catalogue are empty loops.
    pub ids: Vec<String>,
    /// The CPU to measure on.
    pub cpu: Option<usize>,
    /// Whether the core can be gauged.
    pub gauges: bool,
    /// The rounds.
    pub job: Job,
}

/// The time that a child may take for anything but its rounds, and for rounds that take longer than
/// their budget.
const PATIENCE: Duration = Duration::from_secs(10);
/// The stack is shifted by up to a page, and the heap by up to sixteen.
const PAGE: usize = 4096;

impl Children {
    /// Lets a child make these rounds; `None` if it fails or `stop` says so.
    pub(super) fn sample(
        &self,
        there: &There,
        ruler: RulerKind,
        stop: impl Fn() -> bool,
    ) -> Option<Sampled> {
        let padding = " ".repeat(fastrand::usize(1..=PAGE));
        let mut child: Remote = self.connect(EVERY, ruler, &padding)?;
        let request = serde_json::to_string(there).ok()?;
        let patience = there.job.budget.mul_f64(1.5) + PATIENCE;
        let answer = child.ask_patiently(&request, patience, stop)?;
        let sampled: Sampled = serde_json::from_str(&answer).ok()?;
        let rounds = sampled.rounds.len();
        let whole = sampled.ticks.len() == there.job.series.len()
            && sampled.ticks.iter().all(|ticks| ticks.len() == rounds);
        whole.then_some(sampled)
    }
}

/// The child's side.
///
/// # Errors
/// A request is not valid.
pub(super) fn serve(
    ruler: RulerKind,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<(), String> {
    let shift = vec![1u8; fastrand::usize(1..=16 * PAGE)];
    black_box(&shift);
    let mut say = |answer: &str| {
        writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .map_err(|error| error.to_string())
    };
    say("ready")?;
    for line in input.lines() {
        let line = line.map_err(|error| error.to_string())?;
        let there: There = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let sampled = sample(&there, ruler).ok_or("not a request")?;
        say(&serde_json::to_string(&sampled).map_err(|error| error.to_string())?)?;
    }
    Ok(())
}

/// Makes the rounds; `None` if they name subjects that do not exist.
fn sample(there: &There, ruler: RulerKind) -> Option<Sampled> {
    let _pin = there.cpu.and_then(|cpu| affinity::pin(cpu).ok());
    let entries = there.ids.iter().map_while(|id| clocks::find(id));
    let offers: Vec<Offer> = entries.map(|e| Offer::unread(e, there.job.copy)).collect();
    let distrust = (ruler == RulerKind::System).then(String::new);
    let mut machine =
        Machine::new(Ruler::new(distrust, Duration::ZERO), offers, Interrupt::default())
            .with_copy(there.job.copy);
    if there.gauges {
        machine = machine.with_gauges();
    }
    let subjects = machine.specs().len();
    let job = &there.job;
    let known = job.series.iter().all(|wanted| wanted.subject < subjects);
    // The empty loops are in the same places in both processes.
    let alike = subjects == there.ids.len() && job.empty < subjects;
    (known && alike).then(|| sampling::sample(&mut machine, job, |_, _| false))
}

#[cfg(test)]
mod tests {
    use super::super::host::Mode;
    use super::super::sampling::Wanted;
    use super::*;

    fn request() -> There {
        let ids = ["rust/instant", "empty/C", "empty/C++", "empty/Rust"];
        There {
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

    fn served(there: &There) -> Result<Vec<String>, String> {
        let text = serde_json::to_string(there).expect("JSON");
        let mut output = Vec::new();
        serve(RulerKind::here(), text.as_bytes(), &mut output)?;
        let text = String::from_utf8(output).expect("text");
        Ok(text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn a_child_makes_the_rounds_it_is_asked_for() {
        let answers = served(&request()).expect("an answer");
        assert_eq!(answers[0], "ready");
        let sampled: Sampled = serde_json::from_str(&answers[1]).expect("samples");
        assert_eq!((sampled.rounds.len(), sampled.ticks[0].len()), (7, 7));
        assert!(sampled.ticks[0].iter().flatten().all(|ticks| *ticks > 0));
    }

    #[test]
    fn subjects_that_do_not_exist_are_refused() {
        let mut there = request();
        there.job.series[0].subject = 9;
        assert!(served(&there).is_err());
        let mut there = request();
        there.ids.insert(0, "no/such-clock".into());
        assert!(served(&there).is_err());
    }
}
