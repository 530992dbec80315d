//! Waits.

use super::{DURATION, METHOD, Term, WAITS};

pub(super) const TERMS: &[Term] = &[
    Term {
        names: &["method", "wait"],
        place: "column of waits",
        unit: "",
        about: "The way of waiting; chronoscope explain ID has a page on each. Behind it stand +period(1), where \
                timeBeginPeriod(1) was called before (Windows), and the processor, where there are several.",
        how: "",
        act: "",
        references: &[WAITS],
    },
    Term {
        names: &["slack"],
        place: "column of waits",
        unit: "a duration",
        about: "How much later than asked the kernel may wake the thread, so that it can wake for several timers at once. \
                Linux gives a thread 50 us; on Windows it is the period of the clock interrupt. Empty where it has no effect on \
                the method.",
        how: "Set by prctl(PR_SET_TIMERSLACK), and read back.",
        act: "prctl(PR_SET_TIMERSLACK, 1) before the wait takes these 50 us off nearly every sleep, for a little more power.",
        references: &["prctl(2), PR_SET_TIMERSLACK", WAITS],
    },
    Term {
        names: &["timer slack"],
        place: "line of hardware",
        unit: "a duration",
        about: "What the tool's own thread was given by whoever started it: how much later than asked the kernel may wake it.",
        how: "prctl(PR_GET_TIMERSLACK).",
        act: "See slack.",
        references: &["prctl(2), PR_SET_TIMERSLACK", WAITS],
    },
    Term {
        names: &[DURATION],
        place: "column of the first screen",
        unit: "a duration",
        about: "The median overshoot where a thread asked to wait for so long: how late it ran again in half of the waits.",
        how: "The time at which it ran again less the deadline, by the ruler.",
        act: "chronoscope waits shows more of each: percentiles, the largest, processor time, loads.",
        references: &[WAITS],
    },
    Term {
        names: &["worst"],
        place: "column of the first screen",
        unit: "a duration",
        about: "The largest overshoot of all durations in the row.",
        how: "Of some dozens or hundreds of waits: a longer run finds larger ones.",
        act: "For a bound run chronoscope waits --duration for as long as it matters, under the load that will be there.",
        references: &[WAITS],
    },
    Term {
        names: &["CPU", "CPU at*"],
        place: "column of waits",
        unit: "share of a processor",
        about: "Processor time of the waiting thread while it waited. A spin takes all of it.",
        how: "CLOCK_THREAD_CPUTIME_ID (Windows: GetThreadTimes) before and after each burst of waits, over the time that they took; \
              the measuring is in it.",
        act: "Where a spin's share is too much, a wait that sleeps first and spins for the rest (chronoscope/wait) is as punctual \
              for a few percent.",
        references: &[WAITS],
    },
    Term {
        names: &["overshoot", "min", "mean", "max"],
        place: "column of waits, and of clocks -v",
        unit: "a duration",
        about: "Of waits: the smallest, the mean and the largest overshoot, which is the time at which the thread ran again less its \
                deadline. Of clocks: the cheapest and the dearest batch, per read, the loop still in it.",
        how: "By the ruler; min and max are exact, and none is left out but what touched a gap.",
        act: "Judge a method by p99 and max, not by the mean.",
        references: &[WAITS, METHOD],
    },
    Term {
        names: &["p50", "p90", "p99", "p99.9"],
        place: "column of waits, and of clocks -v",
        unit: "a duration",
        about: "So many percent of the waits overshot by no more than this; of clocks, p99 is that of the batches, per read.",
        how: "From an HDR histogram of 1 ns to 1 h with three significant digits.",
        act: "With n waits nothing can be said of a percentile above 1 - 1/n: fifty waits have no p99, and it shows as the \
              maximum. Raise --count or --duration.",
        references: &[WAITS],
    },
    Term {
        names: &["early"],
        place: "column of waits",
        unit: "waits",
        about: "Waits that ended before their deadline. They are defects; in the histogram they stand as 0.",
        how: "By the ruler, beyond its stated error, the slew of the system's clock, 100 ns of reading and a step of that clock at \
              either end.",
        act: "Do not rely on such a method; advise never names it. Check the deadline after the wait, and wait again.",
        references: &[WAITS],
    },
    Term {
        names: &["waits"],
        place: "column of waits",
        unit: "waits",
        about: "Waits that were measured. Those that touched a gap, in which the process was stopped or the machine slept, are not \
                among them.",
        how: "As --count and --duration say.",
        act: "",
        references: &[WAITS],
    },
    Term {
        names: &["switches own/forced", "switches"],
        place: "column of waits",
        unit: "context switches",
        about: "How often the thread gave its processor up (own), and how often it was taken off it (forced).",
        how: "getrusage(RUSAGE_THREAD); Windows does not tell it.",
        act: "Forced ones are another thread's turn: raise the priority, or give the thread a processor of its own.",
        references: &["getrusage(2)", WAITS],
    },
    Term {
        names: &["missed"],
        place: "column of waits --period",
        unit: "deadlines",
        about: "Deadlines of the grid that had passed when the thread woke: it waits for the first that is still to come.",
        how: "Counted; every deadline is a wait or a missed one.",
        act: "Where there are any, judge by the second table, which has them in its percentiles.",
        references: &[WAITS, "Gil Tene, coordinated omission"],
    },
    Term {
        names: &["deadlines"],
        place: "column of waits --period",
        unit: "deadlines",
        about: "Waits and missed deadlines together.",
        how: "The histogram beside it has an entry for each missed one, as late as the thread was for it.",
        act: "",
        references: &[WAITS],
    },
    Term {
        names: &["load"],
        place: "heading of waits, line of hardware",
        unit: "",
        about: "Of waits: what the tool let run beside, from none to a storm of timer interrupts (timers); what processor time it \
                really got stands above the table. Of hardware: how many threads ran or wanted to, over 1, 5 and 15 minutes.",
        how: "Processes of their own on each allowed CPU, ended with the table; /proc/loadavg.",
        act: "Judge a wait under the load that it will live with: normal shows what an ordinary busy machine does to it.",
        references: &[WAITS, "proc_loadavg(5)"],
    },
    Term {
        names: &[
            "in the last",
            "frequency",
            "steal",
            "interrupts",
            "last waits",
        ],
        place: "line of waits --stop-above",
        unit: "",
        about: "The moment of the overshoot that ended the run: frequency of the processor, time that the hypervisor took, context \
                switches, interrupts of that processor, and the overshoots before it.",
        how: "Changes of /proc/stat, /proc/interrupts and the thread's own accounts since the last look, a second before at most.",
        act: "An interrupt that counts up far, or a steal that is as long as the overshoot, is the likely cause.",
        references: &[WAITS],
    },
    Term {
        names: &["AVG", "MAX OVER"],
        place: "column of waits --style seed",
        unit: "ticks of the reference",
        about: "MIN, AVG and MAX are whole waits, MAX OVER the largest overshoot.",
        how: "By the reference that the first line names, whatever method is measured.",
        act: "",
        references: &[WAITS],
    },
];
