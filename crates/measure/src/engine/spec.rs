//! A subject of the engine: its reader, and what else must be known about it.

use chronoscope_model::clock::{Clock, Scope};
use chronoscope_probes::clocks::{self, Entry, Opening, Range, Reader, Unavailable, Unit};

#[derive(Clone, Debug)]
pub struct Spec {
    /// The row of the report, before anything is measured.
    pub row: Clock,
    /// The subject that is the same loop without a read.
    pub baseline: usize,
    /// How a raw value becomes time.
    pub unit: Unit,
    /// The resolution that the API claims, in nanoseconds.
    pub nominal_ns: Option<f64>,
    pub range: Range,
}

impl Spec {
    /// Describes a subject with this row and reader. The caller arranges the subjects and sets the
    /// baseline.
    pub fn of(row: Clock, reader: &Reader) -> Self {
        let Reader { unit, nominal_ns, range, .. } = *reader;
        Self { row, baseline: 0, unit, nominal_ns, range }
    }

    /// Nanoseconds per raw unit, or `None` if the unit has no fixed length.
    pub fn ns_per_unit(&self, ruler_hz: f64) -> Option<f64> {
        match self.unit {
            Unit::Hz(hz) => Some(1e9 / hz),
            Unit::Counter => Some(1e9 / ruler_hz),
            Unit::Variable => None,
        }
    }
}

pub struct Offer {
    pub spec: Spec,
    /// What makes the batches. Every batch of a subject without a reader counts as disturbed.
    pub reader: Option<Reader>,
}

impl Offer {
    /// Offers a clock of the catalogue.
    ///
    /// # Errors
    /// The reason why the clock cannot be read on this machine.
    pub fn clock(entry: &Entry) -> Result<Self, Unavailable> {
        Ok(Self::opened(entry, entry.open(Opening::Checked)?))
    }

    /// Offers a clock of the catalogue, opened without reading it, for a child of a process that
    /// could read it.
    pub(super) fn unread(entry: &'static Entry) -> Self {
        entry.open(Opening::Untouched).map_or_else(
            |_| Self { spec: Spec::of(row(entry), &clocks::empty(entry.language)), reader: None },
            |reader| Self::opened(entry, reader),
        )
    }

    pub fn opened(entry: &Entry, reader: Reader) -> Self {
        let row = Clock {
            kind: reader.kind,
            facts: Some(reader.facts),
            available: true,
            scope: Scope::from(reader.kind),
            ..row(entry)
        };
        Self { spec: Spec::of(row, &reader), reader: Some(reader) }
    }
}

fn row(entry: &Entry) -> Clock {
    Clock {
        id: entry.id.into(),
        call: entry.call.into(),
        language: entry.language,
        kind: entry.kind,
        facts: Some(entry.facts),
        alternative_to: entry.alternative_to.map(str::to_owned),
        common: entry.common,
        home: entry.home.into(),
        period: entry.period.and_then(|period| period()),
        scope: Scope::from(entry.kind),
        ..Clock::default()
    }
}

/// The row of a clock that cannot be read on this machine.
pub fn unavailable_row(entry: &Entry, reason: &str) -> Clock {
    Clock {
        available: false,
        unavailable_reason: Some(reason.into()),
        elsewhere: entry.is_on_other_system(),
        ..row(entry)
    }
}
