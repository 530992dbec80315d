//! Perl, with Time::HiRes, which comes with it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "perl",
    name: "Perl",
    language: "Perl",
    about: "All clocks of Time::HiRes return seconds as a float. Those of the monotonic clock keep \
            nanoseconds for months, those of the time of day 0.24 us. CLOCK_MONOTONIC is a \
            function too, whose call is part of each read; a variable that holds its value is \
            cheaper.",
    source: File { name: "probe.pl", text: include_str!("../perl/probe.pl") },
    ways: &[Way {
        name: "perl",
        programs: &[Program {
            name: "perl",
            names: &["perl"],
            places: &["/usr/bin", "/opt/homebrew/bin", "$SystemDrive/Strawberry/perl/bin"],
        }],
        version: &["{perl}", "--version"],
        build: &[],
        run: &["{perl}", "{source}"],
    }],
    compiled: true,
    oldest: Some("5.14"),
    settings: &[Setting {
        name: "PERL5OPT=-d:NYTProf",
        effect: "Profiles each statement, with two reads of a clock of its own.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install perl" },
        Install { on: "Windows", command: "winget install StrawberryPerl.StrawberryPerl" },
        Install { on: "macOS", command: "brew install perl" },
    ],
    references: &["https://perldoc.perl.org/Time::HiRes"],
    ..PLAIN
};
