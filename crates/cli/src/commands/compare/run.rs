//! Two commands that take turns.

use super::Args;
use super::children::Child;
use crate::context::Context;
use crate::error::Usage;
use crate::progress::Progress;
use crate::stop::Stop;
use crate::task::Task;
use chronoscope_diagnose::compare::pairs::{LEAST, MOST, Runs, pairs};
use chronoscope_measure::engine::child::INTERRUPTED;
use chronoscope_model::Report;
use chronoscope_model::compare::Compared;
use chronoscope_probes::time::Instant;
use chronoscope_survey::Progress as State;
use std::cell::Cell;
use std::time::Duration;

/// How often the progress is shown while a command runs.
const SHOWN: Duration = Duration::from_secs(1);

pub fn task(args: Args) -> anyhow::Result<Task> {
    let [a, b] = &args.run[..] else {
        let line = "--run needs two commands: give it twice, once for A and once for B";
        return Err(Usage(line.into()).into());
    };
    if !(LEAST..=MOST).contains(&args.pairs) {
        let line = format!(
            "--pairs must be from {LEAST} to {MOST}: fewer could not tell a change from chance"
        );
        return Err(Usage(line).into());
    }
    let children = [Child::of(a)?, Child::of(b)?];
    Ok(Task::Later(Box::new(move |stop, context| {
        let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
        let turns = Turns {
            children,
            pairs: args.pairs,
            timeout: args.timeout,
            stop,
            context,
            progress: Progress::new(context.options.output.quiet),
            began: Instant::now(),
            complete: Cell::new(0),
        };
        // Their reports are not kept.
        super::shown(judged(turns.measured(seed)?, seed)?, Vec::new(), &args, context)
    })))
}

/// What changed from A to B.
///
/// # Errors
/// They have no figure in common.
fn judged([a, b]: [Runs; 2], seed: u64) -> anyhow::Result<Compared> {
    let compared = pairs(a, b, seed);
    if compared.change.as_ref().is_some_and(|change| !change.rows.is_empty()) {
        return Ok(compared);
    }
    let line = "the two have no figure in common: use one command of this tool in both";
    Err(Usage(line.into()).into())
}

fn add(runs: &mut [Runs; 2], pair: [Report; 2]) {
    runs.iter_mut().zip(pair).for_each(|(runs, report)| runs.add(report));
}

/// Runs that are made, one at a time.
struct Turns<'a> {
    children: [Child; 2],
    pairs: u32,
    timeout: Duration,
    stop: &'a Stop,
    context: &'a Context,
    progress: Progress,
    began: Instant,
    /// How many runs are complete.
    complete: Cell<u32>,
}

impl Turns<'_> {
    /// Makes all pairs, or as many as are complete when a run fails or the user asks to stop.
    ///
    /// # Errors
    /// The commands do not work, or too few pairs are complete.
    fn measured(&self, seed: u64) -> anyhow::Result<[Runs; 2]> {
        // Whether both work is known before the first pair, and their files are in memory.
        let tried = self.pair("trying both", false).map_err(Usage)?;
        let mut runs = self.none();
        add(&mut runs, tried);
        judged(runs, seed)?;
        let mut order = fastrand::Rng::with_seed(seed);
        let mut runs = self.none();
        for complete in 0..self.pairs {
            let what = format!("pair {} of {}", complete + 1, self.pairs);
            match self.pair(&what, order.bool()) {
                Ok(pair) => add(&mut runs, pair),
                Err(why) => {
                    let told = format!("{why}; {complete} of {} pairs are complete", self.pairs);
                    if complete < LEAST {
                        return Err(Usage(format!("{told}, and {LEAST} are needed")).into());
                    }
                    self.progress.suspend(|| self.context.warn(&told));
                    break;
                }
            }
        }
        Ok(runs)
    }

    fn none(&self) -> [Runs; 2] {
        self.children.each_ref().map(|child| Runs::new(&child.text))
    }

    /// Runs both, B first if they are `swapped`.
    fn pair(&self, what: &str, swapped: bool) -> Result<[Report; 2], String> {
        let [a, b] = self.children.each_ref().map(|child| || self.run(child, what));
        if swapped {
            let b = b()?;
            return Ok([a()?, b]);
        }
        Ok([a()?, b()?])
    }

    fn run(&self, child: &Child, what: &str) -> Result<Report, String> {
        let began = Instant::now();
        let shown = Cell::new(None::<Instant>);
        let stop = || {
            if shown.get().is_none_or(|at| at.elapsed() > SHOWN) {
                shown.set(Some(Instant::now()));
                self.show(what, began);
            }
            self.stop.interrupt.is_set()
        };
        stop();
        let report = child.report(self.timeout, &stop).map_err(|why| match why.as_str() {
            INTERRUPTED => why,
            _ => format!("--run `{}`: {why}", child.text),
        })?;
        self.complete.set(self.complete.get() + 1);
        Ok(report)
    }

    /// Shows the share of the runs that is done: all take about as long as those before.
    fn show(&self, what: &str, began: Instant) {
        let complete = f64::from(self.complete.get());
        let each = (began - self.began).as_secs_f64() / complete;
        let part = (began.elapsed().as_secs_f64() / each).min(1.0);
        let done = if complete > 0.0 { complete + part } else { 0.0 };
        self.progress.show(State::Phase(what, done / f64::from(2 + 2 * self.pairs)));
    }
}
