//! .NET, as Mono runs it.

use crate::declaration::{Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};
use crate::dotnet_coreclr::{BUILD_MCS, MCS, REFERENCES, SOURCE};

pub const RUNTIME: Runtime = Runtime {
    id: "dotnet-mono",
    name: "Mono",
    language: "C#",
    about: "The runtime of .NET that came to Linux and macOS first. Its Stopwatch counts units of \
            100 ns on every system, so it is coarser than the clock that it reads.",
    source: SOURCE,
    ways: &[Way {
        name: "mono",
        programs: &[
            Program {
                name: "mono",
                names: &["mono"],
                places: &["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/Mono/bin"],
            },
            MCS,
        ],
        version: &["{mono}", "--version"],
        build: BUILD_MCS,
        run: &["{mono}", "{dir}/probe.exe"],
    }],
    oldest: Some("4.0"),
    settings: &[
        Setting {
            name: "MONO_ENV_OPTIONS=--llvm",
            effect: "Compiles through LLVM if Mono was built with it.",
        },
        Setting {
            name: "MONO_ENV_OPTIONS=--interpreter",
            effect: "Interprets everything, so that the code around a read is slower.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install mono-mcs mono-runtime" },
        Install { on: "Windows", command: "winget install Mono.Mono" },
        Install { on: "macOS", command: "brew install mono" },
    ],
    references: REFERENCES,
    ..PLAIN
};
