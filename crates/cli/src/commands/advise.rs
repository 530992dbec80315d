//! Which clock or wait should I use, and what is the code?

use crate::context::{Context, Usage};
use crate::input;
use crate::options::Export;
use crate::task::{Code, Job, Measure, Run, Screen, Task};
use chronoscope_diagnose::advise::{self, LANGUAGES, NOT_MEASURED, PURPOSES, Purpose, advise_in};
use chronoscope_model::advice::{Goal, WaitChoice};
use chronoscope_model::packed::{self, packed};
use chronoscope_model::units::{parse_duration, parse_period, short_ns};
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Advice, Environment, Note, Report};
use chronoscope_probes::waits::{Asked, find};
use chronoscope_report::page::embed;
use chronoscope_report::section;
use chronoscope_runtimes::Runtime;
use chronoscope_survey::select::unknown;
use chronoscope_survey::spec::{RuntimeSpec, Spec};
use chronoscope_survey::{Advice as Request, Error, Survey, add_unmeasured};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which clock or wait should I use, and what is the code?
#[derive(clap::Args)]
pub struct Args {
    /// The purpose; see chronoscope list purposes. Default: every purpose of clocks.
    #[arg(long = "for", value_name = "PURPOSE")]
    purpose: Option<String>,
    /// A duration to wait for, such as 1ms. Implies --for wait.
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    wait: Option<String>,
    /// The period of a loop, such as 144Hz or 10ms: code that keeps it. Implies --for wait.
    #[arg(long, value_name = "PERIOD", conflicts_with = "wait")]
    #[arg(value_parser = parse_period, allow_hyphen_values = true)]
    every: Option<Duration>,
    /// With --every, how long the loop computes in each period.
    #[arg(long, value_name = "DURATION", requires = "every", conflicts_with = "from")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    work: Option<Duration>,
    /// What a wait should have least of: overshoot, CPU time, or overshoot under load. Default:
    /// each of them, and code for a wait that wastes no CPU time. Implies --for wait.
    #[arg(long)]
    goal: Option<Goal>,
    /// The language of the code, or all. Default: that of CHRONOSCOPE_LANGUAGE, or C.
    #[arg(long, value_name = "LANG")]
    language: Option<String>,
    /// Measure every runtime of that language that is here. Default: the most usual one.
    #[arg(long, requires = "language", conflicts_with = "from")]
    runtimes: bool,
    /// Advise from an existing report instead of measuring.
    #[arg(long, value_name = "REPORT.json", conflicts_with_all = ["budget", "cpu", "seed"])]
    from: Option<PathBuf>,
    /// Advise for another system, from a report that the tool holds: not measured on your machine.
    #[arg(long, value_name = "SYSTEM", value_enum)]
    #[arg(conflicts_with_all = ["from", "runtimes", "budget", "cpu", "seed"])]
    on: Option<Elsewhere>,
}

/// The other systems that there is code for.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Elsewhere {
    Windows,
    Macos,
    /// Also WSL 2.
    #[value(alias = "wsl")]
    Linux,
    /// A Raspberry Pi and the like: Linux on AArch64.
    #[value(alias = "raspberry-pi")]
    Pi,
}

/// The reports of other systems, as a page holds them; `cargo xtask generate` makes it of
/// `docs/reports`.
const ELSEWHERE: &[u8] = packed!("../elsewhere.html");

impl Elsewhere {
    /// The name of its report, and that of the system.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Windows => ["windows", "Windows"],
            Self::Macos => ["macos", "macOS"],
            Self::Linux => ["linux", "Linux"],
            Self::Pi => ["pi", "Linux on AArch64"],
        }
    }

    /// Its report, with the code of each wait, and the machine that it is of; one that holds only
    /// the name of the system if there is none.
    fn report(self) -> anyhow::Result<(Report, Option<String>)> {
        let [name, os] = self.names();
        let held = embed::held(&packed::bytes(ELSEWHERE)).transpose()?.unwrap_or_default();
        let Some((_, mut report)) = held.into_iter().find(|(known, _)| known == name) else {
            let arch = if self == Self::Macos { "aarch64" } else { "" };
            let environment =
                Environment { os: os.into(), arch: arch.into(), ..Environment::default() };
            let run = chronoscope_model::Run { complete: true, ..Default::default() };
            return Ok((Report { environment, run, ..Report::default() }, None));
        };
        for row in report.waits.iter_mut().filter(|row| row.code.is_empty()) {
            let code =
                find(&row.id).zip(row.requested_ns).and_then(|(entry, ns)| match row.period_ns {
                    Some(period) => entry.paced(period),
                    None => Some(entry.lines(Asked { ns, counter_hz: None })),
                });
            row.code = code.unwrap_or_default();
        }
        (report.findings, report.notes) = (Vec::new(), Vec::new());
        let env = &report.environment;
        let emulated = env.emulated.as_ref().map(|what| format!("emulated: {what}"));
        let parts = [Some(env.os.clone()), env.cpu.model.clone(), emulated];
        if env.emulated.is_some() {
            // It is that of the host.
            report.environment.clocksource = None;
        }
        let machine: Vec<String> = parts.into_iter().flatten().collect();
        let machine = machine.join(", ");
        Ok((report, Some(machine)))
    }

    /// Says of each piece of advice that it is not of this machine, and adds code without figures
    /// in the languages that the report does not have.
    fn mark(
        self,
        report: &mut Report,
        languages: &[&str],
        machine: Option<&str>,
        wait: (Duration, bool),
    ) {
        let os = self.names()[1];
        let why = match machine {
            Some(_) => format!("the report of {os} that is at hand has no figure for it"),
            None => format!("no report of {os} is at hand"),
        };
        if machine.is_none() {
            report.advice = advise::unmeasured(&report.environment, languages, &why);
        }
        add_unmeasured(report, languages, wait, &why);
        for advice in &mut report.advice {
            advice.title = format!("{}, on {os}", advice.title);
            match machine.filter(|_| advice.figure != NOT_MEASURED) {
                Some(machine) => {
                    let of_wine = match machine.contains("Wine") {
                        true => ". Costs and ticks are Wine's, not those of Windows",
                        false => "",
                    };
                    advice.why = format!(
                        "Not measured on your machine, but on {machine}{of_wine}: {}",
                        advice.why
                    );
                }
                None => advice.why = format!("Not measured: {why}."),
            }
        }
    }
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let mut purpose = self.purpose.as_deref().map(purpose).transpose()?;
        let goal = self.goal;
        let parsed = |text| parse_duration(text).map_err(|error| Usage(format!("--wait: {error}")));
        let duration = self.wait.as_deref().map(parsed).transpose()?;
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let wait = Asks { ns: duration.or(self.every).map(ns), paced: self.every.is_some(), goal };
        if wait.ns.is_some() || goal.is_some() {
            if let Some(other) = purpose.filter(|it| !it.is_of_waits()) {
                refuse!("--wait, --every and --goal do not apply to {}", other.id);
            }
            purpose = PURPOSES.iter().copied().find(|it| it.is_of_waits());
        }
        let asked = self.language.as_deref().map(Code::named).transpose()?;
        let code = asked.map_or_else(|| Code::usual(context.options.verbose), Ok)?;
        let (languages, own) = match code {
            Code::All => (LANGUAGES.to_vec(), None),
            Code::In(language) => (vec![language], Some(language)),
        };
        let of_waits = purpose.is_some_and(Purpose::is_of_waits);
        let other = self.on.map(|on| Ok::<_, anyhow::Error>((on, on.report()?))).transpose()?;
        let machine = other.as_ref().and_then(|(_, (_, machine))| machine.clone());
        let job = match (&self.from, other) {
            (_, Some((_, (report, _)))) => Job::stored(report, Screen::Advise),
            (Some(path), None) => {
                let report =
                    from_report(path, purpose, &languages, &context.options.output.export)?;
                known(path, &report, wait)?;
                Job::stored(report, Screen::Advise)
            }
            (None, None) if of_waits => {
                let wait = duration.into_iter().collect();
                let (period, work) = (self.every, self.work);
                let asked = WaitSpec { wait, period, work, ..WaitSpec::default() };
                Job::survey(Survey::new(Request::waits(asked, own)), Screen::Advise)
            }
            (None, None) => {
                let runtimes = runtimes(&languages, self.runtimes);
                // A program of its own reads the clocks of such a language.
                let survey = match own {
                    Some(_) if !runtimes.is_empty() => Survey::of(of_runtimes(runtimes))?,
                    _ => Survey::new(Request::of(purpose)),
                };
                Job::survey(survey, Screen::Advise)
            }
        };
        let amend = move |report: &mut Report, measure: &Measure| {
            let each = runtimes(&languages, true);
            if self.runtimes && own.is_none() && !of_waits {
                report.runtimes = measure(Survey::of(of_runtimes(each))?)?.runtimes;
            }
            report.advice = advise_in(report, &languages);
            let usual = duration.or(self.every).unwrap_or(Duration::from_millis(1));
            let usual = (usual, wait.paced);
            if let Some(on) = self.on {
                on.mark(report, &languages, machine.as_deref(), usual);
            } else if of_waits {
                add_unmeasured(report, &languages, usual, "nothing in this language waited here");
            }
            report.advice.retain(|it| is_for(purpose, it) && wait.is(it));
            if purpose.is_none() && report.waits.is_empty() && self.on.is_none() {
                report.notes.push(Note {
                    id: "waits-not-measured".into(),
                    about: Some("waits".into()),
                    text: "no waits were measured, so there is no advice on them".into(),
                    fix: "chronoscope advise --for wait".into(),
                });
            }
            if let Some(code) = asked {
                // What was asked for is left out of the report too; otherwise only screens are
                // short.
                code.retain(report);
            }
            Ok(())
        };
        Ok(Job { code, distributions: of_waits, amend: Some(Box::new(amend)), ..job }.into())
    }
}

fn purpose(wanted: &str) -> Result<&'static Purpose, Error> {
    let ids = PURPOSES.iter().map(|purpose| purpose.id);
    advise::find(wanted).ok_or_else(|| unknown("purpose", ids, wanted))
}

fn is_for(purpose: Option<&Purpose>, advice: &Advice) -> bool {
    purpose.is_none_or(|purpose| purpose.id == advice.purpose)
}

/// What is asked about waits: a duration, or the period of a loop, and a goal.
#[derive(Clone, Copy)]
struct Asks {
    ns: Option<u64>,
    paced: bool,
    goal: Option<Goal>,
}

impl Asks {
    /// Whether advice answers this.
    fn is(self, advice: &Advice) -> bool {
        let is = |of: &WaitChoice| {
            self.ns.is_none_or(|ns| (ns, self.paced) == (of.requested_ns, of.paced.is_some()))
                && self.goal.is_none_or(|goal| goal == of.goal)
        };
        // Code without figures is for no goal.
        let all = self.ns.is_none() && self.goal.is_none();
        all || advice.wait.as_ref().map_or(advice.purpose == "wait", is)
    }
}

/// Refuses a duration or a goal for which a report has no waits, and names those next to it.
fn known(path: &Path, report: &Report, asks: Asks) -> Result<(), Usage> {
    if asks.ns.is_none() && asks.goal.is_none() || report.advice.iter().any(|it| asks.is(it)) {
        return Ok(());
    }
    let missing = |what: String| Err(Usage(format!("{}: it has no waits {what}", path.display())));
    let of_goal = report.advice.iter().filter(|it| Asks { ns: None, ..asks }.is(it));
    let choices = of_goal.filter_map(|advice| advice.wait.as_ref());
    let choices = choices.filter(|choice| choice.paced.is_some() == asks.paced);
    let durations: BTreeSet<u64> = choices.map(|choice| choice.requested_ns).collect();
    let name = |ns: &u64| short_ns(*ns as f64);
    if asks.paced && durations.is_empty() {
        return missing("with a period; `chronoscope waits --period` measures some".into());
    }
    let Some(ns) = asks.ns.filter(|_| !durations.is_empty()) else {
        return missing(
            "under a load; `chronoscope waits --load none,normal --export json=PATH` writes a \
             report that has"
                .into(),
        );
    };
    let nearest = [durations.range(..ns).next_back(), durations.range(ns..).next()];
    let nearest: Vec<String> = nearest.into_iter().flatten().map(name).collect();
    missing(format!("of {}; the nearest are of {}", name(&ns), nearest.join(" and ")))
}

/// The runtimes of these languages: of each the most usual one that is here, or every one. If none
/// is here, every one too, for the reasons.
fn runtimes(languages: &[&str], every: bool) -> Vec<String> {
    let of = |language: &&str| {
        let native = ["C", "C++", "Rust"].contains(language);
        let all = chronoscope_runtimes::ALL.iter().filter(|it| !native && it.language == *language);
        let all: Vec<&Runtime> = all.copied().collect();
        let usual = all.iter().find(|it| it.find_ways(None).is_ok()).filter(|_| !every);
        usual.map_or(all.clone(), |usual| vec![*usual])
    };
    languages.iter().flat_map(of).map(|it| it.id.to_owned()).collect()
}

fn of_runtimes(ids: Vec<String>) -> Spec {
    Spec::Runtimes(RuntimeSpec { ids, ..RuntimeSpec::default() })
}

/// Reads a report, and adds the advice that follows from its contents.
fn from_report(
    path: &Path,
    purpose: Option<&Purpose>,
    languages: &[&str],
    exports: &[Export],
) -> Result<Report, Usage> {
    let mut report = input::report(path)?;
    let refuse = |what: String| Err(Usage(format!("{}: {what}", path.display())));
    report.advice = advise_in(&report, languages);
    if !report.advice.iter().any(|advice| is_for(purpose, advice)) {
        let (what, how) = match purpose.map(Purpose::is_of_waits) {
            Some(true) => ("no waits", "chronoscope waits"),
            Some(false) => ("no clocks", "chronoscope clocks"),
            None => ("neither clocks nor waits", "chronoscope"),
        };
        return refuse(format!(
            "it has {what} to advise from; `{how} --export json=PATH` writes a report that has"
        ));
    }
    let none = section::waits::waits_of(&report).next().is_none();
    match exports.iter().find(|export| export.shape.distributions_only() && none) {
        Some(export) => {
            refuse(format!("it has no waits, and {} holds nothing else", export.shape.id()))
        }
        None => Ok(report),
    }
}
