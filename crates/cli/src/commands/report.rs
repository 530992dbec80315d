//! Shows a stored report on any screen and in any format.

use crate::context::{Context, Usage};
use crate::input;
use crate::task::{Code, Job, Run, Screen, Several, Task};
use chronoscope_diagnose::faults;
use chronoscope_model::Report;
use chronoscope_report::format::{self, Format};
use chronoscope_report::section;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// Show a stored report on any screen and in any format.
#[derive(clap::Args)]
pub struct Args {
    /// The file that --json, --export json=PATH or --export html=PATH wrote; '-' is standard input.
    /// A page shows several (-o page.html), and so does a table (-o all.csv).
    #[arg(required = true, value_name = "REPORT.json")]
    files: Vec<PathBuf>,
    /// A screen or a format to show it in. Default: the screen that the run showed.
    #[arg(long = "as", value_name = "SCREEN|FORMAT", value_parser = shapes())]
    shape: Option<Shape>,
    /// Add the runtimes of other reports, for example of other machines.
    #[arg(long, value_name = "REPORT.json")]
    with: Vec<PathBuf>,
}

#[derive(Clone, Copy)]
enum Shape {
    Screen(Screen),
    Format(&'static Format),
}

/// The screens and the formats, each with what it shows.
fn shapes() -> impl TypedValueParser<Value = Shape> {
    let screens = Screen::value_variants().iter().filter_map(Screen::to_possible_value);
    let formats = format::ALL.iter().map(|it| PossibleValue::new(it.id).help(it.about));
    let known = PossibleValuesParser::new(screens.chain(formats));
    known.try_map(|name| {
        let screen = Screen::find(&name).map(Shape::Screen);
        let found = screen.or_else(|| format::find(&name).map(Shape::Format));
        found.ok_or("there is no such screen or format")
    })
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let output = &context.options.output;
        let taken = output.json || output.export.iter().any(|export| export.path.is_none());
        if taken && self.shape.is_some() {
            refuse!(
                "standard output can hold one document: use --as, --json or one \
                        --export FORMAT=-"
            );
        }
        if self.files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
            refuse!("standard input can be read once: name '-' once");
        }
        let mut reports = Vec::new();
        for file in &self.files {
            reports.extend(input::reports(file)?);
        }
        if reports.len() > 1 {
            return self.several(reports, context);
        }
        // Every file holds a report, and one is named at least.
        let (_, mut report) = reports.swap_remove(0);
        report.runtimes.extend(input::runtimes(&self.with)?);
        if let (Some(Shape::Screen(Screen::Doctor)), []) = (self.shape, &*report.checks) {
            (report.findings, report.checks) = faults::examined(&report);
        }
        let (mut text, mut screen) = (None, Screen::of_run(&report));
        match self.shape {
            Some(Shape::Format(format)) => {
                text = Some(self.written(format, &context.options.naming.filed(&report))?);
            }
            Some(Shape::Screen(asked)) => {
                screen = asked;
                // What is written next to it is about the same.
                report.run.screen = Some(asked.name());
            }
            None => {}
        }
        let code = Code::usual(context.options.verbose)?;
        Ok(Job { text, code, ..Job::stored(report, screen) }.into())
    }
}

impl Args {
    /// Several reports, on a page, as one table and in pictures.
    fn several(
        self,
        mut reports: Vec<(String, Report)>,
        context: &Context,
    ) -> anyhow::Result<Task> {
        let output = &context.options.output;
        let number = reports.len();
        let to_stdout = match self.shape {
            Some(Shape::Format(format)) => Some(format.id),
            _ if output.json => Some("json"),
            _ => None,
        };
        let mut asked = to_stdout.into_iter().chain(output.export.iter().map(|it| it.shape.id()));
        let one = |id: &&str| !matches!(*id, "html" | "svg" | "csv");
        let why = if let Some(id) = asked.clone().find(one) {
            format!(
                "{id} holds one report, and these are {number}: a page shows all, -o page.html, \
                 and a table has all, -o all.csv"
            )
        } else if !self.with.is_empty() {
            "--with adds to one report: name the others next to it".into()
        } else if matches!(self.shape, Some(Shape::Screen(_))) || asked.next().is_none() {
            format!(
                "a screen shows one report, and these are {number}: -o page.html writes a page of \
                 all, and `chronoscope compare` shows what differs"
            )
        } else if context.options.verbose {
            return Err(Usage::nothing_more().into());
        } else {
            let names = input::names(&reports);
            reports.iter_mut().zip(names).for_each(|((name, _), short)| *name = short);
            return Ok(Task::Several(Several { reports, to_stdout }));
        };
        Err(Usage(why).into())
    }

    fn written(&self, format: &Format, report: &Report) -> anyhow::Result<String> {
        if format.distributions_only && section::waits::waits_of(report).next().is_none() {
            let (file, id) = (self.files[0].display(), format.id);
            refuse!("{file}: it has no waits, and {id} holds nothing else");
        }
        let mut bytes = Vec::new();
        (format.write)(report, &mut bytes)?;
        // Every format is text.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
