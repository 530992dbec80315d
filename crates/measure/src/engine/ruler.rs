//! What all durations are measured with, and how its rate is found.

use chronoscope_probes::clocks::{self, Reader, Unit};
use std::time::Duration;

/// How the ruler is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulerKind {
    /// The counter: ordered reads, `start` and `stop` of the library.
    Counter,
    /// The counter of a processor that has no `rdtscp`: `start` ends a region too.
    CounterStartOnly,
    /// The system's monotonic clock.
    System,
}

impl RulerKind {
    /// Every kind, with the name by which one process tells another.
    const NAMES: [(Self, &str); 3] = [
        (Self::Counter, "counter"),
        (Self::CounterStartOnly, "counter-start"),
        (Self::System, "system"),
    ];

    /// Its name, as [`RulerKind::named`] takes it.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("system", |(_, name)| name)
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(kind, _)| *kind)
    }

    /// The best this processor offers, if nothing speaks against its counter.
    pub fn here() -> Self {
        if !chronoscope::counter::is_hardware() {
            Self::System
        } else if chronoscope::counter::has_stop() {
            Self::Counter
        } else {
            Self::CounterStartOnly
        }
    }

    /// Ticks at the start of a region.
    #[inline]
    pub fn start(self) -> u64 {
        match self {
            Self::Counter | Self::CounterStartOnly => chronoscope::counter::start(),
            Self::System => system_ns(),
        }
    }

    /// Ticks at the end of a region.
    #[inline]
    pub fn stop(self) -> u64 {
        match self {
            Self::Counter => chronoscope::counter::stop(),
            Self::CounterStartOnly => chronoscope::counter::start(),
            Self::System => system_ns(),
        }
    }
}

/// The ruler.
#[derive(Clone, Debug)]
pub struct Ruler {
    kind: RulerKind,
    reference: Option<(&'static str, Reader)>,
    first: Bracket,
    hz: f64,
    error_ppm: f64,
    /// Why this ruler and no better one.
    pub notes: Vec<String>,
}

/// A value of the reference between two of the ruler.
#[derive(Clone, Copy, Debug, Default)]
struct Bracket {
    middle: f64,
    width: f64,
    reference: f64,
}

/// The clocks that the rate is found against, best first: undisciplined ones, so that a slewing
/// NTP does not stretch the result.
const REFERENCES: [&str; 5] = [
    "linux/monotonic-raw",
    "mach/absolute_time",
    "windows/qpc",
    "posix/monotonic",
    "rust/instant",
];

/// Brackets tried; the tightest counts.
const TRIES: usize = 200;

impl Ruler {
    /// A ruler, calibrated for about `span`. `distrust` says why the counter must not be used.
    pub fn new(distrust: Option<String>, span: Duration) -> Self {
        let kind = if distrust.is_some() {
            RulerKind::System
        } else {
            RulerKind::here()
        };
        let mut notes: Vec<String> = distrust.into_iter().collect();
        if kind == RulerKind::CounterStartOnly {
            notes
                .push("the processor has no rdtscp: regions end with lfence; rdtsc; lfence".into());
        }
        let reference = REFERENCES
            .iter()
            .filter_map(|id| clocks::find(id))
            .find_map(|entry| {
                Some((
                    entry.id,
                    (entry.open)()
                        .ok()
                        .filter(|r| matches!(r.unit, Unit::Hz(_)))?,
                ))
            });
        let mut ruler = Self {
            kind,
            reference,
            first: Bracket::default(),
            hz: 1e9,
            error_ppm: 0.0,
            notes,
        };
        if kind != RulerKind::System {
            ruler.first = ruler.bracket();
            std::thread::sleep(span);
            ruler.recalibrate();
        }
        ruler
    }

    /// Ticks at the start of a region.
    #[inline]
    pub fn start(&self) -> u64 {
        self.kind.start()
    }

    /// Ticks at the end of a region.
    #[inline]
    pub fn stop(&self) -> u64 {
        self.kind.stop()
    }

    /// Ticks per second.
    pub fn hz(&self) -> f64 {
        self.hz
    }

    /// Bound on the relative error of [`Ruler::hz`] against the reference, in parts per million.
    pub fn error_ppm(&self) -> f64 {
        self.error_ppm
    }

    /// How it is read.
    pub fn kind(&self) -> RulerKind {
        self.kind
    }

    /// Its name in reports.
    pub fn id(&self) -> String {
        match (self.kind, chronoscope::counter::name()) {
            (RulerKind::Counter, "rdtsc") => "lfence-rdtsc-lfence/rdtscp-lfence".into(),
            (RulerKind::CounterStartOnly, "rdtsc") => "lfence-rdtsc-lfence".into(),
            (RulerKind::System, _) => "rust/instant".into(),
            (_, name) => format!("isb-{name}-isb"),
        }
    }

    /// The clock its rate was found against.
    pub fn reference(&self) -> &'static str {
        self.reference.map_or("none", |(id, _)| id)
    }

    /// Finds the rate anew over all the time since the ruler was made: the longer that is, the
    /// smaller the bound.
    ///
    /// The rate is the slope between two brackets. Each bracket's middle is off by at most half
    /// its width, and each reading of the reference by one of its units; the bound adds all four
    /// (the method of Cristian, "Probabilistic clock synchronization", 1989, with a clock of
    /// one's own machine as the server).
    pub fn recalibrate(&mut self) {
        let Some((_, reader)) = self.reference.filter(|_| self.kind != RulerKind::System) else {
            return;
        };
        let Unit::Hz(reference_hz) = reader.unit else {
            return;
        };
        let last = self.bracket();
        let ticks = last.middle - self.first.middle;
        let seconds = (last.reference - self.first.reference) / reference_hz;
        // A clock that stood still or went back gives no rate; the one before stays.
        if ticks <= 0.0 || seconds <= 0.0 {
            return;
        }
        self.hz = ticks / seconds;
        let slack_ticks = (self.first.width + last.width) / 2.0;
        let slack_reference = 2.0 / reference_hz / seconds;
        self.error_ppm = (slack_ticks / ticks + slack_reference) * 1e6;
    }

    fn bracket(&self) -> Bracket {
        let Some((_, reader)) = self.reference else {
            return Bracket::default();
        };
        (0..TRIES)
            .map(|_| {
                let before = self.start();
                let reference = reader.value();
                let after = self.stop();
                let width = after.wrapping_sub(before) as f64;
                Bracket {
                    middle: before as f64 + width / 2.0,
                    width,
                    reference: reference as f64,
                }
            })
            .min_by(|a, b| a.width.total_cmp(&b.width))
            .unwrap_or_default()
    }

    /// The smallest difference it shows, in its ticks: by the greatest common divisor of many.
    pub fn tick(&self) -> f64 {
        let mut last = self.start();
        let deltas: Vec<u64> = (0..2000)
            .map(|_| {
                let now = self.stop();
                let delta = now.wrapping_sub(last);
                last = now;
                delta
            })
            .collect();
        crate::stats::tick::tick(&deltas).map_or(1.0, |tick| tick.ticks as f64)
    }
}

/// The system's monotonic clock, in nanoseconds since the first call.
fn system_ns() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_shrinks_with_the_span() {
        let mut ruler = Ruler::new(None, Duration::from_millis(2));
        let early = ruler.error_ppm();
        std::thread::sleep(Duration::from_millis(60));
        ruler.recalibrate();
        assert!(ruler.hz() > 1e5);
        if ruler.kind() != RulerKind::System {
            assert!(early > 0.0 && ruler.error_ppm() > 0.0);
        }
    }

    #[test]
    fn a_distrusted_counter_is_not_read() {
        let ruler = Ruler::new(Some("because".into()), Duration::from_millis(1));
        assert_eq!(ruler.kind(), RulerKind::System);
        assert_eq!(ruler.hz(), 1e9);
        let start = ruler.start();
        assert!(ruler.stop() >= start);
    }
}
