//! Whether clocks can be trusted.

use crate::run;
use chronoscope_diagnose as diagnose;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::measurement::{Checkpoint, Error, Measurement, Setting};
use chronoscope_measure::trust::Request;
use chronoscope_model::Report;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// A request whose states that may be kept are reports of their own, with verdicts and findings.
pub(crate) struct Trust(pub(crate) Request);

impl Measurement for Trust {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let (began, interrupt) = (setting.began, setting.interrupt.clone());
        let Some(keep) = setting.checkpoint.take() else {
            return Box::new(self.0).measure(setting, report);
        };
        let keep = Rc::new(RefCell::new(keep));
        let unfinished = keep.clone();
        setting.checkpoint = Some(Box::new(move |report: &Report| {
            let mut report = ended(report, began, &Interrupt::default());
            report.run.complete = false;
            give(&unfinished, &report);
        }));
        Box::new(self.0).measure(setting, report)?;
        give(&keep, &ended(report, began, &interrupt));
        Ok(())
    }
}

fn ended(report: &Report, began: Instant, interrupt: &Interrupt) -> Report {
    let mut report = report.clone();
    run::end(&mut report, began, interrupt);
    diagnose::judge(&mut report);
    report
}

fn give(keep: &RefCell<Checkpoint>, report: &Report) {
    if let Ok(mut keep) = keep.try_borrow_mut() {
        keep(report);
    }
}
