//! What the names on this screen mean.

use crate::term::{METHOD, Term};

pub(super) static ALL: &[&Term] = &[
    &BACKWARDS,
    &CPUS,
    &RATE,
    &WALL,
    &SANDWICH,
    &TRAPS,
    &CONTENTION,
    &JUMPS,
    &PAUSES,
    &VMCLOCK,
    &OUTSIDE,
    &ID,
    &ONE_THREAD,
    &MOVED,
    &HANDED,
    &WORST,
    &VERDICT,
    &THREADS,
    &FACTOR,
    &AGAINST,
    &PPM,
    &STANDING,
    &PAIR,
    &NODE,
    &OFFSET,
    &PACE,
];

const TRUST: &str = "docs/trust.md";

/// What the terms of one kind have in common.
const LINE: Term = Term {
    names: &[],
    place: "line of trust",
    unit: "",
    about: "",
    how: "",
    act: "",
    references: &[TRUST, METHOD],
};
const COLUMN: Term = Term { place: "column of trust", ..LINE };

pub(super) static BACKWARDS: Term = Term {
    names: &["steps back"],
    about: "How many reads of all clocks returned less than an earlier read: on the same thread, \
            after the thread was moved to another CPU, or after another thread handed it over.",
    how: "Every test of the run counts. None is a bound on the tries and no proof.",
    act: "Do not time with a clock that goes back; the table shows which.",
    ..LINE
};

pub(super) static CPUS: Term = Term {
    names: &["CPUs"],
    about: "Whether the processor's counter agrees on all CPUs, read with fences on both sides, so \
            that only the counters themselves can be out of step.",
    how: "Threads on each pair of CPUs hand values to each other, and exchange values through a \
          page of memory that holds nothing else.",
    act: "If CPUs are out of step, update the firmware, and do not read the counter directly.",
    ..LINE
};

pub(super) static RATE: Term = Term {
    names: &["rate held against"],
    unit: "ppm",
    about: "The rate of the counter against something with another oscillator. Unverified: every \
            reference here counts the same oscillator, so all of them agree however wrong it is.",
    how: "The median of the slopes between all pairs of looks (Theil, Sen), with a 95 % interval.",
    act: "Keep the clock synchronised with NTP or PTP, so that there is something to compare with.",
    ..LINE
};

pub(super) static WALL: Term = Term {
    names: &["wall clock"],
    about: "Whether the wall clock was set during the run, and how fast the kernel slewed it.",
    how: "By its distance from the monotonic clock, by the kernel's own report \
          (TFD_TIMER_CANCEL_ON_SET), and by adjtimex(2). Slew: the monotonic clock against the \
          raw one.",
    act: "Measure intervals with a monotonic clock, which is never set.",
    ..LINE
};

pub(super) static SANDWICH: Term = Term {
    names: &["vDSO"],
    about: "Whether a read through the vDSO lies between a system call before it and one after it, \
            for the same clock.",
    how: "Three reads in a row, about a million times.",
    act: "If it does not, the vDSO or the kernel is broken: use the system call, and report it.",
    ..LINE
};

pub(super) static TRAPS: Term = Term {
    names: &["intercepted"],
    about: "Whether the kernel or a hypervisor intercepts reads of the counter, and whether the \
            vDSO falls back to the system call.",
    how: "By what the kernel says (PR_GET_TSC, AT_SYSINFO_EHDR) and by the cost of a read.",
    act: "Change the clock source, or the settings of the virtual machine.",
    ..LINE
};

pub(super) static CONTENTION: Term = Term {
    names: &["contention"],
    about: "By what factor the most affected clock is slower to read if a thread on every CPU \
            reads it at the same time.",
    how: "The median batch of the slowest thread in the quickest measurement, against that of a \
          thread on its own.",
    act: "Above about 1.5, reads share something: HPET and ACPI PM are one register for all CPUs.",
    ..LINE
};

pub(super) static JUMPS: Term = Term {
    names: &["jumps"],
    about: "How often a clock that nobody may set moved against the others by more than rates and \
            reads explain.",
    how: "All clocks are read together a hundred times per second. If most of them jump alike, the \
          counter did.",
    act: "A counter that jumps, as after a migration, must not be read directly.",
    ..LINE
};

pub(super) static PAUSES: Term = Term {
    names: &["pauses"],
    about: "How often the watching thread did not run for 100 ms or more, and what was paused: the \
            whole machine, if the hypervisor reports stolen time or the kernel's clocks stood \
            still; otherwise the thread.",
    how: "By the counter between two looks, the steal of all CPUs, and the thread's time in the \
          run queue.",
    act: "Ask the operator of the host about migrations, snapshots and overcommitted CPUs.",
    ..LINE
};

pub(super) static VMCLOCK: Term = Term {
    names: &["/dev/vmclock0"],
    about: "What the hypervisor reports about disruptions of this machine's time.",
    how: "A page that the hypervisor shares with the guest; its markers at the start and at the \
          end are compared.",
    act: "After a disruption, calibrate again.",
    references: &["Linux include/uapi/linux/vmclock-abi.h", TRUST],
    ..LINE
};

pub(super) static OUTSIDE: Term = Term {
    names: &["outside: *"],
    about: "What could show a wrong rate: the kernel's discipline and the programs that keep it, a \
            PTP clock, the real-time clock.",
    how: "adjtimex(2), /dev/ptp0, /dev/rtc0, and the list of processes.",
    act: "Without any of them, the rate of this machine is unverified.",
    ..LINE
};

pub(super) static ID: Term = Term {
    names: &["watched clock"],
    about: "The clock's name in the catalogue; for the counter, how it is read.",
    how: "chronoscope explain ID describes it.",
    act: "",
    ..COLUMN
};

pub(super) static ONE_THREAD: Term = Term {
    names: &["one thread"],
    about: "Reads in a row on one thread: how many were smaller than the one before.",
    how: "Thousands at a time, as fast as the clock can be read.",
    act: "A clock that steps back here is broken, or was set.",
    ..COLUMN
};

pub(super) static MOVED: Term = Term {
    names: &["moved"],
    about: "Reads right before and right after the thread was moved to another CPU: how many of \
            the later ones were smaller.",
    how: "sched_setaffinity(2) forces each move, to and fro between each pair of CPUs.",
    act: "If there are any, the CPUs are out of step.",
    ..COLUMN
};

pub(super) static HANDED: Term = Term {
    names: &["handed over", "handed\nover", "backwards"],
    about: "Values that threads on two CPUs handed to each other: how many receivers then read a \
            smaller one.",
    how: "In strict turn, millions per second, on every pair of CPUs.",
    act: "If a clock steps back here and the CPUs are in step, its reads are not ordered: the \
          processor takes them early. Use an ordered read.",
    ..COLUMN
};

pub(super) static WORST: Term = Term {
    names: &["worst"],
    unit: "ns",
    about: "The furthest step back of this clock in any test.",
    how: "By the clock's own values.",
    act: "",
    ..COLUMN
};

pub(super) static VERDICT: Term = Term {
    names: &["trust"],
    about: "Whether the clock can be trusted here, in a few words.",
    how: "From all tests of the run.",
    act: "",
    ..COLUMN
};

pub(super) static THREADS: Term = Term {
    names: &["1 thread", "threads", "all threads"],
    unit: "ns per read",
    about: "The cost of a read with one thread, and with a thread on every CPU.",
    how: "The median batch of the slowest thread, with the loop around the reads.",
    act: "",
    ..COLUMN
};

pub(super) static FACTOR: Term = Term {
    names: &["factor"],
    about: "The cost with all threads over that with one.",
    how: "About 1 if the clock is private to each CPU.",
    act: "On a busy machine it is above 1 for every clock.",
    ..COLUMN
};

pub(super) static AGAINST: Term = Term {
    names: &["against"],
    about: "The clock that the rate is compared with.",
    how: "Both are read between two reads of the counter.",
    act: "",
    ..COLUMN
};

pub(super) static PPM: Term = Term {
    names: &["rate", "±"],
    unit: "ppm",
    about: "By how much the clock runs faster than the reference, and half the 95 % interval. The \
            counter's nominal rate is the one that the processor or the kernel states; if none \
            does, the ruler's.",
    how: "Theil and Sen's slope; the interval includes what the width of the reads leaves open.",
    act: "Multiply by the length of what you time: 20 ppm of an hour are 72 ms.",
    ..COLUMN
};

pub(super) static STANDING: Term = Term {
    names: &["oscillator"],
    about: "Whether the comparison can show a wrong rate. Same oscillator: the two agree whatever \
            its rate is.",
    how: "From the clock source, the kernel's discipline and what the catalogue states.",
    act: "",
    ..COLUMN
};

pub(super) static PAIR: Term = Term {
    names: &["pair of CPUs"],
    about: "Two CPUs, as the system numbers them.",
    how: "Every pair, if there are at most 90 CPUs; of more, each with the first, with its \
          neighbour, and others by lot.",
    act: "",
    ..COLUMN
};

pub(super) static NODE: Term = Term {
    names: &["page on node", "page on\nnode"],
    about: "The memory node that the page belongs to through which the two exchanged values.",
    how: "The page is touched first on a CPU of that node. Two CPUs of different nodes are \
          compared through a page on each.",
    act: "",
    references: &["nviennot/core-to-core-latency, issues 97 and 156", TRUST],
    ..COLUMN
};

pub(super) static OFFSET: Term = Term {
    names: &["offset", "±"],
    unit: "ns",
    about: "By how much the counter of the second CPU is ahead of that of the first, and the \
            uncertainty. It is a fault only if it exceeds the uncertainty.",
    how: "Half the difference of the two one-way delays at the smallest round trip, plus or minus \
          half that round trip.",
    act: "",
    references: &["RFC 5905, section 8", TRUST],
    ..COLUMN
};

pub(super) static PACE: Term = Term {
    names: &["hand-overs per second", "hand-overs\nper second"],
    about: "How fast the two handed values to each other.",
    how: "Turns of both, over the time that they played.",
    act: "Below a million, one of the CPUs was busy.",
    ..COLUMN
};
