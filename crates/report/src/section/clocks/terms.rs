//! What the columns of clocks mean.

use super::batch_terms;
use crate::term::{METHOD, STATISTICS, Term};

pub(super) static ALL: &[&Term] = &[
    &CLOCK,
    &READ,
    &ORDERED,
    &SPREAD,
    &CORE_CYCLES,
    &INSTRUCTIONS,
    &COLD,
    &FIRST,
    &VERDICT,
    &RESOLUTION,
    &NOMINAL,
    &MEASURED,
    &TICK,
    &LEAST_SEEN,
    &MEDIAN_SEEN,
    &LIMITED_BY,
    &INTERVAL,
    &BACKWARDS,
    &ORDER,
    &EARLY,
    &HANDED,
    &SCOPE,
    &BITS,
    &WRAPS_AFTER,
    &EXAMPLE,
    &EXAMPLE_MS,
    &TIMER,
    &UNTIL_CHANGE,
    &CHANGE_SD,
    &batch_terms::RAW,
    &batch_terms::MIN,
    &batch_terms::MEDIAN,
    &batch_terms::MAD,
    &batch_terms::SD,
    &batch_terms::P99,
    &batch_terms::MAX,
    &batch_terms::BATCHES,
    &batch_terms::READS,
    &batch_terms::DISTURBED,
    &batch_terms::STOPPED,
    &batch_terms::PROCESSES,
    &batch_terms::SHARED,
    &batch_terms::SECOND,
    &FUNCTION,
    &TIME,
    &SPEED,
    &NS_PER_CALL,
    &COMPATIBLE,
];

pub(super) static CLOCK: Term = Term {
    names: &["clock", "id"],
    place: "column of clocks and of list",
    unit: "",
    about: "The name of a clock, family/variant. It never changes, and every command takes it. ▸ \
            marks the one to use of its kind: the one that is advised. If none of the kind is, it \
            is the cheapest with no known problem; if all have one, the cheapest that is fine \
            enough and good within limits. Clocks within 5 % of each other count as equal, and \
            the first of the catalogue is marked.",
    how: "",
    act: "chronoscope explain ID describes it; chronoscope list clocks shows the calls, and which \
          clocks are not available.",
    references: &[],
};

pub(super) static READ: Term = Term {
    names: &["read", "throughput"],
    place: "column of clocks and of the main screen",
    unit: "ns",
    about: "The cost of one read among many independent reads back to back. A program that takes \
            many timestamps pays this.",
    how: "The ruler times batches of reads, eight to an iteration of the loop. The figure is the \
          robust mode of the cost per read, less that of the same loop without a read, with a 95 % \
          interval.",
    act: "Of two clocks that are both good, use the cheaper. A read above 100 ns is a system call \
          or exits to the hypervisor: the findings say why.",
    references: &[METHOD, STATISTICS],
};

pub(super) static ORDERED: Term = Term {
    names: &["ordered", "latency"],
    place: "column of clocks and of the main screen",
    unit: "ns",
    about: "The cost of one read if the next may begin only after it has completed. This is how \
            long a program waits for the value.",
    how: "As read, with a fence after each read (lfence on x86, isb on Arm). The empty loop has \
          the fence too, so its cost is subtracted.",
    act: "Use this figure for intervals below a microsecond: two such reads are the shortest \
          interval that can be timed.",
    references: &[METHOD, "Intel SDM vol. 2B, RDTSC", "Arm ARM, CNTVCT_EL0"],
};

static SPREAD: Term = Term {
    names: &["±"],
    place: "column next to a figure",
    unit: "that of the figure",
    about: "Half the 95 % interval, for this run: 95 of 100 such intervals contain what a longer \
            run in the same process would find. Another process has its code and data elsewhere, \
            and may differ by more.",
    how: "For costs, a bootstrap over the rounds, widened for the order of batches and by the \
          bound on the ruler's rate; for overhead, the order statistics of the median. It is \
          rounded up. With fewer than six samples there is none.",
    act: "Two figures may be equal if they differ by less than the root of the sum of the squares \
          of their ±. More --budget narrows it.",
    references: &[METHOD, STATISTICS, "Goldstein and Healy 1995"],
};

pub(super) static CORE_CYCLES: Term = Term {
    names: &["core cycles", "core-cycles", "core_cycles"],
    place: "column of clocks and of the main screen",
    unit: "core cycles",
    about: "The cost of a read in core cycles, at the frequency that the core had at the time. \
            Nanoseconds change with that frequency from run to run; cycles hardly do.",
    how: "The cost times the core's frequency, which a chain of dependent additions measures once \
          per round. Absent on an emulated processor, which has no frequency.",
    act: "Use it to compare runs and machines.",
    references: &[METHOD],
};

pub(super) static INSTRUCTIONS: Term = Term {
    names: &["instructions", "throughput_instructions"],
    place: "column of clocks and of the main screen",
    unit: "instructions",
    about: "The instructions that one read executes in user mode. Those of the kernel are not \
            counted, so a system call looks short.",
    how: "The processor's counter of retired instructions, through perf_event_open: the difference \
          between a long and a short batch, less that of the empty loop. Absent where there is no \
          such counter, as in most virtual machines, or no permission; the reason is that of \
          x86/rdpmc in `chronoscope list clocks`.",
    act: "Divide it by the core cycles: far below one instruction per cycle, a read waits.",
    references: &[METHOD, "perf_event_open(2)"],
};

pub(super) static COLD: Term = Term {
    names: &["cold"],
    place: "column of clocks",
    unit: "ns",
    about: "The cost of one read after caches and branch history were displaced. A program that \
            rarely reads the clock pays this. The caches are all up to the level that the line \
            below the table names: what a read finds in the last level costs tens of nanoseconds, \
            what it must fetch from memory costs hundreds.",
    how: "Before each of up to 101 reads, memory of the size of the last-level cache (32 MiB or \
          more, at most 40) is walked, or of the second-level one (4 MiB or more) if the time does \
          not suffice for 15 reads of each clock; and 2048 branches are taken. What times the read \
          is then made warm again without a read. The figure is read plus what a single cold read \
          takes longer than a single warm one that is timed in the same way.",
    act: "If a program reads the clock once per millisecond, choose by this figure and not by \
          read. Its interval is wide. To have the last level displaced, name fewer clocks or give \
          more --budget.",
    references: &[METHOD],
};

pub(super) static FIRST: Term = Term {
    names: &["first"],
    place: "column of clocks",
    unit: "ns",
    about: "The first read in a new process, including page faults and symbol resolution but not \
            the start of the process.",
    how: "The tool starts itself five times for each clock and reads the clock once. - means that \
          the budget was too short.",
    act: "Read a clock once at start-up if the first timestamp must not be late. Five reads give \
          the order of magnitude only.",
    references: &[METHOD],
};

pub(super) static VERDICT: Term = Term {
    names: &["verdict"],
    place: "column of clocks and of the main screen",
    unit: "",
    about: "The judgement on the clock for measuring on this machine: good, limited in the way \
            that the text says, unknown because evidence is missing (yellow), or better avoided \
            (red).\n\nIt is the first of these that holds: it went backwards; it stood still; it \
            is off over 100 ms; its counter cannot be trusted; nothing shows whether that can be \
            trusted; it counts something other than elapsed time; it is coarse (a tick of 1 us or \
            more); it was not watched for long enough to change; it is slow (above 100 ns); it \
            wraps within an hour; it ran backwards between two CPUs although its reads are \
            ordered; it is read early, or may be; it may be stepped.",
    how: "From what this run measured and what the machine reports about itself, and from nothing \
          else.",
    act: "`may be read early`: the processor may execute the read before earlier instructions have \
          finished, so use it for timestamps, not for short intervals; `140 ns early`: it was \
          seen to do so (see order). `no proof across CPUs`: the kernel does not vouch for the \
          counter, and no second CPU was compared. `may be stepped`: do not measure by \
          subtracting two of its values.",
    references: &["crates/diagnose/src/verdict.rs", METHOD],
};

pub(crate) static RESOLUTION: Term = Term {
    names: &["resolution"],
    place: "column of the main screen",
    unit: "a duration",
    about: "The smallest difference that can be seen: the tick if that is longer than a read \
            takes, otherwise about the cost of a read, which `~` marks. `>1.3 s`: the clock did \
            not change in the 1.3 s for which it was watched; red if it should have.",
    how: "From tick, least seen and read, which chronoscope clocks shows separately.",
    act: "Only time intervals that are much longer: a hundred times, for one per cent.",
    references: &[METHOD],
};

pub(super) static NOMINAL: Term = Term {
    names: &["nominal", "nominal resolution"],
    place: "column of clocks",
    unit: "a duration",
    about: "The resolution that the interface claims. It gives the unit of the values, hardly ever \
            how fine they are: clock_getres returns 1 ns for a clock that takes 16 ns to read.",
    how: "clock_getres, QueryPerformanceFrequency, CLOCKS_PER_SEC and the like; - if the interface \
          claims nothing.",
    act: "Do not rely on it; see measured.",
    references: &["clock_getres(2)", METHOD],
};

pub(super) static MEASURED: Term = Term {
    names: &["measured", "measured resolution"],
    place: "column of clocks",
    unit: "a duration",
    about: "The smallest difference that the clock showed on this machine: its tick or, with ~, \
            the cost of a read if that is longer. Compare it with nominal, which the interface \
            claims.",
    how: "From tick, least seen and read.",
    act: "Only time intervals that are much longer: a hundred times, for one per cent.",
    references: &[METHOD],
};

pub(super) static TICK: Term = Term {
    names: &["tick"],
    place: "column of clocks",
    unit: "a duration",
    about: "The amount by which the value changes: all differences are multiples of it. It may be \
            shorter than a read. A clock has at least the tick of the counter that it is built on: \
            on AMD's Zen the TSC advances every 10 ns, and so does every clock that the kernel \
            computes from it. `finer`: differences of every size were seen, so the tick is finer \
            than a read can show.",
    how: "The greatest common divisor of the differences seen, supported by at least 99.9 % of \
          them; or a period that is not a whole number of units, which differences between 400 \
          reads with a varying amount of work between them concentrate at the multiples of. If the \
          kernel slews a coarse clock, its steps have no common divisor, and the tick is the \
          smallest step.",
    act: "One pair of reads cannot show an interval shorter than the tick. A mean of many can.",
    references: &[METHOD],
};

pub(super) static LEAST_SEEN: Term = Term {
    names: &["least seen", "seen", "least"],
    place: "column of clocks",
    unit: "a duration",
    about: "The smallest difference above zero between two successive reads.",
    how: "The clock is read for 3 ms, or until it has changed 20,000 times; one that hardly \
          changes is watched for up to 2.3 s.",
    act: "It is the shortest interval that this clock showed here. If it is far above the tick, \
          the read takes that long.",
    references: &[METHOD],
};

pub(super) static MEDIAN_SEEN: Term = Term {
    names: &["median seen", "seen"],
    place: "column of clocks",
    unit: "a duration",
    about: "The median difference above zero between two successive reads. If it is ten times the \
            tick or more, the clock is updated periodically and does not count continuously; \
            Windows' system time is an example.",
    how: "From the same reads as least seen.",
    act: "For such a clock, treat it as the tick.",
    references: &[METHOD],
};

pub(super) static LIMITED_BY: Term = Term {
    names: &["limited by"],
    place: "column of clocks",
    unit: "",
    about: "What keeps the clock from showing smaller differences. `tick`: its tick is longer than \
            a read. `read cost`: a read takes longer than the tick. `-`: it did not change while \
            it was watched.",
    how: "The tick compared with the cost of a read.",
    act: "tick: look for a finer clock of the same kind. read cost: look for a cheaper one.",
    references: &[METHOD],
};

pub(super) static INTERVAL: Term = Term {
    names: &["100 ms", "difference", "difference (100 ms)"],
    place: "column of clocks",
    unit: "ms",
    about: "What the clock shows for one interval of about 100 ms that the ruler measured as \
            well. Red if the two disagree. (ruler): the clock is the counter that measured the \
            interval, converted at the rate that was measured for it, so the two agree in any \
            case, and nothing is checked. A clock that the kernel derives from that counter is \
            checked for the conversion, not for the oscillator. A clock of CPU time shows next to \
            nothing, because the process slept.",
    how: "All clocks are read, one sleep of 100 ms follows, and all are read again. They agree \
          within two steps of the clock, the duration of the reads, and the 500 ppm that Linux \
          slews by at most (MAXFREQ in include/linux/timex.h). The figure has the digits that this \
          allows. The sleep itself takes longer than 100 ms.",
    act: "A clock that disagrees does not run at its stated rate, or stopped while the process \
          slept: do not measure with it.",
    references: &[METHOD],
};

pub(super) static BACKWARDS: Term = Term {
    names: &["steps back", "backwards"],
    place: "column of clocks, line of deltas",
    unit: "",
    about: "How often a read returned less than the one before, on one thread.",
    how: "Over all reads made for the resolution, or for deltas. A counter that wraps has not gone \
          backwards. `none` is no proof; it is a bound given by the number of reads.",
    act: "Never time anything with a clock that goes backwards: see the finding clock-backwards.",
    references: &["chronoscope explain clock-backwards", METHOD],
};

pub(super) static ORDER: Term = Term {
    names: &["order"],
    place: "column of clocks",
    unit: "",
    about: "Whether the read takes place where it stands in the code: the worst that was seen in \
            this run, next to what the manuals promise. `140 ns early`: the processor took the \
            value that long before earlier work was done. `1 in 100 hand-overs backwards`: see \
            hand-overs. `later work 90 ns ahead of it`: instructions after the read did not wait \
            for it. `ordered in every test, not promised`: no test failed, but another processor \
            may do otherwise.",
    how: "See early and hand-overs. The promise is that of Intel's SDM, AMD's APM and Arm's ARM, \
          and on AMD, for lfence, CPUID 0x80000021 EAX[2]: LFENCE always serialises dispatch.",
    act: "For short intervals use a read that is ordered. For timestamps of several threads, a \
         clock that never ran backwards.",
    references: &[
        METHOD,
        "Intel SDM vol. 2B, RDTSC",
        "AMD APM vol. 3, LFENCE and CPUID Fn8000_0021",
        "Arm ARM D12",
    ],
};

pub(super) static EARLY: Term = Term {
    names: &["after load", "after branch", "after chain", "early"],
    place: "column of clocks",
    unit: "ns",
    about: "How much earlier the read was taken than one that a fence separates from the work \
            before it. 0: no more than the fence itself and the scatter explain. -: that work \
            takes too little time here to test anything.",
    how: "Thousands of times the read follows a load that misses the cache; such a load with a \
          branch on it; and a chain of eight dependent divisions, which fits into the scheduler. \
          Every other time a fence comes in between. The difference of the two, less the same \
          difference without any work, is how early the read was. One kind of work proves \
          nothing: a read may wait for loads and not for arithmetic. The worst counts.",
    act: "An interval ends that much too early if it is timed with this read.",
    references: &[METHOD],
};

pub(super) static HANDED: Term = Term {
    names: &["hand-overs", "hand overs"],
    place: "column of clocks",
    unit: "",
    about: "How often two threads on two CPUs handed a value of the clock to each other. The one \
            that received it then read the clock itself; a smaller value is a hand-over backwards.",
    how: "Each stores its value and passes the turn on with release and acquire; nothing else \
          orders the reads. A read that is taken early, or counters that are out of step, make \
          it run backwards.",
    act: "Do not order the events of several threads by a clock that ran backwards.",
    references: &[METHOD],
};

pub(super) static SCOPE: Term = Term {
    names: &["scope", "local or universal", "gives time"],
    place: "column of clocks",
    unit: "",
    about: "What the clock's time refers to. local: this machine, since some starting point. \
            universal: UTC, which may be stepped. CPU: the process or the thread, while it runs. \
            tick: a counter, which has no epoch.",
    how: "As the interface defines it.",
    act: "Use local for durations, universal for timestamps that others read, CPU for the CPU time \
          of code.",
    references: &[],
};

pub(super) static BITS: Term = Term {
    names: &["bits"],
    place: "column of clocks",
    unit: "bits",
    about: "The significant bits of the value, without the sign.",
    how: "From the type that the interface returns.",
    act: "See wraps after for the consequence.",
    references: &[],
};

pub(super) static WRAPS_AFTER: Term = Term {
    names: &["wraps after", "wraps", "wrap"],
    place: "column of clocks",
    unit: "a duration",
    about: "When the value returns to zero, counted from its zero.",
    how: "Two to the power of its bits, divided by its rate: the measured one for a counter.",
    act: "If the program runs for longer, subtract in unsigned arithmetic of that width, or use \
          another clock: 32 bits of milliseconds end after 49.7 days.",
    references: &[],
};

pub(super) static EXAMPLE: Term = Term {
    names: &["example"],
    place: "column of clocks",
    unit: "that of the clock",
    about: "A value that was read in this run, in the clock's own unit.",
    how: "One read at the end of the run.",
    act: "It shows what a program gets: ticks, nanoseconds, seconds.",
    references: &[],
};

pub(super) static EXAMPLE_MS: Term = Term {
    names: &["example (ms)", "example_ms"],
    place: "column of clocks --calls",
    unit: "ms",
    about: "The example in milliseconds, whatever the clock's own unit: the ticks of a counter \
            are divided by its measured rate, as a program must that wants milliseconds from it.",
    how: "The value of example, times the length of its unit. - if that changes, as for core \
          cycles.",
    act: "Counters and monotonic clocks count from the start of the machine or of the counter, \
          wall clocks from 1970.",
    references: &[],
};

pub(super) static TIMER: Term = Term {
    names: &["timer"],
    place: "column of clocks -v",
    unit: "",
    about: "What the clock is built on: the processor's counter, read directly; the system's clock \
            source, by name; a time stored at the timer tick; the scheduler's account of CPU time; \
            or a device.",
    how: "As the catalogue states it, with the clock source that is in use.",
    act: "A clock cannot be finer or more trustworthy than its timer.",
    references: &[METHOD],
};

pub(super) static UNTIL_CHANGE: Term = Term {
    names: &["until change", "until_change"],
    place: "column of clocks -v",
    unit: "a duration",
    about: "How long a program spins that reads the clock until it returns another value. It is \
            the tick, or the cost of one or two reads if that is longer.",
    how: "The median of up to 200 samples, each the mean of as many changes as take 20 us, by the \
          ruler; each read is one call of the loop that fills a buffer. - if the clock did not \
          change often enough in its share of the time.",
    act: "Compare it with tick and latency: where it is far above both, the clock is updated \
          periodically.",
    references: &[METHOD, "A. Akinshin, Pro .NET Benchmarking, 2019, chapter 9"],
};

pub(super) static CHANGE_SD: Term = Term {
    names: &["its SD", "until change SD"],
    place: "column of clocks -v",
    unit: "a duration",
    about: "The standard deviation of the samples of until change.",
    how: "With n - 1 in the denominator; interrupts are included.",
    act: "A large one means that the machine is not quiet, or that the clock's steps differ.",
    references: &[METHOD],
};

pub(super) static FUNCTION: Term = Term {
    names: &["function"],
    place: "column of clocks --calls",
    unit: "",
    about: "The call as a user writes it, including any macro or cast that belongs to it.",
    how: "",
    act: "chronoscope list clocks shows the id of each call, and chronoscope explain ID describes \
          it.",
    references: &[],
};

pub(super) static TIME: Term = Term {
    names: &["time", "time (ms)"],
    place: "column of clocks --calls",
    unit: "ms",
    about: "How long that many calls took, one after the other, with everything that happened in \
            between.",
    how: "One loop, timed by the ruler in pieces of a million calls; the loop is not subtracted.",
    act: "For the cost of one undisturbed read, see read.",
    references: &[METHOD],
};

pub(super) static SPEED: Term = Term {
    names: &["speed"],
    place: "column of clocks --calls",
    unit: "",
    about: "fast: up to twice the cheapest clock in this table whose tick is below 1 ms. ok: up to \
            ten times. slow: more.",
    how: "From ns per call. A clock with a tick of 1 ms or more only reads a stored value, so it \
          does not set the standard.",
    act: "",
    references: &["crates/diagnose/src/bulk.rs"],
};

pub(super) static NS_PER_CALL: Term = Term {
    names: &["ns per call"],
    place: "column of clocks --calls",
    unit: "ns",
    about: "The time of all calls divided by their number.",
    how: "A plain mean: it includes interrupts and the loop, which read does not.",
    act: "",
    references: &[METHOD],
};

pub(super) static COMPATIBLE: Term = Term {
    names: &["compatible"],
    place: "column of clocks --calls",
    unit: "",
    about: "The systems or processors on which the call exists.",
    how: "As the catalogue states it; chronoscope explain ID says more.",
    act: "If a program must run elsewhere too, use a clock that every system has, or one for each.",
    references: &[],
};
