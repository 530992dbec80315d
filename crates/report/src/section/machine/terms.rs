//! What the facts of the machine mean.

use crate::term::{METHOD, Term, WAITS};

pub(super) static ALL: &[&Term] = &[
    &PROCESSOR,
    &SYSTEM,
    &CLOCK_SOURCE,
    &COUNTER,
    &ACROSS,
    &LFENCE,
    &RULER,
    &CORE,
    &NOISE,
    &PROCESSOR_DETAILS,
    &TOPOLOGY,
    &CORE_TYPES,
    &DISCIPLINE,
    &COMPARISON,
    &AFFINITY,
    &HYPERVISOR,
    &EMULATED,
    &KERNEL,
    &VDSO,
    &TIMER_SLACK,
    &LOAD,
    &TSC_KIND,
    &TSC_FEATURES,
    &ERRATA,
    &RATE_FROM,
    &HZ,
    &TIMERS,
    &POWER,
    &CORE_MEASURED,
    &IDLE,
    &RDTSC,
    &FACT,
    &BASIS,
];

pub(super) static PROCESSOR: Term = Term {
    names: &["processor"],
    place: "line above the clocks and of hardware",
    unit: "",
    about: "The processor's own name for itself, and the number of logical CPUs that are online.",
    how: "CPUID leaves 0x80000002 to 4 on x86, /proc/cpuinfo and the MIDR on Arm, the registry on \
          Windows.",
    act: "",
    references: &[],
};

pub(super) static SYSTEM: Term = Term {
    names: &["system"],
    place: "line above the clocks and of hardware",
    unit: "",
    about: "The operating system, its kernel, and the hypervisor. A guest's figures depend on its \
            hypervisor as well.",
    how: "/etc/os-release, uname(2), and for the hypervisor CPUID leaf 0x40000000, DMI and the \
          kernel log.",
    act: "",
    references: &[],
};

pub(super) static CLOCK_SOURCE: Term = Term {
    names: &["clock source"],
    place: "line above the clocks and of hardware",
    unit: "",
    about: "What the kernel keeps time with, the other clock sources that it could use, and \
            whether the vDSO can read it in user space. Reading the TSC takes about 20 ns; the \
            HPET and the ACPI timer are devices, which take a system call and a microsecond each.",
    how: "/sys/devices/system/clocksource/clocksource0/current_clocksource and \
          available_clocksource.",
    act: "If it is not tsc (on a guest: tsc, kvm-clock or Hyper-V's page), look for the reason in \
          the kernel log: chronoscope hardware -v.",
    references: &[
        "Linux Documentation/timers/timekeeping.rst",
        "Linux arch/x86/include/asm/vdso/clocksource.h",
    ],
};

pub(super) static ACROSS: Term = Term {
    names: &["across CPUs"],
    place: "line above the clocks and of hardware",
    unit: "a duration",
    about: "Whether the processor's counter shows the same time on several CPUs: how far they can \
            be apart at most, and how many values handed from one to another were larger than what \
            the receiver then read itself.",
    how: "Two threads, each on its own CPU, read the counter with fences on both sides. In \
          exchanges, a value of one lies between two of the other; in hand-overs, each must not \
          be smaller than the one received. A quarter of a second in all.",
    act: "If it says `apart`, or `not compared`, do not merge bare counter values of several \
          threads: use the system's monotonic clock.",
    references: &[METHOD, "Linux arch/x86/kernel/tsc_sync.c"],
};

pub(super) static LFENCE: Term = Term {
    names: &["LFENCE serialises"],
    place: "line of hardware",
    unit: "",
    about: "Whether the processor states that LFENCE always holds back later instructions until \
            earlier ones have completed. `lfence; rdtsc` is ordered on AMD only then, or if the \
            kernel has set a bit that user code cannot see. On Intel it always is.",
    how: "CPUID 0x80000021 EAX[2].",
    act: "See the order of x86/lfence-rdtsc, which is tested: chronoscope clocks x86.",
    references: &["AMD APM vol. 3, LFENCE and CPUID Fn8000_0021", "Intel SDM vol. 2A, LFENCE"],
};

pub(super) static COUNTER: Term = Term {
    names: &["counter"],
    place: "line above the clocks",
    unit: "Hz, parts per million",
    about: "The processor's counter: whether it can be a clock (an invariant TSC runs at one rate \
            whatever the core does), its measured rate, and how far the rate stated by another \
            source is off.",
    how: "The kind from CPUID leaf 0x80000007 bit 8 and the kernel's flags; the rate is the \
          ruler's.",
    act: "A variant TSC is not a clock. If a stated rate is off by more than a few hundred parts \
          per million, every program that relies on it is wrong: calibrate, or use the library, \
          which does.",
    references: &[
        METHOD,
        "Intel SDM vol. 3B, Invariant TSC",
        "chronoscope explain tsc-rate-mismatch",
    ],
};

pub(super) static RULER: Term = Term {
    names: &[
        "ruler",
        "reads",
        "its rate",
        "error of its rate",
        "calibrated against",
        "cost",
        "its tick",
        "pinned to",
    ],
    place: "line above the clocks, and lines of hardware -v",
    unit: "ns for its cost, parts per million for its rate",
    about: "The clock that every duration of the run was measured with. On x86-64 it is the \
            time-stamp counter between fences, on AArch64 the generic timer's counter between \
            barriers; elsewhere, or if the counter cannot be trusted, the system's monotonic \
            clock.",
    how: "Its rate is the slope between two brackets, each a read of the reference between two \
          reads of the ruler, the tightest of 200 tries. ± is a bound, not an estimate: half the \
          width of both brackets divided by the time between them. It bounds the rate against the \
          reference only; what that is worth stands behind it (see comparison). Its cost is that \
          of an empty batch, and is subtracted from every batch.",
    act: "If its rate is off by more than a few parts per million after seconds of measuring, the \
          reference or the counter jumped: measure again, and see chronoscope hardware. The notes \
          say why another ruler had to be used.",
    references: &[METHOD, "Cristian, Probabilistic clock synchronization, 1989"],
};

pub(super) static CORE: Term = Term {
    names: &["core", "core, low", "core, high", "core, shared"],
    place: "line above the clocks, and lines of hardware -v",
    unit: "GHz",
    about: "The CPU that was measured on, and the frequency of its core: the 1st to the 99th \
            percentile of all rounds, then the median. Costs that depend on the frequency are \
            normalised to the median.",
    how: "Each round times a chain of 4000 additions, each of which needs the result of the one \
          before and takes a cycle, twice at each look, and keeps the fastest. The counter's own \
          rate has no influence. Additions that do not need each other use all units of the core: if they \
          are slower than the chain suggests, something else uses the core's other hardware \
          thread, and the round is shared. No estimate includes shared rounds unless there are too \
          few others.",
    act: "A wide range means that the frequency changed: compare runs by core cycles, or fix the \
          frequency (performance governor, no turbo). --cpu N chooses the CPU.",
    references: &[METHOD],
};

pub(super) static NOISE: Term = Term {
    names: &["noise", "waited for its CPU"],
    place: "line above the clocks",
    unit: "batches, context switches, time",
    about: "What disturbed the run: batches in which the thread was taken off its CPU or moved to \
            another, or during which the hypervisor took time from that CPU (steal). No figure \
            includes a disturbed batch. Then the share of time that was taken from a spinning \
            thread, in gaps of more than a microsecond: by the kernel, which was entered, or by \
            the host of a virtual machine or the firmware, which the kernel does not notice. \
            Short exits to the host are no steal. Also the time that the thread was ready to run \
            while something else had its CPU.",
    how: "After each batch, the thread's involuntary context switches and its CPU are compared \
          with those before; after each round, the steal in /proc/stat; over the run, the time in \
          the run queue (/proc/thread-self/schedstat). Linux reports all of these, Windows only \
          the CPU, macOS none. What was taken is watched for 50 ms at the end; a null selector in \
          ES, which a return from the kernel clears, shows who took it. That needs x86-64 and \
          Linux, and is tested in each run.",
    act: "A few disturbed batches in a thousand are normal. If there are many, stop other work, \
          choose another CPU with --cpu N, or give more --budget.",
    references: &[METHOD, "getrusage(2)", "proc_stat(5)"],
};

pub(super) static PROCESSOR_DETAILS: Term = Term {
    names: &["vendor", "signature", "machine", "architecture"],
    place: "line of hardware",
    unit: "",
    about: "Who made the processor; its family, model and stepping (on Arm the MIDR); the \
            machine's model; and the instruction set.",
    how: "CPUID leaves 0 and 1 or /proc/cpuinfo; DMI or the device tree.",
    act: "The signature identifies the errata of counters.",
    references: &["Intel SDM vol. 2A, CPUID", "Arm ARM, MIDR_EL1"],
};

pub(super) static TOPOLOGY: Term = Term {
    names: &["CPUs online", "cores", "sockets", "NUMA nodes", "SMT", "topology by"],
    place: "line of hardware",
    unit: "",
    about: "Logical CPUs, physical cores, sockets, memory nodes, and whether logical CPUs share a \
            core.",
    how: "/sys/devices/system/cpu and node. In a virtual machine, the numbers of CPUs, the cores \
          and SMT are the hypervisor's claim: another tenant may run on the other thread of a \
          core that seems to have one thread, and a CPU may move to another core.",
    act: "Work on the sibling of a shared core slows a measurement down, and noise does not show \
          it. The counters of several sockets need not agree.",
    references: &["Linux Documentation/admin-guide/cputopology.rst"],
};

pub(super) static CORE_TYPES: Term = Term {
    names: &["core types"],
    place: "line of hardware",
    unit: "CPU numbers; capacity of 1024",
    about: "The types of cores of a hybrid processor, fastest first, and the CPUs of each. All \
            costs are higher on an efficiency core, so the tool measures on a performance core if \
            it may.",
    how: "/sys/devices/cpu_core and cpu_atom on Intel; otherwise CPUID leaf 0x1A (AMD: \
          0x80000026), executed on each CPU; on Arm cpu_capacity and the MIDR of each CPU. In a \
          virtual machine it is the hypervisor's claim.",
    act: "Measure on the type of core that your program runs on: --cpu N chooses the CPU.",
    references: &[
        "Intel SDM vol. 2A, CPUID leaf 1AH",
        "Linux Documentation/scheduler/sched-capacity.rst",
    ],
};

pub(super) static DISCIPLINE: Term = Term {
    names: &["discipline"],
    place: "line of hardware",
    unit: "a duration, parts per million",
    about: "Whether a program (NTP, PTP) keeps the kernel's clock synchronised with one outside \
            the machine; if so, the kernel's bound on the clock's error (maxerror), the program's \
            estimate of it (esterror), and by how much the clock is made to run faster than its \
            clock source.",
    how: "adjtimex(2), which sets nothing here.",
    act: "If nothing synchronises it, no rate on this machine is verified: run chronyd or ntpd.",
    references: &["adjtimex(2)", "Linux kernel/time/ntp.c"],
};

pub(super) static COMPARISON: Term = Term {
    names: &["comparison"],
    place: "line of hardware -v, words next to a measured rate",
    unit: "",
    about: "Whether the clock that the ruler was compared with could have shown a wrong rate. \
            unverified: same oscillator: the reference counts the very counter that it calibrates, \
            as CLOCK_MONOTONIC_RAW does if the clock source is tsc. That the two agree to 0.01 ppm \
            proves nothing about the oscillator. unverified: the reference may be another timer, \
            but its own error is not known. +N ppm by a clock: that clock is independent, and the \
            measured rate is that much above the one by it. A clock that a program keeps \
            synchronised with one outside the machine is such a clock, and the correction that it \
            needs is the difference; so is a PTP device.",
    how: "From the clock source and adjtimex(2); a PTP device is read when a run begins and when \
          it ends. An RTC shows whole seconds, which in a run of seconds shows nothing.",
    act: "For a verified rate, synchronise the machine's clock and read the correction in \
          chronoscope hardware.",
    references: &[METHOD, "adjtimex(2)"],
};

pub(super) static AFFINITY: Term = Term {
    names: &["may run on"],
    place: "line of hardware",
    unit: "CPU numbers",
    about: "The CPUs that this process may use.",
    how: "sched_getaffinity(2).",
    act: "--cpu N takes one of these; taskset or the container's cpuset changes them.",
    references: &["sched_setaffinity(2)"],
};

pub(super) static HYPERVISOR: Term = Term {
    names: &["hypervisor", "its features"],
    place: "line of hardware",
    unit: "",
    about: "What runs this virtual machine, how that is known, and which of its features concern \
            time.",
    how: "CPUID leaf 0x40000000, DMI, the kernel log. None detected is no proof that there is \
          none.",
    act: "With kvm-clock-stable or Hyper-V's TSC page, the counters of all CPUs agree; without \
          them the kernel must ensure that, and reads are slower.",
    references: &[
        "Linux Documentation/virt/kvm/x86/cpuid.rst",
        "Microsoft Hypervisor TLFS, Feature Identification",
    ],
};

pub(super) static EMULATED: Term = Term {
    names: &["emulated"],
    place: "line of hardware",
    unit: "",
    about: "Whether a program executes the instructions instead of the processor. Then every \
            figure is that program's.",
    how: "The names of QEMU and Rosetta in CPUID, a kernel of another architecture, a MIDR that is \
          reserved for software.",
    act: "Measure on the machine that matters.",
    references: &["chronoscope explain emulated-cpu"],
};

pub(super) static KERNEL: Term = Term {
    names: &["kernel", "available", "boot parameters", "kernel log"],
    place: "line of hardware",
    unit: "",
    about: "The kernel's release, the clock sources that it could use, and those of its boot \
            parameters and log lines that concern time.",
    how: "uname(2), /sys/devices/system/clocksource, /proc/cmdline, /dev/kmsg. Only root may be \
          able to read the log.",
    act: "clocksource=, tsc=, hpet=, nohz_full= and the like change what is measured. -v shows the \
          lines.",
    references: &["Linux Documentation/admin-guide/kernel-parameters.txt"],
};

pub(super) static VDSO: Term = Term {
    names: &["vDSO"],
    place: "line of hardware",
    unit: "",
    about: "Code of the kernel that is mapped into each process and reads the time without a \
            system call.",
    how: "The ELF image at AT_SYSINFO_EHDR, and the time functions that it exports.",
    act: "If it is absent, each read of the time is a system call, several times slower: see the \
          finding no-vdso.",
    references: &["vdso(7)", "chronoscope explain no-vdso"],
};

pub(super) static TIMER_SLACK: Term = Term {
    names: &["timer slack"],
    place: "line of hardware",
    unit: "a duration",
    about: "How much later than asked the kernel may wake the tool's own thread. The thread \
            inherits it from the process that started it.",
    how: "prctl(PR_GET_TIMERSLACK).",
    act: "See slack.",
    references: &["prctl(2), PR_SET_TIMERSLACK", WAITS],
};

pub(super) static LOAD: Term = Term {
    names: &["load"],
    place: "line of hardware",
    unit: "",
    about: "How many threads ran or wanted to run, over 1, 5 and 15 minutes.",
    how: "/proc/loadavg.",
    act: "",
    references: &["proc_loadavg(5)"],
};

pub(super) static TSC_KIND: Term = Term {
    names: &["kind", "evidence"],
    place: "line of hardware",
    unit: "",
    about: "How far the TSC can be relied on. invariant: one rate in every power state. constant: \
            one rate, but it may stop in deep idle states. variant: it follows the core's \
            frequency. The evidence is where that is stated.",
    how: "CPUID leaf 0x80000007, EDX bit 8, and the flags in /proc/cpuinfo.",
    act: "Only an invariant TSC is a clock.",
    references: &["Intel SDM vol. 3B, Invariant TSC", "AMD APM vol. 3, Fn8000_0007"],
};

pub(super) static TSC_FEATURES: Term = Term {
    names: &["RDTSCP", "TSC_ADJUST", "TSC deadline", "may be read"],
    place: "line of hardware",
    unit: "",
    about: "Whether the processor has the instruction RDTSCP, the register IA32_TSC_ADJUST and the \
            local APIC's deadline timer, and whether this process may read the counter at all.",
    how: "CPUID leaf 0x80000001 EDX bit 27, leaf 7 EBX bit 1, leaf 1 ECX bit 24; \
          prctl(PR_GET_TSC).",
    act: "With TSC_ADJUST the kernel can detect and correct firmware that shifted the counter of \
          one CPU.",
    references: &["Intel SDM vol. 2A, CPUID", "prctl(2), PR_GET_TSC"],
};

pub(super) static ERRATA: Term = Term {
    names: &["errata"],
    place: "line of hardware",
    unit: "",
    about: "Errata of the generic timer's counter that are known for this processor, or that the \
            kernel names.",
    how: "The MIDR, and the kernel log.",
    act: "The kernel works around them, which makes each read slower.",
    references: &["Linux drivers/clocksource/arm_arch_timer.c"],
};

pub(super) static RATE_FROM: Term = Term {
    names: &["rate by", "rate", "how"],
    place: "column of hardware",
    unit: "",
    about: "The sources of the counter's rate, and how each knows it, or why it does not.",
    how: "CPUID leaves 0x15, 0x16 and 0x40000010, the kernel log, on Arm CNTFRQ_EL0, and a \
          measurement against the system's clock.",
    act: "Trust the measured one, if its comparison is independent. If not, it shows what the \
          kernel takes for a second, which is what all its clocks go by.",
    references: &["Intel SDM vol. 2A, CPUID", METHOD],
};

pub(super) static HZ: Term = Term {
    names: &["Hz", "against*", "difference"],
    place: "column of hardware",
    unit: "Hz, parts per million",
    about: "The rate according to a source, and its difference from the measured one (or from the \
            first, if none was measured). ± next to the measured rate is the bound on its error.",
    how: "One rate divided by the other, minus one.",
    act: "1 ppm is 86 ms per day. Crystals differ from their nominal rate by tens of ppm; hundreds \
          mean a wrong figure: see the finding tsc-rate-mismatch.",
    references: &["chronoscope explain tsc-rate-mismatch", METHOD],
};

pub(super) static TIMERS: Term = Term {
    names: &["HPET", "ACPI PM", "HPET, ACPI*", "event timer*", "RTC*", "PTP*", "VMClock"],
    place: "line of hardware",
    unit: "Hz",
    about: "The other timers of the machine: the HPET (10 MHz or more) and the ACPI timer \
            (3.579545 MHz), which are devices that the kernel falls back to; the event timer, \
            which wakes the CPU for every wait; real-time clocks; the clocks of network cards \
            (PTP); a virtual machine's own.",
    how: "ACPI tables, /proc/iomem and ioports, /sys, the kernel log. What only root can see is \
          unknown.",
    act: "",
    references: &["IA-PC HPET specification 1.0a", "ACPI specification 6.5, 4.8.3.3"],
};

pub(super) static POWER: Term = Term {
    names: &["source", "governor", "frequency driver", "kernel's figure", "priority class"],
    place: "line of hardware",
    unit: "",
    about: "Mains or battery; what chooses the core's frequency, and through which driver; the \
            frequency that the kernel reports; on Windows the priority class of the process.",
    how: "/sys/class/power_supply, /sys/devices/system/cpu/cpu*/cpufreq, /proc/cpuinfo.",
    act: "Before you compare runs, choose the performance governor: cpupower frequency-set -g \
          performance.",
    references: &[
        "Linux Documentation/admin-guide/pm/cpufreq.rst",
        "chronoscope explain governor-powersave",
    ],
};

pub(super) static CORE_MEASURED: Term = Term {
    names: &["core, measured"],
    place: "line of hardware",
    unit: "GHz",
    about: "The frequency that the core really had under full load.",
    how: "A chain of dependent additions, one cycle each, timed by the ruler.",
    act: "If it is far from the kernel's figure, that is a nominal one, and the hypervisor or \
          turbo sets the real frequency.",
    references: &[METHOD],
};

pub(super) static IDLE: Term = Term {
    names: &["idle driver", "idle states"],
    place: "line of hardware",
    unit: "us",
    about: "The states in which an idle CPU sleeps, and how long it takes to wake from each.",
    how: "/sys/devices/system/cpu/cpuidle and cpu0/cpuidle; the driver states the times.",
    act: "Deep states make every wait end late by their wake-up time: chronoscope waits \
          --keep-awake shows the difference.",
    references: &["Linux Documentation/admin-guide/pm/cpuidle.rst"],
};

pub(super) static RDTSC: Term = Term {
    names: &["here", "nearest family", "cycles"],
    place: "line and column of hardware",
    unit: "core cycles, TSC cycles, ns",
    about: "What rdtsc costs back to back on this machine, and what was published for other \
            processors.",
    how: "This machine: measured in this run, as read is. The table: Agner Fog, Instruction tables \
          (2016-01-09).",
    act: "Compare core cycles with the table; the TSC's cycles have another rate.",
    references: &["Agner Fog, Instruction tables", METHOD],
};

pub(super) static FACT: Term = Term {
    names: &["section", "key", "value", "unit"],
    place: "column of hardware --export csv",
    unit: "",
    about: "A fact of the machine: the group it belongs to, its name, its value, and its unit.",
    how: "",
    act: "",
    references: &[],
};

pub(super) static BASIS: Term = Term {
    names: &["basis"],
    place: "column of hardware --export csv, and end of each line of hardware",
    unit: "",
    about: "How a fact is known: measured in this run; read from the kernel, the processor or the \
            firmware; or claimed by the hypervisor, which answers for the processor and the \
            firmware of a virtual machine. Cores, SMT and the invariant bit of a guest are claims.",
    how: "",
    act: "Measure what matters: chronoscope trust, chronoscope doctor.",
    references: &[METHOD],
};
