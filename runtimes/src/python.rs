//! Python, as CPython runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "python",
    name: "CPython",
    language: "Python",
    about: "The usual interpreter of Python. A call of a clock costs several times what the system \
            takes for it, because the value becomes an object. The clocks that return seconds as a \
            float lose digits: near the present time of day, neighbouring floats are 238 ns apart.",
    source: File { name: "probe.py", text: include_str!("../python/probe.py") },
    ways: &[Way {
        name: "python3",
        programs: &[Program {
            name: "python",
            names: &["python3", "python"],
            places: &[
                "/usr/bin",
                "/usr/local/bin",
                "/opt/homebrew/bin",
                "$LOCALAPPDATA/Programs/Python/*",
            ],
        }],
        version: &["{python}", "--version"],
        build: &[],
        run: &["{python}", "-I", "-S", "{source}"],
    }],
    oldest: Some("3.7"),
    settings: &[
        Setting {
            name: "PYTHON_GIL=0",
            effect: "Builds without the global lock count references atomically, which makes every \
                     call a little slower.",
        },
        Setting {
            name: "PYTHON_JIT=1",
            effect: "In builds with the experimental JIT (3.13 and later), compiles hot loops.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install python3" },
        Install { on: "Windows", command: "winget install Python.Python.3.13" },
        Install { on: "macOS", command: "brew install python" },
    ],
    references: &[
        "https://docs.python.org/3/library/time.html#time.get_clock_info",
        "PEP 418, PEP 564",
    ],
    ..PLAIN
};
