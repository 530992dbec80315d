//! The programs of the texts, each a small source file in `research/reproduce`, and the figures
//! of the tool that they are compared with.

/// One program, and the command of the tool that repeats it.
pub struct Program {
    /// Its source file in `research/reproduce`.
    pub source: &'static str,
    /// What it is, for the table.
    pub about: &'static str,
    /// How it is compiled: `{source}` and `{built}` are paths.
    pub build: &'static str,
    /// How it is run.
    pub run: &'static str,
    /// The arguments of the tool.
    pub tool: &'static str,
    /// Whether both run under Wine.
    pub wine: bool,
    pub items: &'static [Item],
}

/// A figure of both.
pub struct Item {
    pub about: &'static str,
    /// The name that the program prints in front of it.
    pub theirs: &'static str,
    /// Where it is in the tool's report: keys, and for a list the id of the element, or nothing for
    /// the least of all elements.
    pub ours: &'static str,
    /// What the tool's figure is multiplied with, to be in the program's unit.
    pub scale: f64,
    /// Of what the difference may be a tenth, if that is more than the figure.
    pub of: f64,
    pub by: By,
    /// Why it may differ, if it may.
    pub why: &'static str,
}

/// Which of the rounds' figures is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Of costs and intervals: whatever else runs only adds to them.
    Least,
    /// Of shares and overshoots.
    Median,
}

const fn least(about: &'static str, theirs: &'static str, ours: &'static str) -> Item {
    Item { about, theirs, ours, scale: 1.0, of: 0.0, by: By::Least, why: "" }
}

const fn median(about: &'static str, theirs: &'static str, ours: &'static str) -> Item {
    Item { by: By::Median, ..least(about, theirs, ours) }
}

/// The rows of one function in the table of time functions.
macro_rules! functions {
    ($($call:literal $name:literal $id:literal,)*) => {&[$(
        // Of the interval, because a clock of CPU time shows next to nothing for it.
        Item { of: 100.0, ..least(
            concat!($call, ": what it shows for 100 ms, in ms"),
            concat!($name, ".difference"),
            concat!("clocks[", $id, "].difference_100ms.clock_ms"),
        ) },
        least(
            concat!($call, ": 100,000 calls, in ms"),
            concat!($name, ".time"),
            concat!("clocks[", $id, "].bulk.ms"),
        ),
    )* Item { scale: 1e-3, ..median(
        "rate of the TSC, in kHz",
        "frequency",
        "ruler.hz",
    ) }]};
}

/// The rows of timetest, and why the means may differ.
macro_rules! timetest {
    ($why:expr) => {
        &[
            median("clock_getres, in ns", "getres", "calls[posix/monotonic].nominal_ns"),
            Item { why: $why, ..least("delta1, lowest, in ns", "delta1", DELTA1) },
            Item { why: $why, ..least("delta2, lowest, in ns", "delta2", DELTA2) },
            least("delta3, lowest, in ns", "delta3", DELTA3),
        ]
    };
}

/// The rows of one wait routine. The overshoot differs by tens of microseconds from run to run, so
/// a difference may be a tenth of the 10 ms that are waited for.
macro_rules! waits {
    ($($call:literal $name:literal $id:literal,)*) => {&[$(
        Item { of: 10e6, ..median(
            concat!($call, ": median overshoot, in ns"),
            concat!($name, ".median"),
            concat!("waits[", $id, "].overshoot.p50_ns"),
        ) },
    )*]};
}

/// The rows of Stopwatch under a runtime.
macro_rules! stopwatch {
    ($runtime:literal) => {
        &[
            median(
                "successive reads: share of equal values",
                "zeros",
                concat!("deltas[", $runtime, "/stopwatch].zero_share"),
            ),
            least(
                "successive reads: mean of the changes, in ns",
                "changes.mean",
                concat!("deltas[", $runtime, "/stopwatch].changes.mean_ns"),
            ),
            Item {
                why: STEPS,
                ..median(
                    "successive reads: median of the changes, in ns",
                    "changes.median",
                    concat!("deltas[", $runtime, "/stopwatch].changes.median_ns"),
                )
            },
            Item {
                why: PHASE,
                ..median(
                    "Start and Stop: share that shows no time",
                    "pair.zeros",
                    concat!("deltas[", $runtime, "/stopwatch].pairs.zero_share"),
                )
            },
        ]
    };
}

/// Loops of different periods.
const PHASE: &str = "a loop's period decides at which phases of the 100 ns tick it reads";

/// The mean agrees; the median is one step or the next.
const STEPS: &str = "the counter advances in steps of 10 ns on this processor";

/// A median of few rounds can be of either state.
const TWO_STATES: &str = "in one process of ten, the timed loop takes 25 ns less; not explained";

pub const ALL: &[Program] = &[
    Program {
        source: "functions.cpp",
        about: "time functions, `g++ -O2`",
        build: "g++ -O2 -Wall -Wextra {source} -o {built}",
        run: "{built} 100000",
        tool: "clocks c/clock cxx/steady_clock cxx/system_clock cxx/steady_clock-nocast \
               cxx/system_clock-nocast x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin \
               x86/rdtsc-ms posix/realtime --calls 100k --budget 3s",
        wine: false,
        items: functions![
            "`clock()`" "clock" "c/clock",
            "`steady_clock`" "steady" "cxx/steady_clock",
            "`system_clock`" "system" "cxx/system_clock",
            "`steady_clock`, no cast" "steady_nocast" "cxx/steady_clock-nocast",
            "`system_clock`, no cast" "system_nocast" "cxx/system_clock-nocast",
            "`rdtsc()`" "rdtsc_asm" "x86/rdtsc-asm",
            "`__rdtsc()`" "rdtsc_intrinsic" "x86/rdtsc-intrinsic",
            "`__builtin_ia32_rdtsc()`" "rdtsc_builtin" "x86/rdtsc-builtin",
            "`rdtsc()` in ms" "rdtsc_ms" "x86/rdtsc-ms",
            "`clock_gettime()`" "realtime" "posix/realtime",
        ],
    },
    TIMETEST,
    NOT_OPTIMISED,
    Program {
        source: "instant.rs",
        about: "overhead of Instant, `rustc -O`",
        build: "rustc -O {source} -o {built}",
        run: "{built} 999 999 999",
        tool: "overhead rust/instant 999 999 999",
        wine: false,
        items: &[
            median("baseline, median, in ns", "baseline.median", BASELINE),
            median("wall_clock, median, in ns", "wall_clock.median", TIMED),
            Item {
                why: TWO_STATES,
                ..median("overhead, median, in ns", "overhead.median", OVERHEAD)
            },
        ],
    },
    Program {
        source: "waits.c",
        about: "waits on Linux, `gcc -O2`",
        build: "gcc -O2 -Wall -Wextra {source} -o {built}",
        run: "{built} 10 50",
        tool: "waits linux/timerfd posix/usleep linux/nanosleep busy/monotonic --wait 10ms \
               --count 50 --slack default --load none",
        wine: false,
        items: waits![
            "timerfd" "timerfd" "linux/timerfd",
            "`usleep()`" "usleep" "posix/usleep",
            "`nanosleep()`" "nanosleep" "linux/nanosleep",
            "busy wait" "busy" "busy/monotonic",
        ],
    },
    Program {
        source: "waits.c",
        about: "waits on Windows, MinGW under Wine",
        build: "x86_64-w64-mingw32-gcc-posix -O2 -static -Wall -Wextra {source} -o {built}.exe",
        run: "{built}.exe 10 50",
        tool: "waits windows/sleep windows/waitable-timer windows/waitable-timer-high-resolution \
               mingw/usleep mingw/nanosleep busy/qpc --wait 10ms --count 50 --load none",
        wine: true,
        items: waits![
            "`Sleep()`" "sleep" "windows/sleep",
            "waitable timer" "timer" "windows/waitable-timer",
            "waitable timer, high resolution" "high" "windows/waitable-timer-high-resolution",
            "`usleep()`" "usleep" "mingw/usleep",
            "`nanosleep()`" "nanosleep" "mingw/nanosleep",
            "busy wait" "busy" "busy/qpc",
        ],
    },
    MONO,
    Program {
        tool: "runtimes dotnet-mono --budget 5s",
        items: &[
            least("Latency, in ns", "latency", MONO_LATENCY),
            least("Resolution, in ns", "resolution", MONO_RESOLUTION),
        ],
        ..MONO
    },
    Program {
        about: "Stopwatch, CoreCLR",
        run: "dotnet exec --runtimeconfig runtimes/dotnet/probe.runtimeconfig.json {built}.exe",
        tool: "deltas dotnet-coreclr/stopwatch --reads 1M",
        items: stopwatch!("dotnet-coreclr"),
        ..MONO
    },
    HUNDRED,
    Program {
        tool: "hardware",
        items: &[Item {
            scale: 1e-2,
            ..least("ticks of the TSC for one, of ten rows", "ticks", ROWS)
        }],
        ..HUNDRED
    },
];

const BASELINE: &str = "overhead[rust/instant].baseline.median_ns";
const TIMED: &str = "overhead[rust/instant].timed.median_ns";
const OVERHEAD: &str = "overhead[rust/instant].overhead.median_ns";
const MONO_LATENCY: &str = "runtimes[dotnet-mono].clocks[stopwatch].benchmark.latency.median_ns";
const MONO_RESOLUTION: &str =
    "runtimes[dotnet-mono].clocks[stopwatch].benchmark.resolution.median_ns";
const TICKS: &str = "clocks[x86/rdtsc-asm].cost.throughput.cycles";
const ROWS: &str = "environment.throughput.rows.clock";
const CORE: &str = "clocks[x86/rdtsc-asm].cost.throughput.core_cycles";
const LOOP: &str = "not optimised, its loop is a part of the figure";

const TIMETEST: Program = Program {
    source: "timetest.c",
    about: "timetest, `gcc -O2`",
    build: "gcc -Wall -O2 -std=c99 {source} -o {built}",
    run: "{built}",
    tool: "calls posix/monotonic",
    wine: false,
    items: timetest![""],
};

/// As the text compiles it: `-o3` names an output file, which the later `-o` replaces, so nothing
/// is optimised.
const NOT_OPTIMISED: Program = Program {
    about: "timetest, `gcc -o3`, as its text compiles it",
    build: "gcc -Wall -o3 -std=c99 {source} -o {built}",
    items: timetest![LOOP],
    ..TIMETEST
};

const MONO: Program = Program {
    source: "stopwatch.cs",
    about: "Stopwatch, Mono",
    build: "mcs -optimize+ {source} -out:{built}.exe",
    run: "mono {built}.exe",
    tool: "deltas dotnet-mono/stopwatch --reads 1M",
    wine: false,
    items: stopwatch!("dotnet-mono"),
};

const HUNDRED: Program = Program {
    source: "rdtsc.c",
    about: "throughput of `rdtsc`, a hundred in a row",
    build: "gcc -O2 -Wall -Wextra {source} -o {built}",
    run: "{built}",
    tool: "clocks x86/rdtsc-asm --budget 2s",
    wine: false,
    items: &[
        least("ticks of the TSC for one", "ticks", TICKS),
        least("core cycles for one", "core_cycles", CORE),
    ],
};

const DELTA1: &str = "calls[posix/monotonic].passes.delta1_ns";
const DELTA2: &str = "calls[posix/monotonic].passes.delta2_ns";
const DELTA3: &str = "calls[posix/monotonic].passes.delta3_ns";
