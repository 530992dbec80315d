//! What `hardware` tells of the machine.

use super::{METHOD, Term};

pub(super) const TERMS: &[Term] = &[
    Term {
        names: &["vendor", "signature", "machine", "architecture"],
        place: "line of hardware",
        unit: "",
        about: "Who made the processor, its family, model and stepping (on Arm the MIDR), the machine's model, and the \
                instruction set.",
        how: "CPUID leaves 0 and 1 or /proc/cpuinfo; DMI or the device tree.",
        act: "Errata of counters go by the signature.",
        references: &["Intel SDM vol. 2A, CPUID", "Arm ARM, MIDR_EL1"],
    },
    Term {
        names: &["CPUs on line", "cores", "sockets", "NUMA nodes", "SMT"],
        place: "line of hardware",
        unit: "",
        about: "Logical processors, physical cores, sockets, memory nodes, and whether logical processors share a core.",
        how: "/sys/devices/system/cpu and node. A guest sees what its hypervisor tells.",
        act: "What runs on the sibling of a shared core slows a measurement without a sign of it in noise. Counters of several \
              sockets need not agree.",
        references: &["Linux Documentation/admin-guide/cputopology.rst"],
    },
    Term {
        names: &["may run on"],
        place: "line of hardware",
        unit: "CPU numbers",
        about: "The processors that this process may use.",
        how: "sched_getaffinity(2).",
        act: "--cpu N takes one of these; taskset or the container's cpuset changes them.",
        references: &["sched_setaffinity(2)"],
    },
    Term {
        names: &["hypervisor", "its features"],
        place: "line of hardware",
        unit: "",
        about: "What runs this virtual machine, how that is known, and which of its offers bear on time.",
        how: "CPUID leaf 0x40000000, DMI, the kernel's log. None seen is no proof that there is none.",
        act: "kvm-clock-stable and Hyper-V's TSC page make the counter's reads agree over all processors; without them the \
              kernel must look after that, and reads are dearer.",
        references: &[
            "Linux Documentation/virt/kvm/x86/cpuid.rst",
            "Microsoft Hypervisor TLFS, Feature Identification",
        ],
    },
    Term {
        names: &["emulated"],
        place: "line of hardware",
        unit: "",
        about: "Whether a program carries out the instructions instead of the processor: then every figure is the program's.",
        how: "QEMU's and Rosetta's names in CPUID, a kernel of another architecture, a MIDR that is reserved for software.",
        act: "Measure on the machine that matters.",
        references: &["chronoscope explain emulated-cpu"],
    },
    Term {
        names: &["kernel", "available", "boot parameters", "kernel log"],
        place: "line of hardware",
        unit: "",
        about: "The kernel's release, the clock sources it could use, and those of its boot parameters and log lines that bear on \
                time.",
        how: "uname(2), /sys/devices/system/clocksource, /proc/cmdline, /dev/kmsg. The log may be readable for root only.",
        act: "clocksource=, tsc=, hpet=, nohz_full= and their like change what is measured here. -v shows the lines.",
        references: &["Linux Documentation/admin-guide/kernel-parameters.txt"],
    },
    Term {
        names: &["vDSO"],
        place: "line of hardware",
        unit: "",
        about: "Code of the kernel that is mapped into each process and reads the time without a system call.",
        how: "The ELF image at AT_SYSINFO_EHDR, and the time functions that it exports.",
        act: "Absent, each read of the time is a system call, several times dearer: see the finding no-vdso.",
        references: &["vdso(7)", "chronoscope explain no-vdso"],
    },
    Term {
        names: &["kind", "evidence"],
        place: "line of hardware, column of list",
        unit: "",
        about: "Of the TSC: invariant runs at one rate in every state of power; constant at one rate, but may stop in deep idle; \
                variant follows the core. The evidence says what tells so. Of clocks: counter, monotonic, wall or cpu; of waits: \
                sleep, busy, or hybrid, which sleeps and then spins.",
        how: "CPUID leaf 0x80000007, EDX bit 8, and the flags of /proc/cpuinfo.",
        act: "Only an invariant TSC is a clock.",
        references: &[
            "Intel SDM vol. 3B, Invariant TSC",
            "AMD APM vol. 3, Fn8000_0007",
        ],
    },
    Term {
        names: &["RDTSCP", "TSC_ADJUST", "TSC deadline", "may be read"],
        place: "line of hardware",
        unit: "",
        about: "Whether the instruction RDTSCP, the register IA32_TSC_ADJUST and the local APIC's deadline timer are there, and \
                whether this process may read the counter at all.",
        how: "CPUID leaf 0x80000001 EDX bit 27, leaf 7 EBX bit 1, leaf 1 ECX bit 24; prctl(PR_GET_TSC).",
        act: "TSC_ADJUST lets the kernel see firmware that shifted the counter of one processor, and mend it.",
        references: &["Intel SDM vol. 2A, CPUID", "prctl(2), PR_GET_TSC"],
    },
    Term {
        names: &["errata"],
        place: "line of hardware",
        unit: "",
        about: "Faults of the generic timer's counter that are known for this processor, or that the kernel names.",
        how: "By the MIDR, and the kernel's log.",
        act: "The kernel works around them, at a price for each read.",
        references: &["Linux drivers/clocksource/arm_arch_timer.c"],
    },
    Term {
        names: &["rate by", "rate", "how"],
        place: "column of hardware",
        unit: "",
        about: "Who tells a rate of the counter, and how, or why it does not.",
        how: "CPUID leaves 0x15, 0x16 and 0x40000010, the kernel's log, on Arm CNTFRQ_EL0, and a measurement against the system's \
              clock.",
        act: "Believe the measured one.",
        references: &["Intel SDM vol. 2A, CPUID", METHOD],
    },
    Term {
        names: &["Hz", "against*", "difference"],
        place: "column of hardware",
        unit: "Hz, parts per million",
        about: "The rate that a source tells, and how far it is from the measured one (or from the first that is told); ± beside \
                the measured one is its bound.",
        how: "Rate over rate, less one.",
        act: "1 ppm is 86 ms a day. Crystals differ by some tens of ppm from what is told; hundreds are a wrong figure: see \
              tsc-rate-mismatch.",
        references: &["chronoscope explain tsc-rate-mismatch", METHOD],
    },
    Term {
        names: &[
            "HPET",
            "ACPI PM",
            "HPET, ACPI*",
            "event timer*",
            "RTC*",
            "PTP*",
            "VMClock",
        ],
        place: "line of hardware",
        unit: "Hz",
        about: "The other timers of the machine: HPET (10 MHz or more) and the ACPI timer (3.579545 MHz), which are devices that the \
                kernel falls back to; the event timer, which wakes the processor for every wait; real-time clocks; the clocks of \
                network cards (PTP); a virtual machine's own.",
        how: "ACPI tables, /proc/iomem and ioports, /sys, the kernel's log; what only root can see is unknown.",
        act: "",
        references: &[
            "IA-PC HPET specification 1.0a",
            "ACPI specification 6.5, 4.8.3.3",
        ],
    },
    Term {
        names: &[
            "source",
            "governor",
            "frequency driver",
            "kernel's figure",
            "priority class",
        ],
        place: "line of hardware",
        unit: "",
        about: "Mains or battery; what chooses the core's frequency and by which driver; the frequency as the kernel tells it; on \
                Windows the priority class of the process.",
        how: "/sys/class/power_supply, /sys/devices/system/cpu/cpu*/cpufreq, /proc/cpuinfo.",
        act: "Before you compare runs choose the governor performance: cpupower frequency-set -g performance.",
        references: &[
            "Linux Documentation/admin-guide/pm/cpufreq.rst",
            "chronoscope explain governor-powersave",
        ],
    },
    Term {
        names: &["core, gauged"],
        place: "line of hardware",
        unit: "GHz",
        about: "The frequency that the core really had in a moment of full load.",
        how: "A chain of dependent additions, a cycle each, timed by the ruler.",
        act: "Where it is far from the kernel's figure, the hypervisor or turbo decides, and that figure is the nominal one.",
        references: &[METHOD],
    },
    Term {
        names: &["idle driver", "idle states"],
        place: "line of hardware",
        unit: "us",
        about: "How the processor sleeps when it has nothing to do, and how long it takes to wake from each state.",
        how: "/sys/devices/system/cpu/cpuidle and cpu0/cpuidle; the times are the driver's claims.",
        act: "Deep states make every wait late by their wake-up: chronoscope waits --keep-awake shows what is gained without.",
        references: &["Linux Documentation/admin-guide/pm/cpuidle.rst"],
    },
    Term {
        names: &["here", "nearest family", "cycles"],
        place: "line and column of hardware",
        unit: "cycles of the core, of the TSC, ns",
        about: "What rdtsc costs here back to back, and what was published for other processors.",
        how: "Here: measured now, as read is. The table: Agner Fog, Instruction tables (2016-01-09).",
        act: "Hold cycles of the core against the table; those of the TSC are of another rate.",
        references: &["Agner Fog, Instruction tables", METHOD],
    },
];
