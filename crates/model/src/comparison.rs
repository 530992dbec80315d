//! What a measured rate was compared with, and what that shows.

/// The comparison behind a measured rate.
#[record]
pub struct Comparison {
    /// What the rate was compared with: a clock's id, or the kernel's discipline.
    pub with: String,
    /// Whether that could have shown a wrong rate.
    pub standing: Standing,
    /// How far the measured rate is above the one by that comparison, in parts per million; only
    /// if that is independent.
    pub difference_ppm: Option<f64>,
    /// Why, in a clause.
    pub why: String,
}

/// Whether a comparison can show a wrong rate.
#[record]
pub enum Standing {
    /// The other clock may have another oscillator, but its own error is not known.
    #[default]
    Unverified,
    /// The other clock counts the same oscillator: the two agree whatever its rate is.
    SameOscillator,
    /// The other clock has another oscillator, or is disciplined by one outside the machine.
    Independent,
}

impl Standing {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::SameOscillator => "unverified: same oscillator",
            Self::Independent => "independent",
        }
    }
}

/// What the kernel's clock is disciplined by, as adjtimex(2) returns it.
#[record(Copy)]
pub struct Discipline {
    /// Whether a program (NTP, PTP) keeps the clock synchronised.
    #[always]
    pub synchronised: bool,
    /// The kernel's bound on the clock's error (`maxerror`), in nanoseconds.
    pub max_error_ns: f64,
    /// The program's estimate of that error (`esterror`), in nanoseconds.
    pub estimated_error_ns: f64,
    /// By how much the clock is made to run faster than its clock source, in parts per million
    /// (`freq` and `tick`).
    pub correction_ppm: f64,
}
