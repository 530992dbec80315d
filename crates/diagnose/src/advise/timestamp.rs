//! The time of a log line or an event, in universal time.

use super::{About, Purpose};
use crate::pick::{Choice, chosen, dear, figures, first_of, none, rejected};
use crate::reading::tick;
use crate::system::{Code, System, code, with};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "timestamp",
    title: "Stamp logs and events with universal time",
    page: About {
        needs: "The world's time, fine enough to tell events apart that a log tells apart: 2 us or \
             finer.",
        rules_out: "Clocks of whole seconds, or of the last timer tick. Monotonic clocks, whose zero \
             means nothing to others. TAI where its offset is not set.",
        advised: "CLOCK_REALTIME, GetSystemTimePreciseAsFileTime, or the language's wrapper of it.",
        trap: "Never subtract two stamps to measure: the clock may have been stepped in between, \
             backwards too. Where you need both, take a monotonic stamp beside it. Leap seconds \
             repeat or are smeared.",
        references: &[
            "clock_gettime(2)",
            "adjtimex(2)",
            "https://learn.microsoft.com/windows/win32/api/sysinfoapi/nf-sysinfoapi-getsystemtimepreciseasfiletime",
        ],
    },
    choose,
    code: |_, system| lines(system),
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

/// A stamp finer than this tells events apart that a log tells apart.
const FINE_NS: f64 = 2000.0;

fn choose(report: &Report) -> Choice {
    let fine = |c: &Clock| c.kind == Kind::Wall && tick(c).is_none_or(|ns| ns <= FINE_NS);
    let clock = first_of(report, CLOCKS, fine)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Wall));
    let Some(clock) = clock else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it is the world's time, so it can be stepped: never subtract two of its stamps to \
         measure.{}{}",
        figures(clock),
        dear(report, clock),
        rejected(
            report,
            &[
                ("linux/realtime-coarse", "a line gets the time of the last tick"),
                ("c/time", "whole seconds"),
                ("c/gettimeofday", "the same clock, cut to microseconds"),
                ("linux/tai", "ahead of UTC by the leap seconds, and only where the offset is set"),
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
        System::Windows => with(
            base,
            &[("C", "FILETIME t;\nGetSystemTimePreciseAsFileTime(&t);")],
        ),
        System::Mac | System::Linux | System::Other => base,
    }
}
