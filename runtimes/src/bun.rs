//! JavaScript, as Bun runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "bun",
    name: "Bun",
    language: "JavaScript",
    about: "JavaScript on JavaScriptCore. Bun.nanoseconds() returns a number and so allocates \
            nothing, which process.hrtime.bigint() does. The probe is that of Node.js, whose \
            interface Bun has too.",
    source: File { name: "probe.cjs", text: include_str!("../node/probe.js") },
    ways: &[Way {
        name: "bun",
        programs: &[Program {
            name: "bun",
            names: &["bun"],
            places: &["$HOME/.bun/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        }],
        version: &["{bun}", "--version"],
        build: &[],
        run: &["{bun}", "run", "{source}"],
    }],
    oldest: Some("1.0"),
    env: &[("NO_COLOR", "1"), ("DO_NOT_TRACK", "1")],
    settings: &[Setting {
        name: "BUN_JSC_useJIT=0",
        effect: "Interprets everything, so that every loop and read is slower.",
    }],
    install: &[
        Install { on: "npm", command: "npm install --global bun" },
        Install { on: "Windows", command: "winget install Oven-sh.Bun" },
        Install { on: "macOS", command: "brew install oven-sh/bun/bun" },
    ],
    references: &["https://bun.sh/docs/api/utils#bun-nanoseconds"],
    ..PLAIN
};
