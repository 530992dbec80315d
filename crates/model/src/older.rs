//! Converts reports of earlier versions of the same schema to today's form. All their keys still
//! exist. What has moved to another key, or existed only in the wording of a text, is put in its
//! present place, and percentiles that a sample is too small for are removed.

use crate::environment::{RateKind, Unknown};
use crate::{Note, Report};

/// The ruler's id if it is a clock of the system.
const SYSTEM_RULER: &str = "rust/instant";

impl Report {
    /// The report as this version would have written it, as far as that is known.
    pub fn brought_up_to_date(mut self) -> Self {
        let environment = &mut self.environment;
        for note in std::mem::take(&mut environment.notes) {
            let (subject, reason) = note.split_once(':').unwrap_or(("", &note));
            environment.unknown.push(Unknown {
                subject: subject.trim().to_lowercase(),
                reason: reason.trim().into(),
            });
        }
        for rate in environment.counter_rates_mut().into_iter().flatten() {
            if rate.kind != RateKind::Stated {
                continue;
            }
            if rate.source == "measured" {
                rate.kind = RateKind::Measured;
            } else if rate.source.contains("0x16") || rate.note.contains("nominal") {
                rate.kind = RateKind::Nominal;
            }
        }
        for clock in &mut self.clocks {
            clock.elsewhere |= is_elsewhere(clock.unavailable_reason.as_deref());
        }
        for wait in &mut self.waits {
            wait.elsewhere |= is_elsewhere(wait.unavailable_reason.as_deref());
            wait.overshoot.drop_unsupported();
            if let Some(grid) = &mut wait.grid {
                grid.corrected.drop_unsupported();
            }
        }
        for deltas in &mut self.deltas {
            deltas.histogram.drop_unsupported();
        }
        if let Some(ruler) = &mut self.ruler {
            ruler.is_counter |= ruler.id != SYSTEM_RULER;
            let notes = std::mem::take(&mut ruler.notes);
            self.notes.extend(notes.iter().map(|text| Note::unnamed(text)));
        }
        self
    }
}

/// How the reason began for entries that exist only on other systems.
fn is_elsewhere(reason: Option<&str>) -> bool {
    reason.is_some_and(|reason| reason.starts_with("exists on "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ruler;
    use crate::environment::{Rate, Tsc};

    #[test]
    fn facts_in_the_words_of_older_reports_move_to_their_own_keys() {
        let rate = |source: &str, note: &str| Rate {
            source: source.into(),
            note: note.into(),
            ..Rate::default()
        };
        let mut report = Report::default();
        report.clocks.push(crate::Clock {
            unavailable_reason: Some("exists on Windows only".into()),
            ..crate::Clock::default()
        });
        report.environment.notes = vec!["vDSO: it is mapped: but".into(), "bare".into()];
        report.environment.tsc = Some(Tsc {
            rates: vec![
                rate("measured", "against linux/monotonic-raw"),
                rate("CPUID 0x16", ""),
                rate("kernel log, detected", ""),
            ],
            ..Tsc::default()
        });
        report.ruler = Some(Ruler {
            id: "lfence-rdtsc-lfence/rdtscp-lfence".into(),
            notes: vec!["no waits.".into()],
            ..Ruler::default()
        });
        let report = report.brought_up_to_date();
        assert!(report.clocks[0].elsewhere);
        let unknown = &report.environment.unknown;
        assert_eq!(unknown[0].subject, "vdso");
        assert_eq!(unknown[0].reason, "it is mapped: but");
        assert_eq!(unknown[1].reason, "bare");
        let kinds: Vec<RateKind> =
            report.environment.counter_rates().iter().map(|rate| rate.kind).collect();
        let expected = [RateKind::Measured, RateKind::Nominal, RateKind::Stated];
        assert_eq!(kinds, expected);
        assert!(report.ruler.as_ref().is_some_and(|ruler| ruler.is_counter));
        assert_eq!(report.notes, [Note::unnamed("no waits")]);
        assert_eq!(report.clone().brought_up_to_date(), report);
    }
}
