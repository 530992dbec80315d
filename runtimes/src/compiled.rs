//! The languages that are compiled before they run.
//!
//! Engines of WebAssembly, for programs that read clocks by WASI. All run the same program: the
//! probe of Rust, compiled for `wasm32-wasip1`.
//!
//! .NET, as its three runtimes run it.
//!
//! Libraries with waits of their own. Their probes are those of C, C++ and Rust, which are built
//! with the library.

use crate::{File, PLAIN, Program, Runtime, Way};
use chronoscope_model_macros::packed;

/// The file that the probes of C and C++ share.
pub(crate) const SHARED: File = File { name: "probe.h", packed: packed!("../c/probe.h") };

pub(crate) const PLACES: &[&str] = &["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// A program whose file has its name.
macro_rules! program {
    ($name:literal, $places:expr) => {
        Program { name: $name, names: &[$name], places: &$places }
    };
}

/// Runs programs for Windows on other systems.
#[cfg(not(windows))]
const WINE: Program =
    Program { name: "wine", names: &["wine", "wine64"], places: &["/usr/bin", "/usr/lib/wine"] };

/// The compilers of C and C++: GCC, Clang, and MinGW's GCC for Windows.
macro_rules! compilers {
    ($gcc:literal, $clang:literal: $clangs:expr, $mingw:expr) => {
        &[
            Way {
                name: $gcc,
                programs: &[Program { name: "cc", names: &[$gcc], places: PLACES }],
                version: "{cc} -dumpfullversion",
                build: &["{cc} {level} -o {dir}/probe{exe} {source}"],
                run: "{dir}/probe{exe}",
            },
            Way {
                name: $clang,
                programs: &[Program { name: "cc", names: $clangs, places: PLACES }],
                version: "{cc} --version",
                build: &["{cc} {level} -o {dir}/probe{exe} {source}"],
                run: "{dir}/probe{exe}",
            },
            #[cfg(not(windows))]
            Way {
                name: "mingw",
                programs: &[Program { name: "cc", names: $mingw, places: PLACES }, WINE],
                version: "{cc} -dumpfullversion",
                build: &[
                    "{cc} {level} -static -o {dir}/probe.exe {source}",
                    // The first start of Wine creates the user's drive C, which may take as long as
                    // compiling.
                    "{wine} cmd /c ver",
                ],
                run: "{wine} {dir}/probe.exe",
            },
        ]
    };
}

/// A language with every compiler that is found, at every level of optimisation.
const BY_ALL: Runtime = Runtime {
    files: &[SHARED],
    every_way: true,
    levels: &["-O0", "-O1", "-O2", "-O3"],
    compiled: true,
    env: &[("WINEDEBUG", "-all")],
    ..PLAIN
};

pub const C: Runtime = Runtime {
    id: "c",
    name: "C",
    language: "C",
    source: File { name: "probe.c", packed: packed!("../c/probe.c") },
    ways: compilers!(
        "gcc",
        "clang": &[
            "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-16", "clang-14",
        ],
        &["x86_64-w64-mingw32-gcc"]
    ),
    ..BY_ALL
};

pub const CXX: Runtime = Runtime {
    id: "cxx",
    name: "C++",
    language: "C++",
    source: File { name: "probe.cpp", packed: packed!("../cxx/probe.cpp") },
    ways: compilers!(
        "g++",
        "clang++": &[
            "clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-16",
            "clang++-14",
        ],
        &["x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"]
    ),
    ..BY_ALL
};

/// Rust, with the compiler that is found. The probe is one file, which needs no package.
pub const RUST: Runtime = Runtime {
    id: "rust",
    name: "Rust",
    language: "Rust",
    source: File { name: "probe.rs", packed: packed!("../rust/probe.rs") },
    files: &[File { name: "version", packed: packed!("../rust/version") }],
    ways: &[Way {
        name: "rustc",
        programs: &[program!(
            "rustc",
            ["$CARGO_HOME/bin", "$HOME/.cargo/bin", "/usr/bin", "/opt/homebrew/bin"]
        )],
        version: "{rustc} --version",
        build: &["{rustc} --edition=2021 -Copt-level=3 -o {dir}/probe{exe} {source}"],
        run: "{dir}/probe{exe}",
    }],
    compiled: true,
    oldest: Some("1.66"),
    ..PLAIN
};

const JAVA_PLACES: &[&str] = &[
    "$JAVA_HOME/bin",
    "/usr/lib/jvm/*/bin",
    "/opt/homebrew/opt/openjdk/bin",
    "$HOME/.sdkman/candidates/java/current/bin",
    "$ProgramFiles/Java/*/bin",
    "$ProgramFiles/Eclipse Adoptium/*/bin",
];

pub const JAVA: Runtime = Runtime {
    id: "java",
    name: "Java",
    language: "Java",
    source: File { name: "Probe.java", packed: packed!("../java/Probe.java") },
    ways: &[Way {
        name: "jdk",
        programs: &[
            Program { name: "java", names: &["java"], places: JAVA_PLACES },
            Program { name: "javac", names: &["javac"], places: JAVA_PLACES },
        ],
        version: "{java} -version",
        build: &["{javac} -encoding UTF-8 -d {dir} {source}"],
        run: "{java} -cp {dir} Probe",
    }],
    oldest: Some("1.8"),
    ..PLAIN
};

/// Go, with the compiler of its own project.
pub const GO: Runtime = Runtime {
    id: "go",
    name: "Go",
    language: "Go",
    source: File { name: "probe.go", packed: packed!("../go/probe.go") },
    ways: &[Way {
        name: "go",
        programs: &[program!(
            "go",
            [
                "/usr/local/go/bin",
                "/usr/lib/go*/bin",
                "/opt/homebrew/bin",
                "$HOME/go/bin",
                "$ProgramFiles/Go/bin",
            ]
        )],
        version: "{go} version",
        build: &["{go} build -o {dir}/probe{exe} {source}"],
        run: "{dir}/probe{exe}",
    }],
    compiled: true,
    oldest: Some("1.17"),
    env: &[
        // Nothing is downloaded, and no file around the probe counts.
        ("GOTOOLCHAIN", "local"),
        ("GO111MODULE", "off"),
        ("GOFLAGS", ""),
        ("GOWORK", "off"),
    ],
    ..PLAIN
};

const ERLANG_PLACES: &[&str] = &[
    "/usr/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/usr/lib/erlang/bin",
    "$ProgramFiles/Erlang OTP/bin",
];

pub const ERLANG: Runtime = Runtime {
    id: "erlang",
    name: "Erlang/OTP",
    language: "Erlang",
    source: File { name: "probe.erl", packed: packed!("../erlang/probe.erl") },
    ways: &[Way {
        name: "erl",
        programs: &[
            Program { name: "erl", names: &["erl"], places: ERLANG_PLACES },
            Program { name: "erlc", names: &["erlc"], places: ERLANG_PLACES },
        ],
        version: "{erl} -noshell -eval \
                  io:format(\"~s.0\",[erlang:system_info(otp_release)]),halt().",
        build: &["{erlc} -o {dir} {source}"],
        // One scheduler, because it is pinned to one CPU.
        run: "{erl} -noshell +S 1 -pa {dir} -eval probe:main().",
    }],
    compiled: true,
    oldest: Some("21.0"),
    env: &[("ERL_CRASH_DUMP_SECONDS", "0")],
    ..PLAIN
};

/// An engine: its program, where that usually is, and the arguments that print its version and run
/// what was compiled.
macro_rules! engine {
    ($name:literal, $places:expr, $version:literal, $run:expr) => {
        &[Way {
            name: $name,
            programs: &[
                Program { name: "it", names: &[$name], places: &$places },
                RUST.ways[0].programs[0],
            ],
            version: concat!("{it} ", $version),
            build: &["{rustc} --edition=2021 --target=wasm32-wasip1 -Copt-level=3 \
                      -o {dir}/probe.wasm {source}"],
            run: $run,
        }]
    };
}

const WASI: Runtime = Runtime {
    language: "WebAssembly",
    source: RUST.source,
    files: RUST.files,
    compiled: true,
    ..PLAIN
};

pub const WASMTIME: Runtime = Runtime {
    id: "wasmtime",
    name: "Wasmtime",
    ways: engine!(
        "wasmtime",
        ["$HOME/.wasmtime/bin", "$HOME/.cargo/bin", "$HOME/.local/bin", "/opt/homebrew/bin"],
        "--version",
        "{it} run {dir}/probe.wasm"
    ),
    ..WASI
};

pub const WAZERO: Runtime = Runtime {
    id: "wazero",
    name: "wazero",
    ways: engine!(
        "wazero",
        ["$GOPATH/bin", "$HOME/go/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "version",
        "{it} run {dir}/probe.wasm"
    ),
    ..WASI
};

/// Node.js with its own WASI.
pub const NODE: Runtime = Runtime {
    id: "node-wasi",
    name: "WASI in Node.js",
    files: &[RUST.files[0], File { name: "wasi.cjs", packed: packed!("../node/wasi.cjs") }],
    ways: engine!(
        "node",
        ["/usr/local/bin", "/opt/homebrew/bin", "$HOME/.nvm/versions/node/*/bin"],
        "--version",
        "{it} --no-warnings {dir}/wasi.cjs {dir}/probe.wasm"
    ),
    oldest: Some("20.0"),
    ..WASI
};

/// One source for every .NET. The assembly that it is compiled to serves all of them.
const SOURCE: File = File { name: "probe.cs", packed: packed!("../dotnet/probe.cs") };

/// Mono's compiler of C#.
const MCS: Program = program!("mcs", ["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/Mono/bin"]);

/// The compiler of C# 5 that is part of Windows.
const CSC: Program =
    program!("csc", ["$WINDIR/Microsoft.NET/Framework64/*", "$WINDIR/Microsoft.NET/Framework/*"]);

const BUILD_MCS: &[&str] = &["{mcs} -langversion:5 -optimize+ -out:{dir}/probe.exe {source}"];

const BUILD_CSC: &[&str] = &["{csc} /nologo /optimize+ /out:{dir}/probe.exe {source}"];

const DOTNET: Program = program!(
    "dotnet",
    [
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
    ]
);

const VERSION: &str = "{dotnet} --list-runtimes";

/// Runs an assembly without a project.
const RUN: &str = "{dotnet} exec --runtimeconfig {dir}/probe.runtimeconfig.json {dir}/probe.exe";

pub const CORECLR: Runtime = Runtime {
    id: "dotnet-coreclr",
    name: ".NET",
    language: "C#",
    source: SOURCE,
    files: &[
        File {
            name: "probe.runtimeconfig.json",
            packed: packed!("../dotnet/probe.runtimeconfig.json"),
        },
        File { name: "probe.csproj", packed: packed!("../dotnet/probe.csproj") },
    ],
    ways: &[
        Way { name: "mcs", programs: &[DOTNET, MCS], version: VERSION, build: BUILD_MCS, run: RUN },
        Way { name: "csc", programs: &[DOTNET, CSC], version: VERSION, build: BUILD_CSC, run: RUN },
        Way {
            name: "sdk",
            programs: &[DOTNET],
            version: VERSION,
            build: &["{dotnet} build --nologo --configuration Release --output {dir}/out \
                 {dir}/probe.csproj"],
            run: "{dotnet} {dir}/out/probe.dll",
        },
    ],
    oldest: Some("3.0"),
    env: &[
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_NOLOGO", "1"),
        // The library for languages and regions need not be installed.
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
    ],
    ..PLAIN
};

pub const MONO: Runtime = Runtime {
    id: "dotnet-mono",
    name: "Mono",
    language: "C#",
    source: SOURCE,
    ways: &[Way {
        name: "mono",
        programs: &[
            program!("mono", ["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/Mono/bin"]),
            MCS,
        ],
        version: "{mono} --version",
        build: BUILD_MCS,
        run: "{mono} {dir}/probe.exe",
    }],
    oldest: Some("4.0"),
    ..PLAIN
};

/// .NET, as the Framework runs it that is part of Windows.
pub const FRAMEWORK: Runtime = Runtime {
    id: "dotnet-framework",
    name: ".NET Framework",
    language: "C#",
    source: SOURCE,
    ways: &[Way {
        name: "csc",
        programs: &[CSC],
        version: "{csc} /help",
        build: BUILD_CSC,
        run: "{dir}/probe.exe",
    }],
    only_on: &["windows"],
    oldest: Some("4.5"),
    ..PLAIN
};

/// A library of C or C++: its compiler, its header, and what the compiler is given.
macro_rules! way {
    ($compiler:literal, $header:literal, $arguments:literal) => {
        Way {
            name: $compiler,
            programs: &[
                Program { name: "cc", names: &[$compiler], places: PLACES },
                Program { name: "header", names: &[$header], places: HEADERS },
            ],
            version: "{cc} -dumpfullversion",
            build: &[concat!("{cc} -O2 -o {dir}/probe {source} ", $arguments)],
            run: "{dir}/probe",
        }
    };
}

const HEADERS: &[&str] = &["$CPATH", "/usr/include", "/usr/local/include", "/opt/homebrew/include"];

const OF_C: Runtime =
    Runtime { language: "C", files: &[SHARED, C.source], compiled: true, ..PLAIN };
const OF_CXX: Runtime =
    Runtime { language: "C++", files: &[SHARED, CXX.source], compiled: true, ..PLAIN };

pub const UV: Runtime = Runtime {
    id: "libuv",
    name: "libuv",
    source: File { name: "uv.c", packed: packed!("../c/uv.c") },
    ways: &[way!("gcc", "uv.h", "-luv")],
    ..OF_C
};

pub const EVENT: Runtime = Runtime {
    id: "libevent",
    name: "libevent",
    source: File { name: "event.c", packed: packed!("../c/event.c") },
    ways: &[way!("gcc", "event2/event.h", "-levent_core")],
    ..OF_C
};

pub const OWN_C: Runtime = Runtime {
    id: "libchronoscope",
    name: "chronoscope for C",
    source: File { name: "own.c", packed: packed!("../c/own.c") },
    ways: &[way!("gcc", "chronoscope.h", "-lchronoscope")],
    ..OF_C
};

pub const OWN_CXX: Runtime = Runtime {
    id: "libchronoscope-cxx",
    name: "chronoscope for C++",
    source: File { name: "own.cpp", packed: packed!("../cxx/own.cpp") },
    ways: &[way!("g++", "chronoscope.hpp", "-lchronoscope")],
    ..OF_CXX
};

pub const ASIO: Runtime = Runtime {
    id: "asio",
    name: "Asio",
    source: File { name: "asio.cpp", packed: packed!("../cxx/asio.cpp") },
    ways: &[
        way!("g++", "asio.hpp", "-pthread"),
        way!("g++", "boost/asio.hpp", "-DOF_BOOST -pthread"),
    ],
    ..OF_CXX
};

/// Libraries of Rust, which cargo downloads and compiles.
const OF_RUST: Runtime = Runtime {
    language: "Rust",
    source: RUST.source,
    ways: &[Way {
        name: "cargo",
        programs: &[Program {
            name: "cargo",
            names: &["cargo"],
            places: RUST.ways[0].programs[0].places,
        }],
        version: "{cargo} --version",
        build: &["{cargo} build --quiet --release --target-dir {dir}/target"],
        run: "{dir}/target/release/probe{exe}",
    }],
    compiled: true,
    oldest: Some("1.80"),
    ..PLAIN
};

pub const TOKIO: Runtime = Runtime {
    id: "tokio",
    name: "tokio",
    files: &[RUST.files[0], File { name: "Cargo.toml", packed: packed!("../rust/tokio.toml") }],
    ..OF_RUST
};

pub const ASYNC_IO: Runtime = Runtime {
    id: "async-io",
    name: "async-io",
    files: &[RUST.files[0], File { name: "Cargo.toml", packed: packed!("../rust/async-io.toml") }],
    ..OF_RUST
};

pub const SMOL: Runtime = Runtime {
    id: "smol",
    name: "smol",
    files: &[RUST.files[0], File { name: "Cargo.toml", packed: packed!("../rust/smol.toml") }],
    ..OF_RUST
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows' compiler knows C# 5 only, and an assembly is the same wherever it runs.
    #[test]
    fn one_source_serves_every_dotnet() {
        for other in [&CORECLR, &MONO] {
            assert_eq!(other.source.packed, FRAMEWORK.source.packed);
            let mut ways = other.ways.iter().map(|way| way.build);
            assert!(ways.any(|build| build[0].contains("-langversion:5")));
        }
        for newer in ["$\"", "nameof(", " is null", "?."] {
            assert!(!include_str!("../dotnet/probe.cs").contains(newer), "{newer}");
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
