//! PHP on the command line.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "php",
    name: "PHP",
    language: "PHP",
    about: "hrtime() reads the monotonic clock: with true it returns an integer, and without it an \
            array. microtime(true) reads whole microseconds and returns them as a float, whose \
            digits are 0.24 us apart near the present time of day.",
    source: File { name: "probe.php", text: include_str!("../php/probe.php") },
    ways: &[Way {
        name: "php",
        programs: &[Program {
            name: "php",
            names: &["php"],
            places: &["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/PHP/*"],
        }],
        version: &["{php}", "--version"],
        build: &[],
        run: &["{php}", "-d", "display_errors=stderr", "{source}"],
    }],
    oldest: Some("7.3"),
    settings: &[
        Setting {
            name: "opcache.enable_cli=1 opcache.jit=tracing opcache.jit_buffer_size=64M",
            effect: "Compiles hot loops (8.0 and later), which makes what is around a read \
                     cheaper.",
        },
        Setting {
            name: "xdebug.mode=off",
            effect: "Ends the work that Xdebug, if loaded, does at each call.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install php-cli" },
        Install { on: "Windows", command: "winget install PHP.PHP.8.4" },
        Install { on: "macOS", command: "brew install php" },
    ],
    references: &["https://www.php.net/manual/en/function.hrtime.php"],
    ..PLAIN
};
