//! .NET, as its three runtimes run it.

use crate::declaration::{File, Install, PLAIN, Program, Runtime, Setting, Way};

/// One source for every .NET. The assembly that it is compiled to serves all of them.
const SOURCE: File = File { name: "probe.cs", text: include_str!("../dotnet/probe.cs") };

/// Mono's compiler of C#.
const MCS: Program = Program {
    name: "mcs",
    names: &["mcs"],
    places: &["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/Mono/bin"],
};

/// The compiler of C# 5 that is part of Windows.
const CSC: Program = Program {
    name: "csc",
    names: &["csc"],
    places: &["$WINDIR/Microsoft.NET/Framework64/*", "$WINDIR/Microsoft.NET/Framework/*"],
};

const BUILD_MCS: &[&[&str]] =
    &[&["{mcs}", "-langversion:5", "-optimize+", "-out:{dir}/probe.exe", "{source}"]];

const BUILD_CSC: &[&[&str]] =
    &[&["{csc}", "/nologo", "/optimize+", "/out:{dir}/probe.exe", "{source}"]];

const REFERENCES: &[&str] = &[
    "https://learn.microsoft.com/dotnet/api/system.diagnostics.stopwatch",
    "https://aakinshin.net/posts/stopwatch/",
];

const DOTNET: Program = Program {
    name: "dotnet",
    names: &["dotnet"],
    places: &[
        "$DOTNET_ROOT",
        "$HOME/.dotnet",
        "/usr/lib/dotnet",
        "/usr/share/dotnet",
        "/usr/local/share/dotnet",
        "$ProgramFiles/dotnet",
        // The package dotnetcore2 of PyPI, wherever pip puts it.
        "$VIRTUAL_ENV/lib/*/site-packages/dotnetcore2/bin",
        "$PYENV_ROOT/versions/*/lib/*/site-packages/dotnetcore2/bin",
        "$HOME/.pyenv/versions/*/lib/*/site-packages/dotnetcore2/bin",
        "$HOME/.local/lib/*/site-packages/dotnetcore2/bin",
        "/usr/local/lib/*/dist-packages/dotnetcore2/bin",
    ],
};

const VERSION: &[&str] = &["{dotnet}", "--list-runtimes"];

/// Runs an assembly without a project.
const RUN: &[&str] =
    &["{dotnet}", "exec", "--runtimeconfig", "{dir}/probe.runtimeconfig.json", "{dir}/probe.exe"];

pub const CORECLR: Runtime = Runtime {
    id: "dotnet-coreclr",
    name: ".NET",
    language: "C#",
    about: "The runtime of .NET Core and of .NET 5 and later. On Linux, a tick of Stopwatch is a \
            nanosecond of the monotonic clock. Environment.TickCount64 reads the coarse clock, \
            which is cheaper and advances every 1 to 4 ms.",
    source: SOURCE,
    files: &[
        File {
            name: "probe.runtimeconfig.json",
            text: include_str!("../dotnet/probe.runtimeconfig.json"),
        },
        File { name: "probe.csproj", text: include_str!("../dotnet/probe.csproj") },
    ],
    ways: &[
        Way { name: "mcs", programs: &[DOTNET, MCS], version: VERSION, build: BUILD_MCS, run: RUN },
        Way { name: "csc", programs: &[DOTNET, CSC], version: VERSION, build: BUILD_CSC, run: RUN },
        Way {
            name: "sdk",
            programs: &[DOTNET],
            version: VERSION,
            build: &[&[
                "{dotnet}",
                "build",
                "--nologo",
                "--configuration",
                "Release",
                "--output",
                "{dir}/out",
                "{dir}/probe.csproj",
            ]],
            run: &["{dotnet}", "{dir}/out/probe.dll"],
        },
    ],
    oldest: Some("3.0"),
    env: &[
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_NOLOGO", "1"),
        // The library for languages and regions need not be installed.
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
    ],
    settings: &[
        Setting {
            name: "DOTNET_TieredCompilation=0",
            effect: "Compiles each method once, with all optimisations, so that there is no \
                     warm-up.",
        },
        Setting {
            name: "DOTNET_TieredPGO=0",
            effect: "Compiles hot code without a profile of its first runs (.NET 8 and later).",
        },
        Setting {
            name: "DOTNET_ReadyToRun=0",
            effect: "Compiles the library's code at run time too, instead of loading what was \
                     compiled for any processor.",
        },
    ],
    install: &[
        Install {
            on: "Debian",
            // Debian's pip refuses otherwise; others ignore the variable.
            command: "apt install mono-mcs && PIP_BREAK_SYSTEM_PACKAGES=1 pip install dotnetcore2",
        },
        Install { on: "Windows", command: "winget install Microsoft.DotNet.SDK.9" },
        Install { on: "macOS", command: "brew install dotnet" },
    ],
    references: REFERENCES,
    ..PLAIN
};

pub const MONO: Runtime = Runtime {
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

/// .NET, as the Framework runs it that is part of Windows.
pub const FRAMEWORK: Runtime = Runtime {
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

    /// Windows' compiler knows C# 5 only, and an assembly is the same wherever it runs.
    #[test]
    fn one_source_serves_every_dotnet() {
        for other in [&CORECLR, &MONO] {
            assert_eq!(other.source.text, FRAMEWORK.source.text);
            let mut ways = other.ways.iter().map(|way| way.build);
            assert!(ways.any(|build| build[0].contains(&"-langversion:5")));
        }
        for newer in ["$\"", "nameof(", " is null", "?."] {
            assert!(!FRAMEWORK.source.text.contains(newer), "{newer}");
        }
    }

    #[test]
    fn other_systems_say_that_it_is_part_of_windows() {
        if !cfg!(windows) {
            let why = FRAMEWORK.find_ways(None).expect_err("not here");
            assert_eq!(why, "only on windows");
        }
    }
}
