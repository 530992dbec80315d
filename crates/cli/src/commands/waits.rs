//! How precisely can I wait here?

use crate::context::{Context, Usage};
use crate::output;
use crate::task::{Amend, Job, Measure, Run, Screen, Task};
use chronoscope_model::units::{parse_count, parse_duration, short_ns};
use chronoscope_model::waits::StoppedBy;
use chronoscope_model::{Note, Report};
use chronoscope_survey::{Spec, Survey, WaitSpec};
use clap::builder::ArgPredicate;
use clap::{Args as _, Id};
use std::path::PathBuf;
use std::process::ExitCode;

/// How precisely can I wait here?
///
/// For users of cyclictest: `-p` is --priority, `-i` is --period, `-l` is --count, `-a` is --cpu,
/// and `-h` is --style bins. `cyclictest -p 40 -i 1000 -l 1000 -h 400` becomes `chronoscope waits
/// linux/clock_nanosleep-abs --priority 40 --period 1ms --count 1000 --style bins`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    spec: WaitSpec,
    /// Write the report to this file once per second, so that it survives whatever ends the run.
    /// It must not exist yet.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Resume from this checkpoint with its original options, and keep it up to date.
    #[arg(long, value_name = "FILE", conflicts_with_all = not_with_resume())]
    resume: Option<PathBuf>,
    /// How the table is drawn.
    #[arg(long, value_enum, default_value_t, value_name = "STYLE")]
    #[arg(default_value_if("preset", ArgPredicate::IsPresent, "ticks"))]
    style: Style,
}

/// How the table is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    /// Overshoot with its percentiles.
    #[default]
    Table,
    /// MIN, AVG, MAX and MAX OVER in ticks of 100 ns, those of QPC.
    #[value(alias = "seed")]
    Ticks,
    /// The table, and each row's overshoots in bins of 1 us, as cyclictest -h counts them.
    Bins,
}

/// The options that conflict with `--resume`, because the checkpoint holds those that the run was
/// started with. How the result is shown is not among them.
fn not_with_resume() -> Vec<Id> {
    let spec = WaitSpec::augment_args(clap::Command::default());
    let asked = spec.get_arguments().map(|arg| arg.get_id().clone());
    asked.chain(["checkpoint", "budget", "cpu", "seed"].map(Id::from)).collect()
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let checkpoint = self.checkpoint_file(context);
        if let Some(path) = &self.checkpoint {
            output::new_checkpoint(path, "resume its run with `chronoscope waits --resume {}`")?;
        }
        let screen = match self.style {
            Style::Table => Screen::Waits,
            Style::Ticks => Screen::Ticks,
            Style::Bins => Screen::Bins,
        };
        let mut spec = self.spec;
        let read = read_numbers(&mut spec)?;
        let survey = match &self.resume {
            Some(path) => output::resumed(path, Survey::resume)?,
            None => Survey::of(Spec::Waits(spec))?,
        };
        let job = Job {
            amend: read.map(|text| {
                let id = "read-as-ms".into();
                let note = Note { id, text, ..Note::default() };
                Box::new(|report: &mut Report, _: &Measure| {
                    report.notes.push(note);
                    Ok(())
                }) as Box<Amend>
            }),
            distributions: true,
            checkpoint,
            outcome: |report| {
                let above = report.waits.iter().any(|wait| wait.stopped_by == StoppedBy::Limit);
                Ok(ExitCode::from(u8::from(above)))
            },
            ..Job::survey(survey, screen)
        };
        Ok(job.into())
    }
}

impl Args {
    /// Where the checkpoint goes: to the file asked for, to the checkpoint that is resumed, or to
    /// the file that a long run exports its report to.
    fn checkpoint_file(&self, context: &Context) -> Option<PathBuf> {
        let export = || {
            let mut exports = context.options.output.export.iter();
            exports.find(|e| e.shape.id() == "json")?.path.clone()
        };
        let asked = self.checkpoint.clone().or_else(|| self.resume.clone());
        asked.or_else(|| self.spec.duration.and_then(|_| export()))
    }
}

/// Takes plain numbers out of the ids, and returns how they were read: as the wait in milliseconds
/// and the number of passes, as programs take them that compare waits on Windows.
///
/// # Errors
/// A number is out of range or one too many, or ids stand next to an option that chooses the
/// methods.
fn read_numbers(spec: &mut WaitSpec) -> Result<Option<String>, Usage> {
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let (numbers, ids): (Vec<String>, Vec<String>) = spec.ids.drain(..).partition(is_number);
    spec.ids = ids;
    if let Some(time) = spec.ids.iter().find(|id| parse_duration(id).is_ok()) {
        return Err(Usage(format!("'{time}' is not a method: write --wait {time}")));
    }
    let chooses = [("--all", spec.all), ("--preset", spec.preset.is_some())];
    if let (Some((option, _)), [id, ..]) = (chooses.iter().find(|it| it.1), &spec.ids[..]) {
        refuse!("{option} chooses the methods: leave out {option} or '{id}'");
    }
    let mut read = Vec::new();
    if let Some(ms) = numbers.first() {
        if !spec.wait.is_empty() || spec.period.is_some() {
            refuse!(
                "{ms} would be the wait in milliseconds, but an option sets it: use --count for \
                 the number of waits"
            );
        }
        let wait = parse_duration(&format!("{ms}ms")).map_err(|error| Usage(error.to_string()))?;
        let (plain, shown) = (format!("{ms} ms"), short_ns(wait.as_nanos() as f64));
        let other = if plain == shown { String::new() } else { format!(" ({shown})") };
        spec.wait.push(wait);
        read.push(format!("{ms} is read as {plain}{other}"));
    }
    if let Some(count) = numbers.get(1) {
        if spec.count.is_some() {
            refuse!("{count} would be the number of waits, but --count sets it");
        }
        let parsed = parse_count(count).map_err(|error| Usage(format!("{count}: {error}")))?;
        spec.count = Some(parsed);
        read.push(format!("{parsed} waits"));
    }
    if let Some(third) = numbers.get(2) {
        refuse!("{third} is one number too many: a wait in milliseconds and a count");
    }
    Ok((!read.is_empty()).then(|| read.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn asked(ids: &[&str], wait: &[Duration]) -> Result<(WaitSpec, Option<String>), String> {
        let ids = ids.iter().map(ToString::to_string).collect();
        let mut spec = WaitSpec { ids, wait: wait.to_vec(), ..WaitSpec::default() };
        let read = read_numbers(&mut spec).map_err(|error| error.0)?;
        Ok((spec, read))
    }

    #[test]
    fn numbers_are_a_wait_in_milliseconds_and_a_count() {
        for ids in [&["10", "500"][..], &["10", "linux/*", "500"], &["linux/*", "10", "500"]] {
            let (spec, read) = asked(ids, &[]).expect("two numbers");
            assert_eq!((&spec.wait[..], spec.count), (&[Duration::from_millis(10)][..], Some(500)));
            assert_eq!(spec.ids.len(), ids.len() - 2);
            assert_eq!(read.as_deref(), Some("10 is read as 10 ms; 500 waits"));
        }
        let (spec, read) = asked(&["0.5"], &[]).expect("one number");
        assert_eq!((&spec.wait[..], spec.count), (&[Duration::from_micros(500)][..], None));
        assert_eq!(read.as_deref(), Some("0.5 is read as 0.5 ms (500 us)"));
        let wait = [Duration::from_micros(20)];
        assert_eq!(asked(&["linux/*"], &wait).expect("an option").1, None);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_in_one_line() {
        for (ids, wait, word) in [
            (&["10", "500", "3"][..], &[][..], "too many"),
            (&["0"], &[], "above zero"),
            (&["10", "0.5"], &[], "0.5"),
            (&["500"], &[Duration::from_millis(10)], "--count"),
        ] {
            let error = asked(ids, wait).expect_err(word);
            assert!(error.contains(word) && !error.contains('\n'), "{error}");
        }
    }
}
