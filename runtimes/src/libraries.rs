//! Libraries with waits of their own. Their probes are those of C, C++ and Rust, which are built
//! with the library.

use crate::compiled::{C, CXX, PLACES, RUST, SHARED};
use crate::declaration::{File, PLAIN, Program, Runtime, Way};

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
    source: File { name: "uv.c", text: include_str!("../c/uv.c") },
    ways: &[way!("gcc", "uv.h", ["-luv"])],
    ..OF_C
};

pub const EVENT: Runtime = Runtime {
    id: "libevent",
    name: "libevent",
    source: File { name: "event.c", text: include_str!("../c/event.c") },
    ways: &[way!("gcc", "event2/event.h", ["-levent_core"])],
    ..OF_C
};

pub const OWN_C: Runtime = Runtime {
    id: "libchronoscope",
    name: "chronoscope for C",
    source: File { name: "own.c", text: include_str!("../c/own.c") },
    ways: &[way!("gcc", "chronoscope.h", ["-lchronoscope"])],
    ..OF_C
};

pub const OWN_CXX: Runtime = Runtime {
    id: "libchronoscope-cxx",
    name: "chronoscope for C++",
    source: File { name: "own.cpp", text: include_str!("../cxx/own.cpp") },
    ways: &[way!("g++", "chronoscope.hpp", ["-lchronoscope"])],
    ..OF_CXX
};

pub const ASIO: Runtime = Runtime {
    id: "asio",
    name: "Asio",
    source: File { name: "asio.cpp", text: include_str!("../cxx/asio.cpp") },
    ways: &[
        way!("g++", "asio.hpp", ["-pthread"]),
        way!("g++", "boost/asio.hpp", ["-DOF_BOOST", "-pthread"]),
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
        version: &["{cargo}", "--version"],
        build: &[&["{cargo}", "build", "--quiet", "--release", "--target-dir", "{dir}/target"]],
        run: &["{dir}/target/release/probe{exe}"],
    }],
    compiled: true,
    oldest: Some("1.80"),
    ..PLAIN
};

pub const TOKIO: Runtime = Runtime {
    id: "tokio",
    name: "tokio",
    files: &[RUST.files[0], File { name: "Cargo.toml", text: include_str!("../rust/tokio.toml") }],
    ..OF_RUST
};

pub const ASYNC_IO: Runtime = Runtime {
    id: "async-io",
    name: "async-io",
    files: &[
        RUST.files[0],
        File { name: "Cargo.toml", text: include_str!("../rust/async-io.toml") },
    ],
    ..OF_RUST
};

pub const SMOL: Runtime = Runtime {
    id: "smol",
    name: "smol",
    files: &[RUST.files[0], File { name: "Cargo.toml", text: include_str!("../rust/smol.toml") }],
    ..OF_RUST
};
