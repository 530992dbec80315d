//! The options that several commands take, in groups. `commands!` states which groups a command
//! takes, so its help shows no others, and clap refuses them.
//!
//! A group has no doc comment, because clap would take it for the description of the command.

use chronoscope_diagnose::faults;
use chronoscope_model::units::parse_whole;
use chronoscope_model::{About, Finding, Level, Report, units};
use chronoscope_report::format::{self, Format};
use chronoscope_survey::select::unknown;
use clap::{ArgMatches, Args, ColorChoice, Command, Error, ValueHint};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args, Default)]
#[command(next_help_heading = "Output options")]
pub struct Output {
    /// Write the result as JSON to standard output.
    #[arg(long)]
    pub json: bool,
    /// Also write the result to this file, in the format of its extension, or in the one given as
    /// FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable.
    #[arg(long, short = 'o', value_name = "FILE", value_parser = export)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub export: Vec<Export>,
    /// When to use colour; auto: on a terminal, unless NO_COLOR is set.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Draw with ASCII only, for terminals that cannot show UTF-8.
    #[arg(long)]
    pub ascii: bool,
    /// Show no progress and no warnings.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args, Default)]
#[command(next_help_heading = "Output options")]
pub struct Verbose {
    /// Show everything known, also the machine, the ruler and the noise of a run.
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Args, Default)]
#[command(next_help_heading = "Measurement options")]
pub struct Measuring {
    /// Time for measuring, such as 500ms or 10s.
    #[arg(long, value_name = "DURATION", value_parser = budget, allow_hyphen_values = true)]
    pub budget: Option<Duration>,
    /// Measure on this CPU instead of the quietest.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, allow_hyphen_values = true)]
    pub cpu: Option<usize>,
    /// Seed for the random order of measurement. Default: a random one.
    #[arg(long, value_name = "N", value_parser = parse_whole::<u64>, allow_hyphen_values = true)]
    pub seed: Option<u64>,
}

#[derive(Args, Default)]
#[command(next_help_heading = "Options for findings")]
pub struct Findings {
    /// Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error),
    /// separated by commas. Repeatable.
    #[arg(long, value_name = "LEVEL|ID", value_delimiter = ',', value_parser = named)]
    pub allow: Vec<Named>,
    /// Exit with 1 if there is one of these findings: ids, or a level, which includes those above
    /// it, separated by commas. Findings about the run count only if named by id. Repeatable.
    #[arg(long, value_name = "LEVEL|ID", value_delimiter = ',', value_parser = named)]
    pub fail_on: Vec<Named>,
}

#[derive(Args, Default)]
#[command(next_help_heading = "Options for baselines")]
pub struct Baselines {
    /// Compare with the report that was saved under this name.
    #[arg(long, value_name = "NAME", value_parser = checked_name)]
    pub baseline: Option<String>,
    /// Save the report under this name, in the user's data directory.
    #[arg(long, value_name = "NAME", value_parser = checked_name)]
    pub save_baseline: Option<String>,
    /// Replace the report that was saved under that name.
    #[arg(long, requires = "save_baseline")]
    pub force: bool,
}

#[derive(Args, Default)]
#[command(next_help_heading = "Output options")]
pub struct Naming {
    /// Keep the names of other users' processes in JSON and all other files.
    #[arg(long)]
    pub names: bool,
}

impl Naming {
    /// The report as files may hold it.
    pub fn filed<'a>(&self, report: &'a Report) -> Cow<'a, Report> {
        let mut report = Cow::Borrowed(report);
        if !self.names && report.names_others() {
            report.to_mut().withhold_names();
        }
        report
    }
}

/// A level of findings, or the id of one.
#[derive(Clone)]
pub enum Named {
    Level(Level),
    Id(&'static str),
}

impl Findings {
    pub fn allows(&self, finding: &Finding) -> bool {
        self.allow.iter().any(|named| match named {
            Named::Level(level) => finding.level == *level,
            Named::Id(id) => finding.id == *id,
        })
    }

    /// The level or id for which a finding is a failure.
    pub fn fails_on(&self, finding: &Finding) -> Option<&'static str> {
        let of_machine = finding.is_found() && finding.about == About::Machine;
        self.fail_on.iter().find_map(|named| match *named {
            Named::Level(level) => (of_machine && finding.level >= level).then(|| level.name()),
            Named::Id(id) => (finding.id == id).then_some(id),
        })
    }
}

/// Adds a group of options to a command.
pub type Group = fn(Command) -> Command;

/// The groups of a command that measures.
pub const MEASURING: &[Group] = &[
    Output::augment_args,
    Verbose::augment_args,
    Measuring::augment_args,
    Findings::augment_args,
    Baselines::augment_args,
];
/// The groups of a command that measures, and may name the processes of others.
pub const NAMING: &[Group] = &[
    Output::augment_args,
    Naming::augment_args,
    Verbose::augment_args,
    Measuring::augment_args,
    Findings::augment_args,
    Baselines::augment_args,
];
/// The groups of a command that shows a stored report.
pub const STORED: &[Group] =
    &[Output::augment_args, Naming::augment_args, Verbose::augment_args, Findings::augment_args];
/// The groups of the command that compares reports.
pub const COMPARED: &[Group] =
    &[Output::augment_args, Verbose::augment_args, Baselines::augment_args];
/// The groups of a command that lists entries.
pub const LIST: &[Group] = &[Output::augment_args, Verbose::augment_args];
/// The groups of a command that shows a page.
pub const PAGE: &[Group] = &[Output::augment_args];
/// The groups of a command whose output is for other programs.
pub const NONE: &[Group] = &[];

/// The options of all groups; options that the command does not take have their defaults.
#[derive(Default)]
pub struct Options {
    pub output: Output,
    pub naming: Naming,
    pub verbose: bool,
    pub measuring: Measuring,
    pub findings: Findings,
    pub baselines: Baselines,
}

impl Options {
    /// The options of a command that was parsed.
    ///
    /// # Errors
    /// None are known, because clap has checked them.
    pub fn of(command: &Command, matches: &ArgMatches) -> Result<Self, Error> {
        fn group<G: Args + Default>(command: &Command, matches: &ArgMatches) -> Result<G, Error> {
            let id = G::group_id();
            if command.get_groups().any(|group| Some(group.get_id()) == id.as_ref()) {
                G::from_arg_matches(matches)
            } else {
                Ok(G::default())
            }
        }
        Ok(Self {
            output: group(command, matches)?,
            naming: group(command, matches)?,
            verbose: group::<Verbose>(command, matches)?.verbose,
            measuring: group(command, matches)?,
            findings: group(command, matches)?,
            baselines: group(command, matches)?,
        })
    }
}

/// Where a report goes, and in which format.
#[derive(Clone)]
pub struct Export {
    pub shape: Shape,
    /// The file, or the folder of pictures, to write to; standard output if absent.
    pub path: Option<PathBuf>,
}

#[derive(Clone, Copy)]
pub enum Shape {
    Format(&'static Format),
    /// A file for each chart.
    Pictures,
}

impl Shape {
    pub fn id(self) -> &'static str {
        match self {
            Self::Format(format) => format.id,
            Self::Pictures => SVG,
        }
    }

    /// Whether it holds the distributions of a report and nothing else.
    pub fn distributions_only(self) -> bool {
        matches!(self, Self::Format(format) if format.distributions_only)
    }
}

fn export(text: &str) -> Result<Export, String> {
    let Some((id, path)) = text.split_once('=') else {
        return by_extension(text);
    };
    if id.eq_ignore_ascii_case("png") {
        return Err(NO_PNG.into());
    }
    let drawn = id.eq_ignore_ascii_case(SVG);
    let shape = drawn.then_some(Shape::Pictures);
    let shape = shape.or_else(|| format::find(id).map(Shape::Format));
    let shape = shape.ok_or_else(|| {
        let ids = format::ALL.iter().map(|format| format.id);
        let ids: Vec<&str> = ids.chain([SVG]).collect();
        format!("there is no format '{id}': use one of {}", ids.join(", "))
    })?;
    match path {
        "" => Err("the path is missing; '-' is standard output".into()),
        "-" if drawn => Err(format!("pictures are files: {id}=DIR names their folder")),
        "-" => Ok(Export { shape, path: None }),
        _ => Ok(Export { shape, path: Some(path.into()) }),
    }
}

/// A file whose extension decides the format.
fn by_extension(path: &str) -> Result<Export, String> {
    let of_name = Path::new(path).extension().unwrap_or_default();
    let found = format::by_extension().find(|it| of_name.eq_ignore_ascii_case(it.extension));
    match found {
        Some(format) => Ok(Export { shape: Shape::Format(format), path: Some(path.into()) }),
        None if of_name.eq_ignore_ascii_case("png") => Err(NO_PNG.into()),
        None if of_name.eq_ignore_ascii_case(SVG) => {
            Err("each chart is a picture: svg=DIR names the folder for all".into())
        }
        None if path == "-" => Err("name the format of standard output, as in json=-".into()),
        None => {
            let known = format::by_extension().map(|it| format!(".{}", it.extension));
            let known = known.collect::<Vec<_>>().join(", ");
            Err(format!("the extension decides the format: use one of {known}, or FORMAT=FILE"))
        }
    }
}

/// The shortest budget: preparation alone takes tens of milliseconds.
const LEAST_BUDGET: Duration = Duration::from_millis(1);

pub fn budget(text: &str) -> Result<Duration, String> {
    let budget = units::parse_duration(text).map_err(|error| error.to_string())?;
    if budget < LEAST_BUDGET {
        Err("a budget must be at least 1ms; hundreds of milliseconds are useful".into())
    } else {
        Ok(budget)
    }
}

/// Parses a size in bytes: a number with a unit of 1000 or 1024.
#[cfg(feature = "watch")]
pub fn parse_size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 7] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("B", 1),
    ];
    let unit = UNITS.iter().find(|(name, _)| text.ends_with(name));
    let (number, bytes) = unit
        .map_or((text, 1), |(name, bytes)| (text[..text.len() - name.len()].trim_end(), *bytes));
    let whole: u64 = number.parse().map_err(|_| "write a size, such as 100MB or 1GiB")?;
    whole.checked_mul(bytes).filter(|size| *size > 0).ok_or_else(|| "it must be above 0".into())
}

fn named(text: &str) -> Result<Named, String> {
    let levels = Level::ALL.into_iter().map(|level| (level.name(), Named::Level(level)));
    let ids = || faults::ALL.iter().map(|fault| fault.id);
    if text.is_empty() {
        return Err("an item of the list is empty".into());
    }
    if let Some((_, level)) = levels.clone().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Ok(level);
    }
    let found = ids().find(|id| id.eq_ignore_ascii_case(text));
    let all = levels.map(|(name, _)| name).chain(ids());
    found.map(Named::Id).ok_or_else(|| unknown("finding", all, text).to_string())
}

/// The format's name, which is also the extension of its files.
pub const SVG: &str = "svg";

pub const ABOUT_SVG: &str = "Each chart of the page as an SVG file, in a folder: svg=DIR";

/// What is answered to those who ask for PNG.
pub const NO_PNG: &str = "PNG is not written: svg=DIR writes each chart, and a browser or \
                          rsvg-convert turns an SVG into a PNG";

/// The longest name, so that a file can have it on every system.
const LONGEST: usize = 100;

/// Checks a name: the same ones are valid on every system.
///
/// # Errors
/// It could be a path, a hidden file, or a device of Windows ("Naming Files, Paths, and
/// Namespaces", reserved names; they are so with any extension).
pub fn checked_name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.is_empty() || !text.chars().all(fits) || text.starts_with('.') {
        return Err(
            "a name has letters, digits and . _ - only, and does not begin with a dot".into()
        );
    }
    if text.len() > LONGEST {
        return Err(format!("a name has at most {LONGEST} characters"));
    }
    let stem = text.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let device = numbered.is_some_and(|end| end.len() == 1 && end.as_bytes()[0].is_ascii_digit());
    if device || ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) {
        return Err(format!("{stem} is a device on Windows: choose another name"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_on_every_system_and_no_path() {
        for good in ["before", "v1.2-rc_3", "COMMON", "com10", "-", "a."] {
            assert_eq!(checked_name(good).as_deref(), Ok(good));
        }
        let long = "x".repeat(300);
        for bad in [
            "", ".", "..", ".hidden", "../x", "a/b", "a\\b", "C:", "CON", "con", "nul.txt", "Lpt1",
            "com0.a", "a b", "ä", "a\n", "a\0", &long,
        ] {
            assert!(checked_name(bad).is_err(), "{bad}");
        }
    }
}
