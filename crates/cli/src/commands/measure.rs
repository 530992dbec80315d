//! The commands that measure one thing, the screen without a command, the page that measures a
//! browser, and the demonstrations of what goes wrong when time is measured carelessly.

use crate::context::Context;
use crate::output::{self, write_whole};
use crate::task::{Job, Run, Screen, Task};
use crate::{input, options};
use chronoscope_measure::taken;
use chronoscope_model::units::short_ns;
use chronoscope_probes::clocks;
use chronoscope_report::page::browser;
use chronoscope_report::text::{self, ListRow, Page};
use chronoscope_report::{json, terms};
use chronoscope_survey::demo::{DEMOS, Demo, Shown, TIME};
use chronoscope_survey::spec::{
    CallSpec, ClockSpec, DeltaSpec, NoiseSpec, OverheadSpec, RuntimeSpec, Spec, SweepSpec,
    TrustSpec,
};
use chronoscope_survey::{Brief, Error, Hardware, Summary, Survey, may_measure, select};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

impl Run for ClockSpec {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let without_peers = self.peers && !clocks::WITH_PEERS;
        let task = Task::measure(Spec::Clocks(self), Screen::Clocks)?;
        if without_peers {
            context.warn(
                "--peers: this build does not include other libraries; build with --features peers",
            );
        }
        Ok(task)
    }
}

impl Run for CallSpec {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Task::measure(Spec::Calls(self), Screen::Calls)
    }
}

impl Run for DeltaSpec {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Task::measure(Spec::Deltas(self), Screen::Deltas)
    }
}

/// Is this machine fit to measure on, and what makes samples vary?
///
/// Times the same millisecond of work again and again, as a benchmark does, each time with a
/// witness that sees whether something came in between. With a command, runs that as it is, and
/// says on standard error which part of its time was taken, by whom and when; the exit code is the
/// command's.
#[derive(clap::Args)]
pub struct NoiseArgs {
    #[command(flatten)]
    spec: NoiseSpec,
    /// The command to watch, after '--'.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Run for NoiseArgs {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        if self.command.is_empty() {
            return Task::measure(Spec::Noise(self.spec), Screen::Noise);
        }
        let survey = Survey::new(taken::Request { command: self.command });
        let job = Job {
            aside: true,
            outcome: |report| {
                let watched = report.watched.as_ref();
                let nothing = || Error::Nothing("the command was not watched to its end".into());
                let watched = watched.ok_or_else(nothing)?;
                // As shells do: 128 and the number of the signal.
                let signal = watched.signal.map(|signal| 128 + signal);
                let code = watched.exit_code.or(signal).unwrap_or(1);
                Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
            },
            ..Job::survey(survey, Screen::Noise)
        };
        Ok(job.into())
    }
}

impl Run for OverheadSpec {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Task::measure(Spec::Overhead(self), Screen::Overhead)
    }
}

impl Run for SweepSpec {
    fn task(mut self, _: &Context) -> anyhow::Result<Task> {
        // The option without an id stands for all of them.
        if let Some(ids) = &mut self.runtimes {
            ids.retain(|id| !id.is_empty());
        }
        Task::measure(Spec::Sweep(self), Screen::Sweep)
    }
}

/// Which timers, which clock source of the kernel, which hypervisor?
#[derive(clap::Args)]
pub struct HardwareArgs {}

impl Run for HardwareArgs {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Ok(Job::survey(Survey::new(Hardware), Screen::Hardware).into())
    }
}

/// What do my language's clocks cost on this machine, compared with C?
#[derive(clap::Args)]
pub struct RuntimesArgs {
    #[command(flatten)]
    spec: RuntimeSpec,
    /// Add the runtimes of another report.
    #[arg(long, value_name = "REPORT.json")]
    with: Vec<PathBuf>,
}

impl Run for RuntimesArgs {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        // Before anything is measured: a wrong file is noticed at once.
        let others = input::runtimes(&self.with)?;
        let survey = Survey::of(Spec::Runtimes(self.spec))?;
        let job = Job {
            amend: Some(Box::new(|report, _| {
                report.runtimes.extend(others);
                Ok(())
            })),
            outcome: |report| {
                let mut runtimes = report.runtimes.iter();
                let measured = runtimes.find(|runtime| runtime.is_measured_elsewhere());
                let nothing = || Error::Nothing("no runtime could be measured".into());
                measured.map(|_| ExitCode::SUCCESS).ok_or_else(nothing)
            },
            ..Job::survey(survey, Screen::Runtimes)
        };
        Ok(job.into())
    }
}

/// The least time in which anything can be seen: ten looks at all clocks.
const LEAST_WATCHED: Duration = Duration::from_millis(100);

/// Does a clock go backwards, agree between CPUs, and keep its rate?
#[derive(clap::Args)]
pub struct TrustArgs {
    #[command(flatten)]
    spec: TrustSpec,
    /// Write the report to this file once per second, so that it survives whatever ends the run.
    /// The file must not exist yet.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Continue the run whose report or checkpoint this is, on the same boot of the machine, and
    /// keep it up to date. Default: for the time that was left, or as long again.
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["ids", "checkpoint", "budget", "against"])]
    resume: Option<PathBuf>,
}

impl Run for TrustArgs {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let time = self.spec.duration.or(context.options.measuring.budget);
        if let Some(time) = time.filter(|time| *time < LEAST_WATCHED) {
            let [time, least] = [time, LEAST_WATCHED].map(|time| short_ns(time.as_nanos() as f64));
            refuse!("{time} is too short to see anything: it takes at least {least}");
        }
        let of = |against: bool| if against { Screen::Against } else { Screen::Trust };
        let mut screen = of(self.spec.against.is_some());
        if let Some(path) = &self.checkpoint {
            output::new_checkpoint(path, "continue its run with `chronoscope trust --resume {}`")?;
        }
        let survey = match &self.resume {
            Some(path) => {
                let duration = self.spec.duration;
                output::resumed(path, |report| {
                    screen = of(report.against.is_some());
                    Survey::watch_on(report, duration)
                })?
            }
            None => Survey::of(Spec::Trust(self.spec))?,
        };
        let checkpoint = self.checkpoint.or(self.resume);
        Ok(Job { checkpoint, ..Job::survey(survey, screen) }.into())
    }
}

/// What applies without a command.
#[derive(clap::Args)]
#[command(next_help_heading = "Options without a command")]
pub struct SummaryArgs {
    /// Measure only these clocks: ids, prefixes or globs, separated by commas.
    #[arg(long, value_name = "IDS", value_delimiter = ',', conflicts_with = "brief")]
    only: Vec<String>,
    /// Measure all clocks, in 12 s, instead of those that programs commonly read and that advice
    /// needs.
    #[arg(long, conflicts_with_all = ["only", "brief"])]
    all: bool,
    /// Measure no waits.
    #[arg(long)]
    no_waits: bool,
    /// Show two lines to paste into a bug report, after 2 s.
    #[arg(long)]
    brief: bool,
}

impl Run for SummaryArgs {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let waits = !self.no_waits;
        let (survey, screen) = if self.brief {
            (Survey::new(Brief { waits }), Screen::Brief)
        } else {
            let some = self.all || !self.only.is_empty();
            let clocks = some.then(|| select::clocks(&self.only, false)).transpose()?;
            (Survey::new(Summary { clocks, waits }), Screen::Summary)
        };
        Ok(Job { distributions: waits, ..Job::survey(survey, screen) }.into())
    }
}

/// Write a page that measures the browser that opens it.
#[derive(clap::Args)]
pub struct BrowserArgs {
    /// The page; '-' is standard output.
    #[arg(long, short = 'o', value_name = "FILE", default_value = "chronoscope-browser.html")]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
    /// Serve the page on this machine instead, with the headers that isolate it: an isolated page
    /// has finer clocks and shared memory.
    #[cfg(feature = "serve")]
    #[arg(long, conflicts_with = "output")]
    serve: bool,
    /// The port of 127.0.0.1 to serve on. Default: a free one.
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "N", requires = "serve", allow_hyphen_values = true)]
    #[arg(value_parser = chronoscope_model::units::parse_whole::<u16>)]
    port: Option<u16>,
}

impl Run for BrowserArgs {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let page = browser::page(env!("CARGO_PKG_VERSION"));
        #[cfg(feature = "serve")]
        if self.serve {
            let port = self.port.unwrap_or(0);
            return Ok(Task::Lasting(Box::new(move |_| serve_page(port, page))));
        }
        if self.output == Path::new("-") {
            return Ok(Task::document(Vec::new(), page));
        }
        write_whole(&self.output, page.as_bytes())?;
        let text = format!("Wrote {}: open it in a browser.\n", self.output.display());
        Ok(Task::document(Vec::new(), text))
    }
}

/// Answers with the page until a signal, which is how this is meant to end.
#[cfg(feature = "serve")]
fn serve_page(port: u16, page: String) -> anyhow::Result<ExitCode> {
    use crate::context::Stop;
    use anyhow::Context as _;
    use chronoscope_fleet::http::Server;
    use std::io::Write;
    use std::net::{Ipv4Addr, SocketAddr};

    let stop = Stop::on_signals()?;
    let place = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let server =
        Server::bind(place).with_context(|| format!("cannot listen on {place} (--port)"))?;
    let address = server.address()?;
    // If standard error is closed, nobody reads it.
    let _ = writeln!(std::io::stderr(), "Open http://{address}/ in a browser; Ctrl-C ends");
    server.answer_page(page, || stop.interrupt.is_set())?;
    Ok(ExitCode::SUCCESS)
}

/// Show what goes wrong when time is measured carelessly.
#[derive(clap::Args)]
pub struct DemoArgs {
    /// What to show; list: what can be shown.
    #[arg(default_value = "list", value_name = "NAME")]
    name: String,
    /// For how long. Default: 1s.
    #[arg(long, value_name = "DURATION", value_parser = options::budget)]
    #[arg(allow_hyphen_values = true)]
    budget: Option<Duration>,
}

impl Run for DemoArgs {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        if self.name == "list" {
            let rows: Vec<ListRow> = DEMOS.iter().map(demo_row).collect();
            let text = text::list("Demonstrations", &rows, context.detail(), &context.style);
            return Ok(Task::document(json::list("demos", &rows)?, text));
        }
        may_measure()?;
        let known = DEMOS.iter().find(|demo| demo.name.eq_ignore_ascii_case(&self.name));
        let Some(demo) = known else {
            let names = DEMOS.iter().map(|demo| demo.name).chain(["list"]);
            return Err(select::unknown("demo", names, &self.name).into());
        };
        let shown = (demo.run)(self.budget.unwrap_or(TIME));
        let shown = shown.map_err(|why| Error::Nothing(format!("{}: {why}", demo.name)))?;
        let json = json::demo(demo.name, shown.happened, &shown.what, &shown.figures)?;
        let text = text::explain(&demo_page(demo, &shown), &context.style);
        Ok(Task::document(json, text))
    }
}

/// The page on a demonstration; its text states what it is about.
fn about_demo(demo: &Demo) -> Page {
    terms::find(demo.name).first().map(|page| Page::from(*page)).unwrap_or_default()
}

fn demo_row(demo: &Demo) -> ListRow {
    let text = about_demo(demo).body;
    let first = text.split_once(". ").map_or(&*text, |(first, _)| first);
    ListRow::plain(demo.name, &format!("{first}."))
}

/// The page with what happened.
fn demo_page(demo: &Demo, shown: &Shown) -> Page {
    let mut page = about_demo(demo);
    let outcome = if shown.happened { "It happened here" } else { "It did not happen here" };
    page.body = format!("{}\n\n{outcome}. {}", page.body, shown.what);
    page
}
