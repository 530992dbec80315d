//! Why there is no report.

use chronoscope_measure::measurement;
use std::fmt;

/// Why there is no report.
#[derive(Debug)]
pub enum Error {
    /// [`start_up`](crate::start_up) was not called.
    NotStarted,
    /// An id does not exist.
    Unknown(Unknown),
    /// What was asked for is impossible here, or contradicts itself. The text is one line with the
    /// reason.
    Invalid(String),
    /// Nothing could be measured. The text is one line with the reason.
    Nothing(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str(
                "this program starts itself to measure: call chronoscope_survey::start_up() first \
                 in main",
            ),
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Invalid(why) | Self::Nothing(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<measurement::Error> for Error {
    fn from(error: measurement::Error) -> Self {
        match error {
            measurement::Error::Invalid(why) => Self::Invalid(why),
            measurement::Error::Nothing(why) => Self::Nothing(why),
        }
    }
}

impl From<Unknown> for Error {
    fn from(unknown: Unknown) -> Self {
        Self::Unknown(unknown)
    }
}

/// An id that does not exist, with the most similar ones.
#[derive(Debug)]
pub struct Unknown {
    pub(crate) what: &'static str,
    pub(crate) id: String,
    pub(crate) nearest: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} '{}'", self.what, self.id)?;
        match self.nearest.as_slice() {
            [] => f.write_str(match self.what {
                "clock" => "; see chronoscope list clocks",
                "wait" => "; see chronoscope list waits",
                "preset" => "; see chronoscope waits --help",
                "finding" => "; see chronoscope list faults",
                "purpose" => "; see chronoscope list purposes",
                _ => "; see chronoscope list",
            }),
            nearest => write!(f, "; did you mean {}?", nearest.join(", ")),
        }
    }
}

impl std::error::Error for Unknown {}
