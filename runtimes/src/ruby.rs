//! Ruby, as its own interpreter runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "ruby",
    name: "Ruby",
    language: "Ruby",
    about: "Process.clock_gettime() names the clock of the system and the unit of the result: \
            :nanosecond returns an integer without an allocation, and no unit a float. Time.now \
            allocates two objects per read.",
    source: File { name: "probe.rb", text: include_str!("../ruby/probe.rb") },
    ways: &[Way {
        name: "ruby",
        programs: &[Program {
            name: "ruby",
            names: &["ruby"],
            places: &[
                "/usr/bin",
                "$HOME/.rbenv/shims",
                "/opt/homebrew/opt/ruby/bin",
                "$SystemDrive/Ruby*/bin",
            ],
        }],
        version: &["{ruby}", "--version"],
        build: &[],
        run: &["{ruby}", "--disable=gems", "{source}"],
    }],
    oldest: Some("2.6"),
    settings: &[
        Setting {
            name: "--yjit",
            effect: "Compiles hot methods (3.1 and later), which makes the loop around a read \
                     cheaper.",
        },
        Setting {
            name: "RUBYOPT=--jit",
            effect: "Compiles hot methods with the JIT compiler of that version.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install ruby" },
        Install { on: "Windows", command: "winget install RubyInstallerTeam.Ruby.3.4" },
        Install { on: "macOS", command: "brew install ruby" },
    ],
    references: &["https://docs.ruby-lang.org/en/master/Process.html#method-c-clock_gettime"],
    ..PLAIN
};
