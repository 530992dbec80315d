//! The same measurements under every clock source of the kernel. The original source is restored
//! when they end, and by a guard process if this one is killed.

use crate::engine::notes;
use crate::engine::schedule::{SWEEP, SWEEP_CLOCKS, SWEEP_WITH_RUNTIMES};
use crate::run::{Error, Measurement, Progress, Setting};
use crate::runtimes::{self, Wanted};
use crate::{add_new, clocks, deltas};
use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Kind, Reads};
use chronoscope_model::environment::ClockSource;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::sweep::Source;
use chronoscope_probes::clocks::{ALL, Entry};
use chronoscope_probes::machine::source_switch::{Guard, Sources};
use chronoscope_probes::time::Instant;
use std::io::ErrorKind;
use std::time::Duration;

/// The reads of each clock whose differences are taken.
const READS: u64 = 200_000;
/// The most sources; no kernel has as many.
const MOST: usize = 16;
/// The time for the kernel to switch: it does so at a timer tick on every CPU.
const SETTLE: Duration = Duration::from_millis(50);

pub struct Request {
    /// The clocks; empty: those that are built on the clock source.
    pub entries: Vec<&'static Entry>,
    /// The language runtimes to measure as well; none: only the clocks.
    pub runtimes: Vec<Wanted>,
    pub sources: Sources,
}

impl Request {
    /// A request for these clocks and runtimes on this machine.
    pub fn of(entries: Vec<&'static Entry>, runtimes: Vec<Wanted>) -> Self {
        Self { entries, runtimes, sources: Sources::default() }
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let entries = if self.entries.is_empty() { usual() } else { self.entries };
        let sources = self.sources;
        let original = may_switch(&sources)?;
        let program = setting.children.as_ref().map(|children| children.program.clone());
        let program = program.ok_or_else(|| {
            Error::Nothing("this program cannot start itself again as a guard".into())
        })?;
        let guard = Guard::start(&program, &sources, &original).map_err(|why| {
            Error::Nothing(format!(
                "{why}; without a guard that restores it, the clock source is not changed"
            ))
        })?;
        let mut switch = Switch { set: original.clone(), sources, original, guard };
        let names = switch.names();
        let each = setting.budget.map(|budget| budget / names.len().max(1) as u32);
        let whole = setting.budget.unwrap_or(SWEEP.time * names.len() as u32);
        (setting.progress)(Progress::Time(whole));
        for (done, name) in names.iter().enumerate() {
            if setting.interrupt.is_set() {
                break;
            }
            let share = done as f64 / names.len() as f64;
            (setting.progress)(Progress::Phase("sweep", share));
            let mut source = Source {
                name: name.clone(),
                original: *name == switch.original,
                ..Source::default()
            };
            match switch.to(name) {
                Ok(()) => {
                    let for_clocks = each.map_or(SWEEP.time, |each| {
                        if self.runtimes.is_empty() { each } else { SWEEP_WITH_RUNTIMES.of(each) }
                    });
                    let mut why = under(&mut source, &entries, for_clocks, setting, report);
                    if !self.runtimes.is_empty() && !setting.interrupt.is_set() {
                        let rest = each.map(|each| each.saturating_sub(for_clocks));
                        let found = with_runtimes(name, &self.runtimes, rest, setting, report);
                        why = why.or(found.err());
                    }
                    source.left_out = why.or_else(|| switch.unchanged().err());
                }
                Err(why) => source.left_out = Some(why),
            }
            report.sweep.push(source);
        }
        if let Err(why) = switch.back() {
            report.notes.push(notes::source_not_restored(&switch.original, &why));
        }
        let measured = report.sweep.iter().any(|source| !source.clocks.is_empty());
        if measured || setting.interrupt.is_set() {
            return Ok(());
        }
        let mut reasons = report.sweep.iter().filter_map(|one| one.left_out.clone());
        let why = reasons.next().unwrap_or_else(|| "there is no clock source".into());
        Err(Error::Nothing(format!("nothing could be measured: {why}")))
    }
}

/// The clocks whose reads go to the clock source, one for each path.
fn usual() -> Vec<&'static Entry> {
    let usual = |entry: &&&'static Entry| {
        entry.facts.built_on == BuiltOn::ClockSource
            && entry.facts.reads == Reads::Vdso
            && matches!(entry.kind, Kind::Monotonic | Kind::Wall)
            && entry.alternative_to.is_none()
            && !entry.is_on_other_system()
    };
    ALL.iter().filter(usual).copied().collect()
}

/// Returns the current source, if it may be changed.
fn may_switch(sources: &Sources) -> Result<String, Error> {
    let refused = |why: &str| Err(Error::Nothing(why.into()));
    // A program of Windows under Wine sees /sys of its host, which is not its machine to change.
    let Some(current) = sources.current().filter(|_| cfg!(target_os = "linux")) else {
        return refused(
            "no clock source can be chosen here: only Linux offers a choice, and /sys may be \
             hidden",
        );
    };
    match sources.check() {
        Ok(()) => Ok(current),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => refused(
            "only root may change the clock source: run `sudo chronoscope sweep`; it is restored \
             afterwards",
        ),
        Err(error) => refused(&format!(
            "the clock source cannot be changed here ({error}): a container mounts /sys read-only; \
             run `sudo chronoscope sweep` outside it"
        )),
    }
}

/// Changes the source, and detects when someone else does.
struct Switch {
    sources: Sources,
    guard: Guard,
    original: String,
    /// The source that was last set.
    set: String,
}

impl Switch {
    /// Returns the sources in the order in which they are measured, the original first.
    fn names(&self) -> Vec<String> {
        let mut names = vec![self.original.clone()];
        add_new(&mut names, self.sources.available());
        names.truncate(MOST);
        names
    }

    fn to(&mut self, name: &str) -> Result<(), String> {
        self.unchanged()?;
        if name == self.set {
            return Ok(());
        }
        if !self.sources.available().iter().any(|known| known == name) {
            return Err("it is no longer available".into());
        }
        // The guard must know the source before it is set.
        self.guard.announce(name)?;
        self.sources.set(name)?;
        self.set = name.to_owned();
        chronoscope_probes::time::sleep(SETTLE);
        self.unchanged()
    }

    /// # Errors
    /// The reason why the source is no longer the one that was set here.
    fn unchanged(&self) -> Result<(), String> {
        match self.sources.current() {
            Some(now) if now == self.set => Ok(()),
            Some(now) => Err(format!(
                "meanwhile, the kernel or another program changed the clock source to {now}"
            )),
            None => Err("the kernel no longer reports which clock source it uses".into()),
        }
    }

    /// Restores the original source.
    ///
    /// # Errors
    /// The reason why a different source is in use.
    fn back(&mut self) -> Result<(), String> {
        self.unchanged()?;
        if self.set != self.original {
            self.sources.set(&self.original)?;
            self.set.clone_from(&self.original);
        }
        Ok(())
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        // This also runs when a measurement panics. The guard runs next, and does the same.
        let _ = self.back();
    }
}

/// Returns the settings for a part of the run, with this time.
fn part<'a>(setting: &Setting, budget: Option<Duration>) -> Setting<'a> {
    Setting {
        cpu: setting.cpu,
        budget,
        seed: setting.seed,
        interrupt: setting.interrupt.clone(),
        children: setting.children.clone(),
        gentle: setting.gentle,
        began: Instant::now(),
        ..Setting::default()
    }
}

/// Returns a report of this machine that names the current source.
fn report_under(name: &str, report: &Report) -> Report {
    let mut found = Report { environment: report.environment.clone(), ..Report::default() };
    let env = &mut found.environment;
    env.clocksource = Some(ClockSource {
        current: name.to_owned(),
        ..env.clocksource.clone().unwrap_or_default()
    });
    found
}

/// Measures the runtimes under the current source, and adds their rows to the report.
fn with_runtimes(
    name: &str,
    wanted: &[Wanted],
    budget: Option<Duration>,
    setting: &Setting,
    report: &mut Report,
) -> Result<(), String> {
    let mut found = report_under(name, report);
    let wanted = wanted.to_vec();
    let request = Box::new(runtimes::Request { wanted });
    let measured = request.measure(&mut part(setting, budget), &mut found);
    report.runtimes.extend(found.runtimes);
    measured.map_err(|why| why.to_string())
}

/// Measures the clocks under the current source. Returns the reason if something is missing.
fn under(
    source: &mut Source,
    entries: &[&'static Entry],
    each: Duration,
    setting: &Setting,
    report: &mut Report,
) -> Option<String> {
    let mut found = report_under(&source.name, report);
    let part = |budget: Duration| part(setting, Some(budget));
    let request = clocks::Request { entries: entries.to_vec(), ..clocks::Request::default() };
    let for_clocks = SWEEP_CLOCKS.of(each);
    let mut why = request.within(for_clocks, &mut part(for_clocks), &mut found).err();
    let rest = (each - for_clocks) / entries.len().max(1) as u32;
    for entry in entries {
        let available = found.clocks.iter().any(|clock| clock.id == entry.id && clock.available);
        if !available || setting.interrupt.is_set() {
            continue;
        }
        let request = deltas::Request { entry, reads: READS, disturbance: Disturbance::default() };
        let measured = Box::new(request).measure(&mut part(rest), &mut found);
        why = why.or(measured.err());
    }
    source.clocks = found.clocks;
    source.deltas = found.deltas;
    if report.ruler.is_none() {
        report.ruler = found.ruler;
        // Each measurement has its own notes about the ruler.
        add_new(&mut report.notes, found.notes);
    }
    why.map(|why| why.to_string())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::engine::children::Children;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// A folder that looks like that of the kernel's clock sources, so that nothing of the machine
    /// is changed.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("a file");
        };
        write("current_clocksource", "tsc\n");
        write("available_clocksource", "tsc hpet acpi_pm \n");
        // Reports that it is ready, and waits for the end of its input.
        write("guard", "#!/bin/sh\necho\nwhile read name; do :; done\n");
        let guard = folder.path().join("guard");
        fs::set_permissions(guard, fs::Permissions::from_mode(0o755)).expect("set");
        folder
    }

    /// A runtime that fails has its row under each source, with the timer of that source, and the
    /// clocks are measured all the same.
    #[test]
    fn runtimes_have_rows_under_every_source() {
        let folder = folder();
        let entry = clocks_of("posix/monotonic");
        let python = chronoscope_runtimes::find("python").expect("declared");
        let request = Request {
            entries: vec![entry],
            runtimes: vec![Wanted {
                runtime: python,
                place: Some(folder.path().join("no such python")),
                rows: Vec::new(),
            }],
            sources: Sources::at(folder.path()),
        };
        let mut setting = Setting {
            budget: Some(Duration::from_millis(600)),
            children: Some(Children { program: folder.path().join("guard"), args: Vec::new() }),
            ..Setting::default()
        };
        let mut report = Report::default();
        let measured = Box::new(request).measure(&mut setting, &mut report);
        measured.expect("the clocks are measured");
        let sources: Vec<&str> = report.sweep.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(sources, ["tsc", "hpet", "acpi_pm"]);
        assert!(report.sweep.iter().all(|one| one.clocks[0].id == entry.id));
        let rows: Vec<(&str, bool)> = report
            .runtimes
            .iter()
            .map(|row| (row.hardware_timer.as_str(), row.reason.is_some()))
            .collect();
        assert_eq!(rows, [("tsc", true), ("hpet", true), ("acpi_pm", true)]);
        let left = fs::read_to_string(folder.path().join("current_clocksource")).expect("a source");
        assert_eq!(left.trim(), "tsc");
    }

    fn clocks_of(id: &str) -> &'static Entry {
        chronoscope_probes::clocks::find(id).expect("in the catalogue")
    }
}
