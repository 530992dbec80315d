//! The languages that are interpreted, or compiled while they run.

use crate::{File, PLAIN, Program, Runtime, Way};
use chronoscope_model_macros::packed;

/// The one way of an interpreter, which runs a probe as it is: its names as a file, the best first,
/// where it usually is, the option that prints its version, and the arguments that run the probe.
macro_rules! interpreter {
    ([$name:literal $(, $other:literal)*], $places:expr, $version:literal, $arguments:expr) => {
        &[Way {
            name: $name,
            programs: &[Program { name: "it", names: &[$name $(, $other)*], places: &$places }],
            version: concat!("{it} ", $version),
            build: &[],
            run: $arguments,
        }]
    };
}

pub const PYTHON: Runtime = Runtime {
    id: "python",
    name: "CPython",
    language: "Python",
    source: File { name: "probe.py", packed: packed!("../python/probe.py") },
    ways: interpreter!(
        ["python3", "python"],
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "$LOCALAPPDATA/Programs/Python/*"],
        "--version",
        "{it} -I -S {source}"
    ),
    oldest: Some("3.7"),
    ..PLAIN
};

pub const PYPY: Runtime = Runtime {
    id: "pypy",
    name: "PyPy",
    language: "Python",
    source: File { name: "probe.py", packed: packed!("../python/probe.py") },
    ways: interpreter!(
        ["pypy3", "pypy"],
        ["/usr/bin", "/opt/homebrew/bin", "/opt/pypy*/bin"],
        "--version",
        "{it} -I -S {source}"
    ),
    oldest: Some("3.7"),
    ..PLAIN
};

pub const NODE: Runtime = Runtime {
    id: "node",
    name: "Node.js",
    language: "JavaScript",
    source: File { name: "probe.js", packed: packed!("../node/probe.js") },
    ways: interpreter!(
        ["node", "nodejs"],
        [
            "/usr/local/bin",
            "/opt/homebrew/bin",
            "$HOME/.nvm/versions/node/*/bin",
            "$ProgramFiles/nodejs",
        ],
        "--version",
        "{it} {source}"
    ),
    oldest: Some("16.9"),
    ..PLAIN
};

pub const DENO: Runtime = Runtime {
    id: "deno",
    name: "Deno",
    language: "JavaScript",
    source: File { name: "probe.cjs", packed: packed!("../node/probe.js") },
    ways: interpreter!(
        ["deno"],
        ["$HOME/.deno/bin", "$HOME/.local/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "--version",
        "{it} run --no-config --no-lock --no-prompt {source}"
    ),
    oldest: Some("2.0"),
    env: &[("DENO_NO_UPDATE_CHECK", "1"), ("NO_COLOR", "1")],
    ..PLAIN
};

pub const BUN: Runtime = Runtime {
    id: "bun",
    name: "Bun",
    language: "JavaScript",
    source: File { name: "probe.cjs", packed: packed!("../node/probe.js") },
    ways: interpreter!(
        ["bun"],
        ["$HOME/.bun/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "--version",
        "{it} run {source}"
    ),
    oldest: Some("1.0"),
    env: &[("NO_COLOR", "1"), ("DO_NOT_TRACK", "1")],
    ..PLAIN
};

pub const RUBY: Runtime = Runtime {
    id: "ruby",
    name: "Ruby",
    language: "Ruby",
    source: File { name: "probe.rb", packed: packed!("../ruby/probe.rb") },
    ways: interpreter!(
        ["ruby"],
        ["/usr/bin", "$HOME/.rbenv/shims", "/opt/homebrew/opt/ruby/bin", "$SystemDrive/Ruby*/bin"],
        "--version",
        "{it} --disable=gems {source}"
    ),
    oldest: Some("2.6"),
    ..PLAIN
};

pub const PHP: Runtime = Runtime {
    id: "php",
    name: "PHP",
    language: "PHP",
    source: File { name: "probe.php", packed: packed!("../php/probe.php") },
    ways: interpreter!(
        ["php"],
        ["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/PHP/*"],
        "--version",
        "{it} -d display_errors=stderr {source}"
    ),
    oldest: Some("7.3"),
    ..PLAIN
};

/// Perl, with Time::HiRes, which is part of it.
pub const PERL: Runtime = Runtime {
    id: "perl",
    name: "Perl",
    language: "Perl",
    source: File { name: "probe.pl", packed: packed!("../perl/probe.pl") },
    ways: interpreter!(
        ["perl"],
        ["/usr/bin", "/opt/homebrew/bin", "$SystemDrive/Strawberry/perl/bin"],
        "--version",
        "{it} {source}"
    ),
    compiled: true,
    oldest: Some("5.14"),
    ..PLAIN
};

pub const LUAJIT: Runtime = Runtime {
    id: "luajit",
    name: "LuaJIT",
    language: "Lua",
    source: File { name: "probe.lua", packed: packed!("../luajit/probe.lua") },
    ways: interpreter!(
        ["luajit", "luajit-2.1"],
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "-v",
        "{it} {source}"
    ),
    oldest: Some("2.0"),
    ..PLAIN
};
