//! Python, as PyPy runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "pypy",
    name: "PyPy",
    language: "Python",
    about: "Python with a JIT compiler, which keeps the value of a read in a register where \
            CPython makes an object. The probe is that of CPython.",
    source: File { name: "probe.py", text: include_str!("../python/probe.py") },
    ways: &[Way {
        name: "pypy3",
        programs: &[Program {
            name: "pypy",
            names: &["pypy3", "pypy"],
            places: &["/usr/bin", "/opt/homebrew/bin", "/opt/pypy*/bin"],
        }],
        version: &["{pypy}", "--version"],
        build: &[],
        run: &["{pypy}", "-I", "-S", "{source}"],
    }],
    oldest: Some("3.7"),
    settings: &[Setting {
        name: "--jit off",
        effect: "Interprets everything, so that a read costs more than in CPython.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install pypy3" },
        Install { on: "Windows", command: "winget install PyPy.PyPy" },
        Install { on: "macOS", command: "brew install pypy3" },
    ],
    references: &["https://doc.pypy.org/en/latest/cpython_differences.html"],
    ..PLAIN
};
