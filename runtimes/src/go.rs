//! Go, with the compiler of its own project.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "go",
    name: "Go",
    language: "Go",
    about: "time.Now() reads two clocks of the system, the wall clock and the monotonic clock, and \
            so costs about twice as much as time.Since(), which reads only the second. Both switch \
            to the stack of the system thread, because the vDSO needs more than a goroutine has.",
    source: File { name: "probe.go", text: include_str!("../go/probe.go") },
    ways: &[Way {
        name: "go",
        programs: &[Program {
            name: "go",
            names: &["go"],
            places: &[
                "/usr/local/go/bin",
                "/usr/lib/go*/bin",
                "/opt/homebrew/bin",
                "$HOME/go/bin",
                "$ProgramFiles/Go/bin",
            ],
        }],
        version: &["{go}", "version"],
        build: &[&["{go}", "build", "-o", "{dir}/probe{exe}", "{source}"]],
        run: &["{dir}/probe{exe}"],
    }],
    compiled: true,
    oldest: Some("1.17"),
    env: &[
        // Nothing is downloaded, and no file around the probe counts.
        ("GOTOOLCHAIN", "local"),
        ("GO111MODULE", "off"),
        ("GOFLAGS", ""),
        ("GOWORK", "off"),
    ],
    settings: &[
        Setting {
            name: "GODEBUG=asynctimerchan=1",
            effect: "Restores the timer channels of Go 1.22 and before, which hold a time that can \
                     be older than its receipt.",
        },
        Setting {
            name: "GODEBUG=asyncpreemptoff=1",
            effect: "Leaves out the signals that preempt a goroutine, so that a loop that only \
                     reads a clock can delay the garbage collector and other goroutines.",
        },
        Setting {
            name: "-gcflags='all=-N -l'",
            effect: "Compiles for a debugger, without inlining, so that each read costs more.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install golang-go" },
        Install { on: "Windows", command: "winget install GoLang.Go" },
        Install { on: "macOS", command: "brew install go" },
    ],
    references: &[
        "https://pkg.go.dev/time#hdr-Monotonic_Clocks",
        "https://github.com/golang/go/issues/18237",
    ],
    ..PLAIN
};
