//! What the names on this screen mean.

use crate::term::{METHOD, Term};

/// The document on the protocol and the procedure.
const RUNTIMES: &str = "docs/runtimes.md";

pub(super) static ALL: &[&Term] = &[
    &RUNTIME, &CLOCK, &CLAIMED, &TICK, &COST, &TIMES_C, &LATENCY, &ALLOCATES, &OS_CALLS, &LONGEST,
    &BACKWARDS, &SYSTEM, &TIMER, &ASKED, &EARLY, &MEDIAN, &P90, &MAX, &BUILD, &PROGRAM, &STOPWATCH,
    &WARM_UP, &SETTING, &REASON,
];

/// What all pages of this section have in common.
const PAGE: Term = Term {
    names: &[],
    place: "column of runtimes",
    unit: "",
    about: "",
    how: "",
    act: "",
    references: &[RUNTIMES, METHOD],
};

pub(super) static RUNTIME: Term = Term {
    names: &["runtime"],
    about: "A language runtime, in one version and built in one way. c:gcc-O2 is C, compiled by \
            gcc at -O2; c:built-in is the clock of C that this tool reads itself.",
    how: "A program in that language, the probe, reads the clocks and answers requests.",
    ..PAGE
};

pub(super) static CLOCK: Term =
    Term { names: &["call"], about: "The call, as a user of the language writes it.", ..PAGE };

pub(super) static CLAIMED: Term = Term {
    names: &["claimed"],
    unit: "a duration",
    about: "The resolution that the runtime claims, by an interface or in its manual.",
    act: "Rely on the tick instead: it was measured.",
    ..PAGE
};

pub(super) static TICK: Term = Term {
    names: &["tick"],
    unit: "a duration",
    about: "The smallest amount by which the value changed.",
    how: "What all differences have in common, from 4000 successive reads and up to 100 changes \
          that were waited for. Values that are fractions share a step of rounding.",
    ..PAGE
};

pub(super) static COST: Term = Term {
    names: &["per read", "latency"],
    unit: "ns per read",
    about: "The cost of a read back to back, less that of the same loop without a read. \
            Comparisons of runtimes call it latency.",
    how: "Batches of some 100 us by the runtime's own stopwatch, in random order among those of C \
          and of all other runtimes, in several processes, after a warm-up that ends when batches \
          no longer become faster.",
    ..PAGE
};

pub(super) static TIMES_C: Term = Term {
    names: &["× C"],
    about: "The cost as a multiple of that in C, with half the 95 % interval.",
    how: "Both were measured in the same rounds. The relative uncertainties add in quadrature.",
    ..PAGE
};

pub(super) static LATENCY: Term = Term {
    names: &["ordered"],
    unit: "ns per read",
    about: "The cost if each read needs the value of the one before, as far as the language can \
            express that.",
    how: "The value selects the argument, or what is called. The empty loop does the same.",
    ..PAGE
};

pub(super) static ALLOCATES: Term = Term {
    names: &["allocates"],
    unit: "per read",
    about: "What a read allocates, by the runtime's own count.",
    act: "In a hot path, prefer a call that allocates nothing.",
    ..PAGE
};

pub(super) static OS_CALLS: Term = Term {
    names: &["calls of the system"],
    place: "line of runtimes -v",
    about: "The calls of the system that a read really makes.",
    how: "Counted while nothing is timed: calls of the C library by a library that LD_PRELOAD \
          loads, system calls by strace. A program that calls the vDSO itself, as Go does, makes \
          neither.",
    ..PAGE
};

pub(super) static LONGEST: Term = Term {
    names: &["longest interval"],
    unit: "a duration",
    about: "The longest interval between two successive reads of 200,000: the program did not run \
            in between.",
    ..PAGE
};

pub(super) static BACKWARDS: Term = Term {
    names: &["backwards"],
    about: "How often the value was less than the one before.",
    ..PAGE
};

pub(super) static SYSTEM: Term = Term {
    names: &["system"],
    about: "The operating system, with the version of its kernel.",
    ..PAGE
};

pub(super) static TIMER: Term = Term {
    names: &["hardware timer"],
    about: "What the system keeps time with, such as the TSC or the HPET.",
    ..PAGE
};

pub(super) static ASKED: Term = Term {
    names: &["asked"],
    unit: "a duration",
    about: "The duration that was asked for.",
    ..PAGE
};

pub(super) static EARLY: Term = Term {
    names: &["early"],
    about: "How many of the sleeps ended before their time, and the earliest by how much.",
    how: "By the runtime's stopwatch. Its tick and 500 ppm for slewing are no earliness.",
    act: "Check the time after such a sleep, and sleep again if it is not over.",
    ..PAGE
};

pub(super) static MEDIAN: Term = Term {
    names: &["median late"],
    unit: "a duration",
    about: "The median overshoot: half of the sleeps ended later than this after their time.",
    ..PAGE
};

pub(super) static P90: Term = Term {
    names: &["p90 late"],
    unit: "a duration",
    about: "Nine in ten sleeps ended no later than this after their time.",
    ..PAGE
};

pub(super) static MAX: Term =
    Term { names: &["max late"], unit: "a duration", about: "The largest overshoot.", ..PAGE };

pub(super) static BUILD: Term = Term {
    names: &["build"],
    place: "line of runtimes -v",
    about: "What else identifies the runtime: its compiler or its engine.",
    ..PAGE
};

pub(super) static PROGRAM: Term = Term {
    names: &["program"],
    place: "line of runtimes -v",
    about: "The program that was run, or that compiled the probe.",
    act: "Choose another one with --runtime ID=PATH.",
    ..PAGE
};

pub(super) static STOPWATCH: Term = Term {
    names: &["stopwatch"],
    place: "line of runtimes -v",
    about: "The clock of the runtime that timed its batches, and how much faster than claimed it \
            ran by the ruler.",
    ..PAGE
};

pub(super) static WARM_UP: Term = Term {
    names: &["warm-up"],
    place: "line of runtimes -v",
    about: "How long it took until batches no longer became faster, and how much faster the last \
            were than the first, for the cost that changed most.",
    how: "The median of the newer half of the last 250 ms is not below that of the older half.",
    ..PAGE
};

pub(super) static SETTING: Term = Term {
    names: &["setting"],
    place: "line of runtimes -v",
    about: "A setting of the runtime that changes what its clocks cost or how fine they are.",
    ..PAGE
};

pub(super) static REASON: Term = Term {
    names: &["reason"],
    about: "Why a runtime was not measured, or not to the end, and what to do about it.",
    ..PAGE
};
