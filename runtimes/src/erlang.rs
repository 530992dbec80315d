//! Erlang, on the BEAM.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

/// Where Erlang usually is.
const PLACES: &[&str] = &[
    "/usr/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/usr/lib/erlang/bin",
    "$ProgramFiles/Erlang OTP/bin",
];

pub const RUNTIME: Runtime = Runtime {
    id: "erlang",
    name: "Erlang/OTP",
    language: "Erlang",
    about: "erlang:monotonic_time() is the system's monotonic clock with corrections by the \
            virtual machine, and erlang:system_time() that value and an offset; os:system_time() \
            is the system's own clock. The virtual machine says which calls it makes. \
            timer:sleep() is served by a wheel of whole milliseconds.",
    source: File { name: "probe.erl", text: include_str!("../erlang/probe.erl") },
    ways: &[Way {
        name: "erl",
        programs: &[
            Program { name: "erl", names: &["erl"], places: PLACES },
            Program { name: "erlc", names: &["erlc"], places: PLACES },
        ],
        version: &[
            "{erl}",
            "-noshell",
            "-eval",
            "io:format(\"~s.0\", [erlang:system_info(otp_release)]), halt().",
        ],
        build: &[&["{erlc}", "-o", "{dir}", "{source}"]],
        // One scheduler, because it is pinned to one CPU.
        run: &["{erl}", "-noshell", "+S", "1", "-pa", "{dir}", "-eval", "probe:main()."],
    }],
    compiled: true,
    oldest: Some("21.0"),
    env: &[("ERL_CRASH_DUMP_SECONDS", "0")],
    settings: &[
        Setting {
            name: "+c false",
            effect: "Leaves out time correction, so that the monotonic clock stops while the wall \
                     clock is ahead of the system's.",
        },
        Setting {
            name: "+C multi_time_warp",
            effect: "Lets the offset of the wall clock change at any time; the monotonic clock is \
                     then more accurate.",
        },
        Setting {
            name: "+sbwt none",
            effect: "Lets schedulers sleep at once when they have nothing to do, which makes \
                     timers later and saves CPU time.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install erlang-base" },
        Install { on: "Windows", command: "winget install Erlang.ErlangOTP" },
        Install { on: "macOS", command: "brew install erlang" },
    ],
    references: &["https://www.erlang.org/doc/apps/erts/time_correction.html"],
    ..PLAIN
};
