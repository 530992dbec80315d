//! JavaScript, as Deno runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "deno",
    name: "Deno",
    language: "JavaScript",
    about: "JavaScript on V8 with tokio. performance.now() is a call of Rust with the resolution \
            of the system's clock. The probe is that of Node.js, whose interface Deno has too.",
    source: File { name: "probe.cjs", text: include_str!("../node/probe.js") },
    ways: &[Way {
        name: "deno",
        programs: &[Program {
            name: "deno",
            names: &["deno"],
            places: &["$HOME/.deno/bin", "$HOME/.local/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        }],
        version: &["{deno}", "--version"],
        build: &[],
        run: &["{deno}", "run", "--no-config", "--no-lock", "--no-prompt", "{source}"],
    }],
    oldest: Some("2.0"),
    env: &[("DENO_NO_UPDATE_CHECK", "1"), ("NO_COLOR", "1")],
    settings: &[Setting {
        name: "--v8-flags=--jitless",
        effect: "Interprets everything, so that every loop and read is slower.",
    }],
    install: &[
        Install { on: "PyPI", command: "pip install deno" },
        Install { on: "Windows", command: "winget install DenoLand.Deno" },
        Install { on: "macOS", command: "brew install deno" },
    ],
    references: &["https://docs.deno.com/api/web/~/Performance.now"],
    ..PLAIN
};
