//! The time of a log line or an event, in universal time.

use super::{About, How, Purpose};
use crate::pick::{Choice, chosen, figures, first_of, none, rejected, slow_because};
use crate::system::{Code, System, code, with};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "timestamp",
    title: "Timestamp logs and events",
    short: "Timestamp events",
    page: About {
        needs: "Universal time, fine enough to distinguish the events of a log: 2 us or finer.",
        rules_out: "Clocks of whole seconds, or of the last timer tick. Monotonic clocks, whose \
                    zero means nothing to other machines. TAI if its offset is not set.",
        advised: "CLOCK_REALTIME, GetSystemTimePreciseAsFileTime, or the language's wrapper of it.",
        trap: "Never measure by subtracting two timestamps: the clock may have been stepped in \
               between, also backwards. If you need both, take a monotonic timestamp as well. Leap \
               seconds are repeated or smeared.",
        references: &[
            "clock_gettime(2)",
            "adjtimex(2)",
            "https://learn.microsoft.com/windows/win32/api/sysinfoapi/\
             nf-sysinfoapi-getsystemtimepreciseasfiletime",
        ],
    },
    how: How::Clock { choose, code: |_, system| lines(system) },
};

const CLOCKS: &[&str] = &[
    "posix/realtime",
    "windows/getsystemtimepreciseasfiletime",
    "c/timespec_get",
    "rust/system_time",
    "cxx/system_clock",
    "c/gettimeofday",
    "windows/getsystemtimeasfiletime",
    "mach/clock_get_time",
];

/// The longest tick that distinguishes the events of a log, in nanoseconds.
const FINE_NS: f64 = 2000.0;

fn choose(report: &Report) -> Choice {
    let fine = |c: &Clock| c.kind == Kind::Wall && c.step_ns().is_none_or(|ns| ns <= FINE_NS);
    let clock = first_of(report, CLOCKS, fine)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Wall));
    let Some(clock) = clock else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it follows UTC, so it can be stepped: do not measure by subtracting two of its \
         timestamps.{}{}",
        figures(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("linux/realtime-coarse", "events get the time of the last tick"),
                ("c/time", "whole seconds"),
                ("c/gettimeofday", "the same clock, truncated to microseconds"),
                ("linux/tai", "ahead of UTC by the leap seconds, and only if its offset is set"),
            ],
        )
    );
    chosen(clock, why)
}

fn lines(system: System) -> Code {
    let base = code(&[
        ("C", "struct timespec t;\nclock_gettime(CLOCK_REALTIME, &t);"),
        ("C++", "auto t = std::chrono::system_clock::now();"),
        ("Rust", "let t = std::time::SystemTime::now();"),
        ("C#", "DateTime t = DateTime.UtcNow;"),
        ("Java", "var t = java.time.Instant.now();"),
        ("Go", "fmt.Println(time.Now().UTC().Format(time.RFC3339Nano))"),
        ("Python", "import datetime\nt = datetime.datetime.now(datetime.timezone.utc)"),
        ("JavaScript", "const t = new Date().toISOString();"),
    ]);
    match system {
        System::Windows => with(base, &[("C", "FILETIME t;\nGetSystemTimePreciseAsFileTime(&t);")]),
        System::Mac | System::Linux | System::Other => base,
    }
}
