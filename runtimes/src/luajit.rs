//! Lua, as LuaJIT runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "luajit",
    name: "LuaJIT",
    language: "Lua",
    about: "Lua itself has only os.time(), in whole seconds, and os.clock(), which is CPU time. \
            Programs on LuaJIT call the system's clock through ffi; compiled, such a call costs \
            what it costs in C.",
    source: File { name: "probe.lua", text: include_str!("../luajit/probe.lua") },
    ways: &[Way {
        name: "luajit",
        programs: &[Program {
            name: "luajit",
            names: &["luajit", "luajit-2.1"],
            places: &["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        }],
        version: &["{luajit}", "-v"],
        build: &[],
        run: &["{luajit}", "{source}"],
    }],
    oldest: Some("2.0"),
    settings: &[Setting {
        name: "-joff",
        effect: "Interprets everything; a call through ffi then costs some hundred nanoseconds.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install luajit" },
        Install { on: "Windows", command: "winget install DEVCOM.LuaJIT" },
        Install { on: "macOS", command: "brew install luajit" },
    ],
    references: &["https://luajit.org/ext_ffi.html"],
    ..PLAIN
};
