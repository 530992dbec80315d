//! What the columns of the tables mean.

/// Column and meaning.
pub const COLUMNS: &[(&str, &str)] = &[
    (
        "throughput",
        "The cost of one read among many back to back that do not depend on each other, in nanoseconds: the mode of the \
         batches' cost per read, less that of the same loop without a read, with a 95 % interval. This is what a program \
         pays that stamps many events.",
    ),
    (
        "latency",
        "The cost of one read when the next may begin only after it has completed: an ordering instruction (lfence on x86, \
         isb on Arm) stands between two reads, and its own cost is taken off. This is how long a program waits for the value.",
    ),
    (
        "cold",
        "The cost of one read after 4 MiB of data and 2048 branches have displaced what the caches and the branch predictor \
         knew. This is what a program pays that reads the clock seldom.",
    ),
    (
        "first",
        "The first read in a new process, page faults and symbol resolution included; several processes are started for it.",
    ),
    (
        "core-cycles",
        "The throughput in cycles of the core, at the frequency it ran at while this was measured, which a chain of \
         dependent additions tells once a round. Nanoseconds change with that frequency from run to run; cycles hardly do.",
    ),
    (
        "nominal",
        "What the API says of its own resolution: clock_getres, QueryPerformanceFrequency, CLOCKS_PER_SEC.",
    ),
    (
        "tick",
        "The greatest common divisor of the differences seen, supported by at least 99.9 % of them: the step in which the \
         value moves.",
    ),
    (
        "resolution",
        "The smallest difference that can be seen. Where the tick is longer than a read, it is the tick; where a read takes \
         longer, it is bound by latency, and of the order of the cost of a read.",
    ),
    (
        "difference",
        "What the clock says of one interval of about 100 ms that the ruler measured too. They agree when they differ by no \
         more than two ticks, the duration of the reads, and the 500 ppm that a disciplined clock may be slewed by. A clock \
         of processor time does not agree, as the process slept.",
    ),
    (
        "wrap",
        "When the value returns to zero, counted from its zero, by its type and rate.",
    ),
    (
        "scope",
        "Local: time of this machine since some start. Universal: the world's time, which may be stepped. CPU: time that \
         the process or the thread was running.",
    ),
    (
        "verdict",
        "What to think of the clock for measuring on this machine: good, limited in the way that the text says, or better \
         avoided.",
    ),
];
