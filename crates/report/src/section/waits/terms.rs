//! What the columns of waits mean.

use super::why;
use crate::term::{DURATION, METHOD as ABOUT, Term, WAITS as ABOUT_WAITS};

pub(super) static ALL: &[&Term] = &[
    &METHOD,
    &SLACK,
    &SLICE,
    &MEDIAN,
    &WORST,
    &CPU,
    &MIN,
    &MEAN,
    &MAX,
    &PERCENTILES,
    &INTERVALS,
    &EARLY,
    &WAITS,
    &SWITCHES,
    &MISSED,
    &THROTTLED,
    &CENSORED,
    &DEADLINES,
    &LOAD,
    &MOMENT,
    &TICKS,
    &REQUESTED,
    &BEST_FOR,
    &COMPARED,
    &RANGE,
    &SHARE,
    &why::LATER,
    &why::WAKE_UPS,
    &why::LATE,
    &why::CAUSES,
    &why::AT,
    &why::ON_CPU,
    &why::IDLE,
];

pub(super) static METHOD: Term = Term {
    names: &["method", "wait"],
    place: "column of waits",
    unit: "",
    about: "The way of waiting; chronoscope explain ID has a page on each. It may be followed by \
            +period(1), if timeBeginPeriod(1) was called first (Windows), and by the CPU, if there \
            are several.",
    how: "",
    act: "",
    references: &[ABOUT_WAITS],
};

pub(super) static SLACK: Term = Term {
    names: &["slack"],
    place: "column of waits",
    unit: "a duration",
    about: "How much later than asked the kernel may wake the thread, so that one wake-up serves \
            several timers. Linux gives a thread 50 us; on Windows it is the period of the clock \
            interrupt. Empty if it has no effect on the method.",
    how: "Set with prctl(PR_SET_TIMERSLACK), and read back.",
    act: "prctl(PR_SET_TIMERSLACK, 1) before the wait saves these 50 us in nearly every sleep, for \
          a little more power.",
    references: &["prctl(2), PR_SET_TIMERSLACK", ABOUT_WAITS],
};

pub(super) static SLICE: Term = Term {
    names: &["slice"],
    place: "column of waits --slice",
    unit: "a duration",
    about: "For how long the scheduler lets the thread run at a time while others want its CPU, if \
            the thread has asked for that (Linux 6.12). A thread with a short slice gets its CPU \
            sooner after it wakes. Its share of the CPU stays the same: it is interrupted sooner, \
            and interrupts others more often. Empty: the slice that the system gives, 2.8 ms on \
            many machines. The range that can be set is 100 us to 100 ms.",
    how: "Set with sched_setattr (SCHED_OTHER, sched_runtime), and read back.",
    act: "Next to busy threads of the same priority, ask for 100 us (chronoscope waits --slice \
          default,100us --load normal shows the difference). It helps a thread that sleeps and \
          then computes for less than its slice. chronoscope advise --for wait gives the code.",
    references: &[
        "sched_setattr(2)",
        "Linux commit 857b158dc5e8; Documentation/scheduler/sched-eevdf.rst",
        ABOUT_WAITS,
    ],
};

pub(super) static INTERVALS: Term = Term {
    names: &["p50 95 %", "p90 95 %", "p99 95 %"],
    place: "column of waits",
    unit: "durations",
    about: "The 95 % interval of that percentile: from where to where it could lie if the run were \
            repeated in the same state of the machine. Open after 'to' if its end is among the \
            waits that the end of the run cut off.",
    how: "From one order statistic of the waits to another, whatever their distribution. It takes \
          waits as independent; consecutive ones resemble each other, so the interval is rather \
          too narrow.",
    act: "Two rows whose intervals overlap cannot be told apart. More waits narrow them: raise \
          --count or --duration.",
    references: &[ABOUT_WAITS, "David and Nagaraja, Order Statistics, 3rd edition, 7.1"],
};

pub(super) static THROTTLED: Term = Term {
    names: &["throttled"],
    place: "column of waits",
    unit: "periods",
    about: "Periods in which a control group of this process had used up its CPU quota, so that \
            everything in it, waits and load, had to stop until the next period.",
    how: "nr_throttled and throttled_usec in cpu.stat of the process's control group and of those \
          around it (throttled_time in version 1), before and after the row's turns. With --json, \
          also the time.",
    act: "Raise the quota (cpu.max, in Kubernetes the CPU limit), or load the group less. Waits \
          that a quota made late are no property of the method.",
    references: &["cgroups(7)", "Linux Documentation/scheduler/sched-bwc.rst", ABOUT_WAITS],
};

pub(super) static CENSORED: Term = Term {
    names: &["censored"],
    place: "remark on waits",
    unit: "waits",
    about: "Waits that were still in progress when the run ended, and for 300 ms after that. They \
            are no samples, because nobody knows their overshoot; but those that had passed their \
            deadline are later than most, and leaving them out would flatter the method.",
    how: "The interval of a percentile counts them as above all others. Their number, and how late \
          they were already, is in the JSON.",
    act: "Raise --duration if there are several.",
    references: &[ABOUT_WAITS],
};

pub(super) static MEDIAN: Term = Term {
    names: &[DURATION],
    place: "column of the main screen",
    unit: "a duration",
    about: "The median overshoot of waits for that duration: half of them ended later than this \
            after their deadline.",
    how: "The time at which the thread ran again minus the deadline, measured with the ruler.",
    act: "chronoscope waits shows more: percentiles, the maximum, CPU time, loads.",
    references: &[ABOUT_WAITS],
};

pub(super) static WORST: Term = Term {
    names: &["worst"],
    place: "column of the main screen",
    unit: "a duration",
    about: "The largest overshoot of all durations in the row.",
    how: "From dozens to hundreds of waits: a longer run finds larger ones.",
    act: "For a bound, run chronoscope waits --duration for as long as it matters, under the load \
          that you expect.",
    references: &[ABOUT_WAITS],
};

pub(super) static CPU: Term = Term {
    names: &["CPU", "CPU at*"],
    place: "column of waits",
    unit: "share of a CPU",
    about: "CPU time of the waiting thread as a share of the time it waited. A spin uses all of \
            it.",
    how: "CLOCK_THREAD_CPUTIME_ID (Windows: GetThreadTimes) before and after each burst of waits, \
          divided by the time that they took. It includes the measuring.",
    act: "If a spin uses too much, a wait that sleeps first and then spins (chronoscope/wait) is \
          as punctual for a few per cent.",
    references: &[ABOUT_WAITS],
};

pub(super) static MIN: Term = Term {
    names: &["min", "overshoot"],
    place: "column of waits",
    unit: "a duration",
    about: "The smallest overshoot: the time at which the thread ran again minus its deadline.",
    how: "Measured with the ruler, exactly. Only waits that touched a gap are left out.",
    act: "",
    references: &[ABOUT_WAITS, ABOUT],
};

pub(super) static MEAN: Term = Term {
    names: &["mean"],
    place: "column of waits",
    unit: "a duration",
    about: "The mean overshoot.",
    how: "Over the same waits as min.",
    act: "Judge a method by p99 and max, not by the mean.",
    references: &[ABOUT_WAITS],
};

pub(super) static MAX: Term = Term {
    names: &["max"],
    place: "column of waits",
    unit: "a duration",
    about: "The largest overshoot.",
    how: "Over the same waits as min.",
    act: "A longer run finds larger ones.",
    references: &[ABOUT_WAITS],
};

pub(super) static PERCENTILES: Term = Term {
    names: &["p50", "p90", "p99", "p99.9"],
    place: "column of waits",
    unit: "a duration",
    about: "That percentage of the waits overshot by at most this.",
    how: "From an HDR histogram of 1 ns to 1 h with three significant digits.",
    act: "A percentile is shown only if there are enough waits for a 95 % interval around it: 6 \
          for p50, 29 for p90, 299 for p99, 2,995 for p99.9. If it is missing, raise --count or \
          --duration.",
    references: &[ABOUT_WAITS, "Wilks 1941, Annals of Mathematical Statistics 12, 91-96"],
};

pub(super) static EARLY: Term = Term {
    names: &["early"],
    place: "column of waits",
    unit: "waits",
    about: "Waits that ended before their deadline. That is a defect of the method; in the \
            histogram they count as 0.",
    how: "Measured with the ruler: early by more than its stated error, the slew of the system's \
          clock, 100 ns for reading, and a tick of that clock at either end.",
    act: "Do not rely on such a method; advise never recommends it. Check the deadline after the \
          wait, and wait again.",
    references: &[ABOUT_WAITS],
};

pub(super) static WAITS: Term = Term {
    names: &["waits"],
    place: "column of waits",
    unit: "waits",
    about: "Waits that were measured, without those that touched a gap, in which the process was \
            stopped or the machine was suspended.",
    how: "As --count and --duration ask.",
    act: "",
    references: &[ABOUT_WAITS],
};

pub(super) static SWITCHES: Term = Term {
    names: &["switches own/forced", "switches"],
    place: "column of waits",
    unit: "context switches",
    about: "How often the thread gave up its CPU (own), and how often it was taken off it \
            (forced).",
    how: "getrusage(RUSAGE_THREAD); Windows does not report it.",
    act: "A forced switch means that another thread ran: raise the priority, or give the thread a \
          CPU of its own.",
    references: &["getrusage(2)", ABOUT_WAITS],
};

pub(super) static MISSED: Term = Term {
    names: &["missed"],
    place: "column of waits --period",
    unit: "deadlines",
    about: "Deadlines of the grid that had passed when the thread woke. It waits for the next one \
            instead.",
    how: "Counted: every deadline is either a wait or missed.",
    act: "If there are any, judge by the second table, whose percentiles include them.",
    references: &[ABOUT_WAITS, "Gil Tene, coordinated omission"],
};

pub(super) static DEADLINES: Term = Term {
    names: &["deadlines"],
    place: "column of waits --period",
    unit: "deadlines",
    about: "Waits and missed deadlines together.",
    how: "The histogram has an entry for each missed deadline: how late the thread was for it.",
    act: "",
    references: &[ABOUT_WAITS],
};

pub(super) static LOAD: Term = Term {
    names: &["load"],
    place: "heading of waits",
    unit: "",
    about: "What the tool ran alongside, from none to a storm of timer interrupts (timers). What \
            its processes do, and the CPU time that they really used, is given above the table. \
            low runs when nothing else does (SCHED_IDLE), low-nice gets the small share of nice \
            19, normal is scheduled as the tool is, and high comes first (nice -20).",
    how: "Separate processes on each allowed CPU, which end with the table.",
    act: "Judge a wait under the load that it will meet: normal shows the effect of an ordinary \
          busy machine.",
    references: &[ABOUT_WAITS],
};

pub(super) static MOMENT: Term = Term {
    names: &["in the last", "frequency", "steal", "interrupts", "last waits", "CPU", "switches"],
    place: "line of waits --stop-above",
    unit: "",
    about: "The moment of the overshoot that ended the run: the CPU and its frequency, time that \
            the hypervisor took, context switches, interrupts of that CPU, and the overshoots \
            before it.",
    how: "Changes of /proc/stat, /proc/interrupts and the thread's own counters since they were \
          last read, at most a second before.",
    act: "Interrupts with a high count, or steal as long as the overshoot, are the likely cause.",
    references: &[ABOUT_WAITS],
};

static TICKS: Term = Term {
    names: &["AVG", "MAX OVER"],
    place: "column of waits --style ticks",
    unit: "ticks of the reference",
    about: "MIN, AVG and MAX are whole waits, MAX OVER is the largest overshoot.",
    how: "Measured with the reference named on the first line, whatever the method.",
    act: "",
    references: &[ABOUT_WAITS],
};

pub(super) static REQUESTED: Term = Term {
    names: &["wait"],
    place: "column of the best waits",
    unit: "a duration",
    about: "The duration that was waited for.",
    how: "",
    act: "For another one, run chronoscope waits --wait DURATION.",
    references: &[ABOUT_WAITS],
};

pub(super) static BEST_FOR: Term = Term {
    names: &["best for", "accuracy", "CPU time", "load", "Best"],
    place: "column of the best waits",
    unit: "",
    about: "What the method is the best at. accuracy: the least overshoot on an otherwise idle \
            machine. CPU time: the least CPU time per wait. load: the least overshoot next to the \
            load under which the method was latest.",
    how: "accuracy: the smallest p90, then p50, then CPU time. CPU time: the least, then the \
          smallest p90. load: the smallest p90, then CPU time. Two overshoots are told apart only \
          if their 95 % intervals do not overlap and one is more than twice the other; two CPU \
          times, if one is more than 1.2 times the other (1.5 times if CPU time only breaks a \
          tie). If nothing tells methods apart, the simplest is shown: no setting, a sleep rather \
          than a spin, the order of chronoscope list waits. Rows of fewer than 30 waits, and \
          methods that were early, are not compared.",
    act: "chronoscope advise --for wait gives the code, the intervals, and the methods that were \
          not told apart.",
    references: &[ABOUT_WAITS],
};

pub(super) static COMPARED: Term = Term {
    names: &["change", "p90 mains", "p90 battery", "p90 this", "p90 other"],
    place: "column of report --compare",
    unit: "a duration",
    about: "The p90 of overshoot in two reports, and how the second lies to the first. The columns \
            are named after what powered the machine if that differs, and otherwise 'this' (the \
            report) and 'other' (the one it is compared with).",
    how: "Rows of the same method, settings, duration, load and CPU. 'same': their 95 % intervals \
          overlap, so the two cannot be told apart.",
    act: "For mains against battery, measure twice on a machine that is otherwise left alone: \
          chronoscope waits --json once for each, then chronoscope report FILE --compare OTHER.",
    references: &[ABOUT_WAITS],
};

pub(super) static RANGE: Term = Term {
    names: &["overshoot"],
    place: "column of the distribution of waits",
    unit: "a range of durations",
    about: "Waits that overshot by at least the first duration and less than the second. Early \
            wakes are below the first.",
    how: "From an HDR histogram with three significant digits; the ranges are 1, 2 and 5 times a \
          power of ten, or whole powers if they span six of them or more.",
    act: "--export hdr=FILE writes the whole histogram.",
    references: &[ABOUT_WAITS],
};

pub(super) static SHARE: Term = Term {
    names: &["share", "distribution", "at *"],
    place: "column of the distribution of waits",
    unit: "share of the waits",
    about: "The share of the waits in this range; the heading is \
            the duration waited for if there are several. Empty: none.",
    how: "With --period, missed deadlines are included.",
    act: "",
    references: &[ABOUT_WAITS],
};
