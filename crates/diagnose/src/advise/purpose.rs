//! The definition of a purpose.

use super::code::code;
use crate::system::System;
use chronoscope_model::{Advice, Page, Report};

pub struct Purpose {
    /// The purpose's page: the only name is the purpose's id, as `--for` takes it, and the title is
    /// the purpose in words. The page says what a clock or wait must have, what rules one out
    /// (`how`), and what is advised (`act`).
    pub page: Page,
    /// The most common mistake.
    pub trap: &'static str,
    /// The purpose in a word or three, as a summary shows it; empty if a summary leaves it out.
    pub short: &'static str,
    pub(super) how: How,
}

/// The measurement that advice follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    Clocks,
    Waits,
}

pub(super) enum How {
    /// One clock is chosen, then the code for it from these sheets.
    Clock { choose: fn(&Report) -> Advice, sheets: &'static [&'static str] },
    /// There is advice for each duration that was measured.
    Waits(fn(&Report) -> Vec<Advice>),
}

impl Purpose {
    pub const fn id(&self) -> &'static str {
        self.page.name()
    }

    pub fn basis(&self) -> Basis {
        match self.how {
            How::Clock { .. } => Basis::Clocks,
            How::Waits(_) => Basis::Waits,
        }
    }

    /// The purpose's advice from this report; none if the report lacks the measurements.
    pub(super) fn advise(&self, report: &Report) -> Vec<Advice> {
        match self.how {
            How::Clock { .. } if report.clocks.is_empty() => Vec::new(),
            How::Clock { choose, sheets } => {
                let choice = choose(report);
                let clock = choice.clock.as_deref().unwrap_or_default();
                vec![Advice {
                    purpose: self.id().into(),
                    title: self.page.title.into(),
                    short: self.short.into(),
                    code: code(sheets, System::of(&report.environment), clock),
                    summary: !self.short.is_empty(),
                    ..choice
                }]
            }
            How::Waits(advise) => advise(report),
        }
    }
}
