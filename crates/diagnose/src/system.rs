//! The system that a line of code is written for.

use chronoscope_model::Environment;

/// The systems whose calls differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    Windows,
    Mac,
    Other,
}

impl System {
    /// The system that a report was made on.
    pub(crate) fn of(env: &Environment) -> Self {
        let os = env.os.to_lowercase();
        if os.contains("windows") {
            Self::Windows
        } else if os.contains("macos") || os.contains("darwin") {
            Self::Mac
        } else if os.contains("linux")
            || env.clocksource.is_some()
            || env.vdso.is_some()
            || env.keeping.is_some()
        {
            Self::Linux
        } else {
            Self::Other
        }
    }
}
