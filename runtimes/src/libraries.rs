//! Libraries with waits of their own. Their probes are those of C, C++ and Rust, which are built
//! with the library.

use crate::compiled::{C, CXX, PLACES, RUST, SHARED};
use crate::declaration::{File, Install, PLAIN, Program, Runtime, Way};

/// A library of C or C++: its compiler, its header, and what the compiler is given.
macro_rules! way {
    ($compiler:literal, $header:literal, [$($argument:literal),*]) => {
        Way {
            name: $compiler,
            programs: &[
                Program { name: "cc", names: &[$compiler], places: PLACES },
                Program { name: "header", names: &[$header], places: HEADERS },
            ],
            version: &["{cc}", "-dumpfullversion"],
            build: &[&["{cc}", "-O2", "-o", "{dir}/probe", "{source}", $($argument),*]],
            run: &["{dir}/probe"],
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
    about: "The loop of events of Node.js, for programs in C.",
    source: File { name: "uv.c", text: include_str!("../c/uv.c") },
    ways: &[way!("gcc", "uv.h", ["-luv"])],
    install: &[
        Install { on: "Debian", command: "apt install gcc libuv1-dev" },
        Install { on: "macOS", command: "brew install libuv" },
    ],
    references: &["https://docs.libuv.org/en/v1.x/timer.html"],
    ..OF_C
};

pub const EVENT: Runtime = Runtime {
    id: "libevent",
    name: "libevent",
    about: "A loop of events for programs in C.",
    source: File { name: "event.c", text: include_str!("../c/event.c") },
    ways: &[way!("gcc", "event2/event.h", ["-levent_core"])],
    install: &[
        Install { on: "Debian", command: "apt install gcc libevent-dev" },
        Install { on: "macOS", command: "brew install libevent" },
    ],
    references: &["https://libevent.org/libevent-book/Ref2_eventbase.html"],
    ..OF_C
};

pub const OWN_C: Runtime = Runtime {
    id: "libchronoscope",
    name: "chronoscope for C",
    about: "This project's library, called from C.",
    source: File { name: "own.c", text: include_str!("../c/own.c") },
    ways: &[way!("gcc", "chronoscope.h", ["-lchronoscope"])],
    install: &[Install { on: "source", command: "cargo xtask install-capi --prefix /usr/local" }],
    references: &["chronoscope.h"],
    ..OF_C
};

pub const OWN_CXX: Runtime = Runtime {
    id: "libchronoscope-cxx",
    name: "chronoscope for C++",
    about: "This project's library, called from C++.",
    source: File { name: "own.cpp", text: include_str!("../cxx/own.cpp") },
    ways: &[way!("g++", "chronoscope.hpp", ["-lchronoscope"])],
    install: OWN_C.install,
    references: &["chronoscope.hpp"],
    ..OF_CXX
};

pub const ASIO: Runtime = Runtime {
    id: "asio",
    name: "Asio",
    about: "A loop of events for programs in C++, by itself or as a part of Boost.",
    source: File { name: "asio.cpp", text: include_str!("../cxx/asio.cpp") },
    ways: &[
        way!("g++", "asio.hpp", ["-pthread"]),
        way!("g++", "boost/asio.hpp", ["-DOF_BOOST", "-pthread"]),
    ],
    install: &[
        Install { on: "Debian", command: "apt install g++ libasio-dev" },
        Install { on: "macOS", command: "brew install asio" },
    ],
    references: &["https://think-async.com/Asio/asio-1.30.2/doc/asio/reference/steady_timer.html"],
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
        version: &["{cargo}", "--version"],
        build: &[&["{cargo}", "build", "--quiet", "--release", "--target-dir", "{dir}/target"]],
        run: &["{dir}/target/release/probe{exe}"],
    }],
    compiled: true,
    oldest: Some("1.80"),
    install: RUST.install,
    ..PLAIN
};

pub const TOKIO: Runtime = Runtime {
    id: "tokio",
    name: "tokio",
    about: "Timers of tokio, whose wheel turns once per millisecond.",
    files: &[RUST.files[0], File { name: "Cargo.toml", text: include_str!("../rust/tokio.toml") }],
    references: &["https://docs.rs/tokio/latest/tokio/time/index.html"],
    ..OF_RUST
};

pub const ASYNC_IO: Runtime = Runtime {
    id: "async-io",
    name: "async-io",
    about: "Timers of async-io, which the thread that waits for them handles itself.",
    files: &[
        RUST.files[0],
        File { name: "Cargo.toml", text: include_str!("../rust/async-io.toml") },
    ],
    references: &["https://docs.rs/async-io/latest/async_io/struct.Timer.html"],
    ..OF_RUST
};

pub const SMOL: Runtime = Runtime {
    id: "smol",
    name: "smol",
    about: "Timers of async-io in tasks of smol, which threads of its own run.",
    files: &[RUST.files[0], File { name: "Cargo.toml", text: include_str!("../rust/smol.toml") }],
    references: &["https://docs.rs/smol/latest/smol/struct.Timer.html"],
    ..OF_RUST
};
