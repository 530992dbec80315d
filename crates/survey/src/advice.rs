//! The measurements that advice needs.

use crate::overview;
use crate::waits::Request as Waits;
use chronoscope_diagnose::advise::{Basis, NOT_MEASURED, Purpose};
use chronoscope_measure::clocks;
use chronoscope_measure::engine::schedule;
use chronoscope_measure::run::measurement::{Error, Measurement, Setting};
use chronoscope_model::units::short_ns;
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Advice, Report, Spec, snippet};
use chronoscope_probes::clocks::ALL;
use chronoscope_probes::waits::{self, Asked, Entry, Kind};
use std::time::Duration;

/// A request for the measurements that advice needs, in 4 s for clocks, 19 s for waits, and 8 s for
/// waits of one duration unless it is longer than 10 ms.
pub struct Request {
    basis: Basis,
    wait: Option<Duration>,
    language: Option<&'static str>,
}

impl Request {
    /// A request for this purpose, or without one for every purpose of clocks.
    pub fn of(purpose: Option<&Purpose>) -> Self {
        Self { basis: purpose.map_or(Basis::Clocks, Purpose::basis), wait: None, language: None }
    }

    /// A request for waits, of this duration alone if there is one, and of this language alone if
    /// it has some here.
    pub fn waits(wait: Option<Duration>, language: Option<&'static str>) -> Self {
        Self { basis: Basis::Waits, wait, language }
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        match self.basis {
            Basis::Clocks => {
                let clocks = clocks::Request {
                    entries: ALL.to_vec(),
                    for_advice: true,
                    ..clocks::Request::default()
                };
                clocks.within(setting.budget.unwrap_or(schedule::ADVICE.time), setting, report)
            }
            Basis::Waits => {
                let wait = self.wait.into_iter().collect();
                report.spec = Some(Spec::Waits(WaitSpec { wait, ..WaitSpec::default() }));
                let overview = Waits::overview(self.wait, self.language);
                Box::new(overview).measure(setting, report)
            }
        }
    }
}

/// Adds the code of waits in these languages that the report has no advice on, without figures: of
/// the best-known wait of each on a system with this name, or the first that there is.
pub fn add_unmeasured(report: &mut Report, languages: &[&str], wait: Duration, why: &str) {
    let os = report.environment.os.to_lowercase();
    let is_windows = os.contains("windows");
    let is_mac = os.contains("mac") || os.contains("darwin");
    let here = |entry: &&&Entry| match entry.home {
        home if home.contains("Windows") => is_windows,
        home if home.contains("macOS") => is_mac,
        home if home.contains("Linux") => !is_windows && !is_mac,
        _ => true,
    };
    let ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
    for language in languages {
        let known =
            report.advice.iter().any(|it| it.wait.is_some() && it.code.contains_key(*language));
        let own = || waits::ALL.iter().filter(here).filter(|it| it.language.name() == *language);
        let usual =
            overview::usual().find(|id| own().any(|it| it.id == *id && it.kind == Kind::Sleep));
        let usual = usual.and_then(waits::find);
        let plain = || own().find(|it| it.kind == Kind::Sleep && it.facts.early_by_design_ns == 0);
        let Some(entry) = usual.or_else(|| plain().copied()).filter(|_| !known) else {
            continue;
        };
        let row = report.waits.iter().find(|row| row.id == entry.id);
        let reason = row.and_then(|row| row.unavailable_reason.clone());
        let code = snippet::complete(language, &entry.lines(Asked { ns, counter_hz: None }));
        report.advice.push(Advice {
            purpose: "wait".into(),
            title: format!("Wait {}, in {language}", short_ns(ns as f64)),
            clock: Some(entry.id.into()),
            figure: NOT_MEASURED.into(),
            why: format!("Not measured: {}.", reason.as_deref().unwrap_or(why)),
            languages: vec![(*language).into()],
            code: [((*language).into(), code)].into(),
            ..Advice::default()
        });
    }
}
