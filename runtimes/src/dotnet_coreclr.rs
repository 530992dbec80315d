//! .NET, as CoreCLR runs it, and what the runtimes of .NET have in common.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

/// One source for every .NET. The assembly that it is compiled to serves all of them.
pub(crate) const SOURCE: File = File { name: "probe.cs", text: include_str!("../dotnet/probe.cs") };

/// Mono's compiler of C#.
pub(crate) const MCS: Program = Program {
    name: "mcs",
    names: &["mcs"],
    places: &["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/Mono/bin"],
};

/// The compiler of C# 5 that is part of Windows.
pub(crate) const CSC: Program = Program {
    name: "csc",
    names: &["csc"],
    places: &["$WINDIR/Microsoft.NET/Framework64/*", "$WINDIR/Microsoft.NET/Framework/*"],
};

/// Builds with [`MCS`].
pub(crate) const BUILD_MCS: &[&[&str]] =
    &[&["{mcs}", "-langversion:5", "-optimize+", "-out:{dir}/probe.exe", "{source}"]];

/// Builds with [`CSC`].
pub(crate) const BUILD_CSC: &[&[&str]] =
    &[&["{csc}", "/nologo", "/optimize+", "/out:{dir}/probe.exe", "{source}"]];

pub(crate) const REFERENCES: &[&str] = &[
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
        // The package dotnetcore2 of PyPI.
        "$HOME/.local/lib/*/site-packages/dotnetcore2/bin",
        "/usr/local/lib/*/dist-packages/dotnetcore2/bin",
    ],
};

const VERSION: &[&str] = &["{dotnet}", "--list-runtimes"];

/// Runs an assembly without a project.
const RUN: &[&str] =
    &["{dotnet}", "exec", "--runtimeconfig", "{dir}/probe.runtimeconfig.json", "{dir}/probe.exe"];

pub const RUNTIME: Runtime = Runtime {
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
        Install { on: "Debian", command: "apt install mono-mcs && pip install dotnetcore2" },
        Install { on: "Windows", command: "winget install Microsoft.DotNet.SDK.9" },
        Install { on: "macOS", command: "brew install dotnet" },
    ],
    references: REFERENCES,
    ..PLAIN
};
