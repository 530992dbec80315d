//! Why there is no report.

use chronoscope_measure::run::measurement;
use std::fmt;

/// Why there is no report.
#[derive(Debug)]
pub enum Error {
    /// [`start_up`](crate::start_up) was not called.
    NotStarted,
    /// An id does not exist. The text is one line with the most similar ids.
    Unknown(String),
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
            Self::Unknown(why) | Self::Invalid(why) | Self::Nothing(why) => f.write_str(why),
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
