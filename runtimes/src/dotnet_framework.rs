//! .NET, as the Framework runs it that is part of Windows.

use crate::declaration::{Install, RUNTIME as PLAIN, Runtime, Setting, Way};
use crate::dotnet_coreclr::{BUILD_CSC, CSC, REFERENCES, SOURCE};

pub const RUNTIME: Runtime = Runtime {
    id: "dotnet-framework",
    name: ".NET Framework",
    language: "C#",
    about: "The .NET that is part of Windows, with the compiler that comes with it. A tick of \
            Stopwatch is a unit of QueryPerformanceCounter, 100 ns on most systems.",
    source: SOURCE,
    ways: &[Way {
        name: "csc",
        programs: &[CSC],
        version: &["{csc}", "/help"],
        build: BUILD_CSC,
        run: &["{dir}/probe.exe"],
    }],
    only_on: &["windows"],
    oldest: Some("4.5"),
    settings: &[Setting {
        name: "COMPlus_ReadyToRun=0",
        effect: "Ignores code that was compiled when it was installed, so that a first read takes \
                 longer.",
    }],
    install: &[Install {
        on: "Windows",
        command: "dism /online /enable-feature /featurename:NetFx4-AdvSrvs",
    }],
    references: REFERENCES,
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dotnet_coreclr;

    /// Windows' compiler knows C# 5 only, and an assembly is the same wherever it runs.
    #[test]
    fn one_source_serves_every_dotnet() {
        for other in [&dotnet_coreclr::RUNTIME, &crate::dotnet_mono::RUNTIME] {
            assert_eq!(other.source.text, RUNTIME.source.text);
            let mut ways = other.ways.iter().map(|way| way.build);
            assert!(ways.any(|build| build[0].contains(&"-langversion:5")));
        }
        for newer in ["$\"", "nameof(", " is null", "?."] {
            assert!(!RUNTIME.source.text.contains(newer), "{newer}");
        }
    }

    #[test]
    fn other_systems_say_that_it_is_part_of_windows() {
        if !cfg!(windows) {
            let why = RUNTIME.find_ways(None).expect_err("not here");
            assert_eq!(why, "only on windows");
        }
    }
}
