//! The system that a line of code is written for.

use chronoscope_model::Environment;
use std::collections::BTreeMap;

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

/// Lines of code, by language.
pub(crate) type Code = BTreeMap<String, String>;

/// Code from pairs of language and text.
pub(crate) fn code(lines: &[(&str, &str)]) -> Code {
    lines.iter().map(|(language, line)| ((*language).to_owned(), (*line).to_owned())).collect()
}

/// The same code with some languages replaced.
pub(crate) fn with(mut base: Code, lines: &[(&str, &str)]) -> Code {
    base.extend(code(lines));
    base
}
