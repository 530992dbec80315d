//! The definition of a purpose.

use super::language;
use crate::system::is_of;
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
    /// One clock is chosen, and one for each language that has no code for it.
    Clock {
        choose: fn(&Report) -> Advice,
        /// The clocks that decide. The other candidates are wrappers of them, which only stand in
        /// for them, or do more.
        needs: &'static [&'static [&'static str]],
    },
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

    /// The clocks of any system without which there is no advice.
    pub fn needs(&self) -> impl Iterator<Item = &'static str> {
        let needs = match self.how {
            How::Clock { needs, .. } => needs,
            How::Waits(_) => &[],
        };
        needs.iter().copied().flatten().copied()
    }

    /// Whether each clock of this system that decides was measured or cannot be read, so that the
    /// choice is the one that a run of all clocks would make.
    fn is_decided(&self, report: &Report) -> bool {
        self.needs().all(|id| match report.clocks.iter().find(|clock| clock.id == id) {
            Some(clock) => !clock.available || clock.read().is_some(),
            None => !is_of(id, &report.environment),
        })
    }

    /// The purpose's advice from this report; none if the report lacks the measurements. These
    /// languages have code also if they were not measured.
    pub(super) fn advise(&self, report: &Report, asked: &[&str]) -> Vec<Advice> {
        match self.how {
            How::Clock { choose, .. } => {
                let known = !report.clocks.is_empty() && self.is_decided(report);
                let first = known.then(|| Advice {
                    purpose: self.id().into(),
                    title: self.page.title.into(),
                    short: self.short.into(),
                    summary: !self.short.is_empty(),
                    ..choose(report)
                });
                language::answers(report, &self.page, first, asked)
            }
            How::Waits(advise) => advise(report),
        }
    }
}
