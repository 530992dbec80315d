//! What QueryPerformanceCounter rests on, by version of Windows.

use crate::environment::{Environment, TscKind};

/// Versions of Windows that choose alike.
#[derive(Debug, PartialEq, Eq)]
pub struct Versions {
    /// Their names.
    pub name: &'static str,
    /// The first of them, by the numbers that the kernel reports.
    from: [u32; 3],
    /// What the counter rests on.
    pub rests_on: &'static str,
    /// The rate of the counter.
    pub rate: &'static str,
}

/// All versions since Windows 2000, oldest first, and a guest of Hyper-V last (Microsoft Learn,
/// "Acquiring high-resolution time stamps"; Akinshin, "Stopwatch under the hood", for the shift by
/// ten bits; Hyper-V TLFS, "Partition Reference Time Enlightenment").
pub const VERSIONS: [Versions; 6] = [
    Versions {
        name: "2000, XP, Server 2003",
        from: [5, 0, 0],
        rests_on: "the TSC, even a variant one, or the ACPI PM timer (boot.ini: /usepmtimer)",
        rate: "the processor's, or 3.579545 MHz",
    },
    Versions {
        name: "Vista, Server 2008",
        from: [6, 0, 0],
        rests_on: "the HPET, or the ACPI PM timer if there is none",
        rate: "14.31818 or 3.579545 MHz",
    },
    Versions {
        name: "7, Server 2008 R2",
        from: [6, 1, 0],
        rests_on: "an invariant TSC that is in step on all CPUs; otherwise the HPET or ACPI PM",
        rate: "that of the TSC / 1024",
    },
    Versions {
        name: "8 to 10 1803, Server 2012 to 2016",
        from: [6, 2, 0],
        rests_on: "an invariant TSC, which large machines synchronise better than before",
        rate: "that of the TSC / 1024",
    },
    Versions {
        name: "10 1809 and later, 11, Server 2019 and later",
        from: [10, 0, 17763],
        rests_on: "an invariant TSC, scaled",
        rate: "10 MHz",
    },
    Versions {
        name: "8 and later as a guest of Hyper-V",
        from: [u32::MAX; 3],
        rests_on: "the hypervisor's page, which scales the TSC",
        rate: "10 MHz",
    },
];

/// What the counter of this machine should rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The row of its version in [`VERSIONS`].
    pub versions: &'static Versions,
    /// Whether it should rest on the TSC.
    pub tsc: bool,
    /// What it should rest on, and why.
    pub why: String,
}

/// What the counter should rest on here; `None` if this is no Windows, or its version is unknown.
pub fn expected(env: &Environment) -> Option<Expected> {
    if !env.timers.iter().any(|timer| timer.name == "QPC") || env.os.contains("Wine") {
        return None;
    }
    let mut numbers = env.kernel.as_ref()?.split('.').map(str::parse::<u32>);
    let mut number = || numbers.next()?.ok();
    let version = [number()?, number()?, number().unwrap_or(0)];
    let [.., guest] = &VERSIONS;
    let enlightened = env.hypervisor.as_ref().is_some_and(|it| it.has("hyperv-tsc-page"));
    if enlightened && version >= [6, 2, 0] {
        let why = "the hypervisor's page: this is a guest that has one".to_owned();
        return Some(Expected { versions: guest, tsc: true, why });
    }
    let versions = VERSIONS.iter().rfind(|row| row.from <= version)?;
    let kind = env.tsc.as_ref().map_or(TscKind::None, |tsc| tsc.kind);
    let by_tsc = versions.from >= [6, 1, 0];
    let tsc = by_tsc && kind == TscKind::Invariant;
    let why = match (by_tsc, tsc) {
        (true, true) => "the TSC, which is invariant".to_owned(),
        (true, false) => "the HPET or the ACPI PM timer, as the TSC is not invariant".to_owned(),
        (false, _) => versions.rests_on.to_owned(),
    };
    Some(Expected { versions, tsc, why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{Hypervisor, Timer, Tsc};

    #[test]
    fn each_version_has_its_row() {
        let on = |kernel: &str, kind, guest: bool| {
            let features = if guest { vec!["hyperv-tsc-page".to_owned()] } else { Vec::new() };
            let env = Environment {
                os: format!("Windows {kernel}"),
                kernel: Some(kernel.into()),
                timers: vec![Timer { name: "QPC".into(), ..Timer::default() }],
                tsc: Some(Tsc { kind, ..Tsc::default() }),
                hypervisor: guest.then(|| Hypervisor { features, ..Hypervisor::default() }),
                ..Environment::default()
            };
            expected(&env).map(|it| (it.versions.name.split(',').next().unwrap_or(""), it.tsc))
        };
        let invariant = TscKind::Invariant;
        assert_eq!(on("5.1.2600", TscKind::Variant, false), Some(("2000", false)));
        assert_eq!(on("6.0.6002", invariant, false), Some(("Vista", false)));
        assert_eq!(on("6.1.7601", invariant, false), Some(("7", true)));
        assert_eq!(on("6.1.7601", TscKind::Constant, false), Some(("7", false)));
        assert_eq!(on("6.3.9600", invariant, false), Some(("8 to 10 1803", true)));
        assert_eq!(on("10.0.17134", invariant, false), Some(("8 to 10 1803", true)));
        assert_eq!(on("10.0.17763", invariant, false), Some(("10 1809 and later", true)));
        let guest = Some(("8 and later as a guest of Hyper-V", true));
        assert_eq!(on("10.0.22631", invariant, true), guest);
        assert_eq!(on("6.1.7601", invariant, true), Some(("7", true)));
        assert_eq!(on("", invariant, false), None);
        assert_eq!(on("4.0", invariant, false), None);
        assert_eq!(on("99999999999.0", invariant, false), None);
    }
}
