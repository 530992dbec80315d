//! The head of the main screen: the machine, the ruler, what disturbed the run.

use super::{METHOD, Term};

pub(super) const TERMS: &[Term] = &[
    Term {
        names: &["ruler"],
        place: "line above the clocks",
        unit: "ns for its cost, parts per million for its rate",
        about: "What every duration of the run was measured with. On x86-64 it is the time-stamp counter between fences, on \
                AArch64 the generic timer's counter between barriers, elsewhere, or where the counter cannot be trusted, the \
                system's monotonic clock.",
        how: "Its rate is the slope between two brackets, each a value of the reference between two of the ruler, the \
              tightest of 200 tries; ± is a bound, not an estimate: half the width of both brackets over the time between. Its \
              cost is what an empty batch takes, and is taken off every batch.",
        act: "A rate that is off by more than some parts per million after seconds of measuring means that the reference or \
              the counter jumped: measure again, and look at chronoscope hardware. The report's ruler.notes say why another \
              ruler had to do.",
        references: &[
            METHOD,
            "Cristian, Probabilistic clock synchronization, 1989",
        ],
    },
    Term {
        names: &["core"],
        place: "line above the clocks",
        unit: "GHz",
        about: "The processor that was measured on, and the frequency its core had: the median of all rounds, and in brackets \
                their 1st and 99th percentile. Costs that follow the frequency are given at the median.",
        how: "Each round times a chain of 4000 additions, each of which needs the one before and takes a cycle, three times, \
              and keeps the fastest. The counter's own rate has nothing to do with it.",
        act: "A wide range means a frequency that changed: compare runs by core cycles, or fix the frequency (the performance \
              governor, no turbo). --cpu N chooses the processor.",
        references: &[METHOD],
    },
    Term {
        names: &["noise"],
        place: "line above the clocks",
        unit: "batches, context switches, time",
        about: "What disturbed the run: batches in which the thread was taken off its processor or moved, or during which the \
                hypervisor took time from that processor (steal). A disturbed batch stands in no figure.",
        how: "After each batch the thread's involuntary context switches and its processor are compared with those before; \
              after each round the steal of /proc/stat. Linux tells all of these, Windows the processor only, macOS none.",
        act: "Some disturbed batches in a thousand are usual. Where they are many, stop what else runs, choose another \
              processor by --cpu N, or give more --budget.",
        references: &[METHOD, "getrusage(2)", "proc_stat(5)"],
    },
    Term {
        names: &["counter"],
        place: "line above the clocks",
        unit: "Hz, parts per million",
        about: "The processor's counter: whether it can be a clock (an invariant TSC runs at one rate whatever the core does), \
                the rate that was measured, and how far off the rate is that another source tells.",
        how: "CPUID leaf 0x80000007 bit 8 and the kernel's flags tell the kind; the rate is the ruler's.",
        act: "A variant TSC is no clock. A told rate that is off by more than some hundred parts per million makes every \
              program wrong that believes it: calibrate, or use the library, which does.",
        references: &[
            METHOD,
            "Intel SDM vol. 3B, Invariant TSC",
            "chronoscope explain tsc-rate-mismatch",
        ],
    },
    Term {
        names: &["clock source"],
        place: "line above the clocks, and of hardware",
        unit: "",
        about: "What the kernel keeps time by, the others that it could use, and whether the vDSO can read it in user space. \
                The TSC is read in some 20 ns; HPET and the ACPI timer are devices, which take a system call and a microsecond \
                each.",
        how: "/sys/devices/system/clocksource/clocksource0/current_clocksource and available_clocksource.",
        act: "Where it is not tsc (on a guest: tsc, kvm-clock or Hyper-V's page), look for the reason in the kernel's log: \
              chronoscope hardware -v.",
        references: &[
            "Linux Documentation/timers/timekeeping.rst",
            "Linux arch/x86/include/asm/vdso/clocksource.h",
        ],
    },
    Term {
        names: &["processor"],
        place: "line above the clocks, and of hardware",
        unit: "",
        about: "The processor as it calls itself, and the number of logical processors that are on line.",
        how: "CPUID leaves 0x80000002 to 4 on x86, /proc/cpuinfo and the MIDR on Arm, the registry on Windows.",
        act: "",
        references: &[],
    },
    Term {
        names: &["system"],
        place: "line above the clocks, and of hardware",
        unit: "",
        about: "The operating system, its kernel, and what the machine runs under. Figures of a guest are those of its \
                hypervisor, too.",
        how: "/etc/os-release, uname(2), and for the hypervisor CPUID leaf 0x40000000, DMI and the kernel's log.",
        act: "",
        references: &[],
    },
];
