//! JavaScript, as Node.js runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "node",
    name: "Node.js",
    language: "JavaScript",
    about: "JavaScript on V8 with libuv. process.hrtime.bigint() allocates a bigint per read, \
            performance.now() a number at most. Timers count whole milliseconds on a clock that \
            the event loop reads once per turn, so they can fire up to 1 ms early.",
    source: File { name: "probe.js", text: include_str!("../node/probe.js") },
    ways: &[Way {
        name: "node",
        programs: &[Program {
            name: "node",
            names: &["node", "nodejs"],
            places: &[
                "/usr/local/bin",
                "/opt/homebrew/bin",
                "$HOME/.nvm/versions/node/*/bin",
                "$ProgramFiles/nodejs",
            ],
        }],
        version: &["{node}", "--version"],
        build: &[],
        run: &["{node}", "{source}"],
    }],
    oldest: Some("16.9"),
    settings: &[
        Setting {
            name: "--jitless",
            effect: "Interprets everything, so that every loop and read is slower.",
        },
        Setting { name: "--no-opt", effect: "Leaves out the optimising compiler." },
    ],
    install: &[
        Install { on: "Debian", command: "apt install nodejs" },
        Install { on: "Windows", command: "winget install OpenJS.NodeJS.LTS" },
        Install { on: "macOS", command: "brew install node" },
    ],
    references: &[
        "https://nodejs.org/api/process.html#processhrtimebigint",
        "https://github.com/nodejs/node/issues/26578",
    ],
    ..PLAIN
};
