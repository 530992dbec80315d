//! What a clock tells: its steps, its range, its own figure of an interval.

use super::{METHOD, Term};

pub(super) const TERMS: &[Term] = &[
    Term {
        names: &["nominal", "nominal resolution"],
        place: "column of clocks, line of calls",
        unit: "a duration",
        about: "What the interface says of its own resolution. It says what unit values come in, hardly ever how fine they \
                are: clock_getres says 1 ns of a clock that takes 16 ns to read.",
        how: "clock_getres, QueryPerformanceFrequency, CLOCKS_PER_SEC and their like; - where it says nothing.",
        act: "Do not rely on it; look at tick and at limited by.",
        references: &["clock_getres(2)", METHOD],
    },
    Term {
        names: &["tick"],
        place: "column of clocks",
        unit: "a duration",
        about: "The step in which the value moves: all differences are multiples of it.",
        how: "The greatest common divisor of the differences seen, supported by at least 99.9 % of them. Where the kernel slews \
              a coarse clock its steps have no divisor in common; then it is the smallest step.",
        act: "No interval below the tick can be seen by one pair of reads. A mean of many can.",
        references: &[METHOD],
    },
    Term {
        names: &["resolution"],
        place: "column of the first screen",
        unit: "a duration",
        about: "The smallest difference that can be seen: the tick where that is longer than a read. `a read`: the tick is \
                finer than two reads can show, so what limits is the cost of a read. `>1.3 s`: it did not change in the 1.3 s \
                for which it was watched; red where it should have.",
        how: "From tick, least seen and read, which chronoscope clocks shows apart.",
        act: "Time no interval that is not many times longer: a hundred times, for one percent.",
        references: &[METHOD],
    },
    Term {
        names: &["least seen", "seen", "least"],
        place: "column of clocks",
        unit: "a duration",
        about: "The smallest difference above zero between two reads in a row.",
        how: "The clock is read for 3 ms, or until it has changed 20,000 times; one that hardly changes is watched for up to \
              2.3 s.",
        act: "The shortest interval that this clock has shown here. Where it is far above the tick, the read takes that long.",
        references: &[METHOD],
    },
    Term {
        names: &["median seen", "seen"],
        place: "column of clocks",
        unit: "a duration",
        about: "The median difference above zero between two reads in a row. Where it is ten times the tick or more, the clock \
                is renewed now and then and not counted on, as Windows' system time is.",
        how: "From the same reads as least seen.",
        act: "Take it for the step of such a clock.",
        references: &[METHOD],
    },
    Term {
        names: &["limited by"],
        place: "column of clocks",
        unit: "",
        about: "What keeps the clock from showing smaller differences. `tick`: it moves in steps longer than a read. `a read`: \
                the read takes longer than its tick. `-`: it did not change while it was watched.",
        how: "The tick against the cost of a read.",
        act: "tick: a finer clock of the same kind may be there. a read: a cheaper one.",
        references: &[METHOD],
    },
    Term {
        names: &["100 ms", "difference", "difference (100 ms)"],
        place: "column of clocks",
        unit: "ms",
        about: "What the clock says of one interval of about 100 ms that the ruler measured too. Red where the two disagree. A \
                clock of processor time shows next to nothing, as the process slept.",
        how: "All clocks are read, one sleep of 100 ms follows, and all are read again. They agree within two steps of the \
              clock, the duration of the reads, and the 500 ppm that Linux slews by at most (MAXFREQ in include/linux/timex.h). \
              It has the digits that this allows. The sleep itself is longer than 100 ms.",
        act: "A clock that disagrees runs at another rate than is told of it, or stopped while the process slept: do not \
              measure with it.",
        references: &[METHOD],
    },
    Term {
        names: &["steps back", "backwards"],
        place: "column of clocks, line of deltas",
        unit: "",
        about: "How often a read gave less than the one before, on one thread.",
        how: "Over all reads made for the resolution, or for deltas. A counter that passes its end is no step back. `none` is \
              no proof: it is a bound by the number of reads.",
        act: "A clock that goes back must not time anything: see the finding clock-backwards.",
        references: &["chronoscope explain clock-backwards", METHOD],
    },
    Term {
        names: &["scope", "local or universal", "gives time"],
        place: "column of clocks",
        unit: "",
        about: "Whose time it is. local: of this machine, since some start. universal: the world's, which may be stepped. CPU: \
                of the process or the thread, while it runs. tick: a counter's, without any epoch.",
        how: "By what the interface promises.",
        act: "local for durations, universal for stamps that others read, CPU for what code costs the processor.",
        references: &[],
    },
    Term {
        names: &["bits"],
        place: "column of clocks",
        unit: "bits",
        about: "Significant bits of the value, a sign not counted.",
        how: "By the type that the interface returns.",
        act: "See wraps after for what it comes to.",
        references: &[],
    },
    Term {
        names: &["wraps after", "wraps", "wrap"],
        place: "column of clocks",
        unit: "a duration",
        about: "When the value returns to zero, counted from its zero.",
        how: "Two to the power of its bits, over its rate: the measured one for a counter.",
        act: "Where it is less than the program runs, subtract in unsigned arithmetic of that width, or take another clock: 32 \
              bits of milliseconds end after 49.7 days.",
        references: &[],
    },
    Term {
        names: &["example"],
        place: "column of clocks",
        unit: "that of the clock",
        about: "A value that was read in this run, in the clock's own unit.",
        how: "One read at the end of the run.",
        act: "It shows what a program would get: ticks, nanoseconds, seconds.",
        references: &[],
    },
    Term {
        names: &["function"],
        place: "column of clocks --calls",
        unit: "",
        about: "The call as a user writes it. A macro or a cast that belongs to it is part of it.",
        how: "",
        act: "chronoscope list clocks shows the id beside each call, and chronoscope explain ID what it is.",
        references: &[],
    },
    Term {
        names: &["time", "time (ms)"],
        place: "column of clocks --calls",
        unit: "ms",
        about: "How long so many calls took, really made one after the other, all that happened meanwhile included.",
        how: "One loop, by the ruler, in pieces of a million; the loop is not taken off.",
        act: "For what one read costs without disturbances look at read.",
        references: &[METHOD],
    },
    Term {
        names: &["speed"],
        place: "column of clocks --calls",
        unit: "",
        about: "fast: up to twice the cheapest in this table whose tick is below 1 ms. ok: up to ten times. slow: above.",
        how: "From ns a call. A clock that reads a stored value of the last timer tick is no measure of what is fast, hence the \
              limit.",
        act: "",
        references: &["crates/report/src/text/bulk.rs"],
    },
    Term {
        names: &["ns a call"],
        place: "column of clocks --calls",
        unit: "ns",
        about: "The time of all calls over their number.",
        how: "A plain mean: it has interrupts and the loop in it, where read has neither.",
        act: "",
        references: &[METHOD],
    },
    Term {
        names: &["compatible"],
        place: "column of clocks --calls",
        unit: "",
        about: "On which systems or processors the call exists.",
        how: "By the family that its name tells; chronoscope explain ID has it in full.",
        act: "Where a program must run elsewhere too, take a clock of all systems, or one for each.",
        references: &[],
    },
];
