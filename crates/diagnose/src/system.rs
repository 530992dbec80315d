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
        let linux = env.clocksource.is_some() || env.vdso.is_some() || env.keeping.is_some();
        match Self::named(&env.os) {
            Self::Other if linux => Self::Linux,
            named => named,
        }
    }

    /// The system with this name.
    pub(crate) fn named(os: &str) -> Self {
        let os = os.to_lowercase();
        let has = |name: &str| os.contains(name);
        match () {
            () if has("windows") => Self::Windows,
            () if has("macos") || has("darwin") => Self::Mac,
            () if has("linux") => Self::Linux,
            () => Self::Other,
        }
    }
}

/// Whether a machine like this has the clocks of the family that the id begins with.
pub(crate) fn is_of(id: &str, env: &Environment) -> bool {
    let system = System::of(env);
    match id.split_once('/').map_or(id, |(family, _)| family) {
        "x86" => env.arch.contains("86"),
        "arm" => env.arch.contains("arm") || env.arch.contains("aarch64"),
        "linux" => system == System::Linux,
        "windows" => system == System::Windows,
        "darwin" | "mach" => system == System::Mac,
        "posix" => system != System::Windows,
        _ => true,
    }
}
