//! The machine that the reports describe.

use chronoscope_model::Environment;
use chronoscope_model::clock::Discipline;
use chronoscope_model::environment::{
    ClockSource, Cpu, Hypervisor, IdleState, Power, Rate, RateKind, Timer, Tsc, TscKind, Unknown,
    Vdso,
};
use chronoscope_model::ordering::{AcrossCpus, Handed, Pair};

fn rate(source: &str, hz: Option<f64>, error_ppm: Option<f64>, note: &str) -> Rate {
    let kind = match source {
        "measured" => RateKind::Measured,
        "CPUID 0x16" => RateKind::Nominal,
        _ => RateKind::Stated,
    };
    Rate { source: source.into(), kind, hz, error_ppm, note: note.into(), ..Rate::default() }
}

pub fn environment() -> Environment {
    Environment {
        keeping: None,
        discipline: Some(Discipline::default()),
        os: "Linux, Debian GNU/Linux 12 (bookworm)".into(),
        c_library: Some("glibc 2.36".into()),
        kernel: Some("6.1.0-25-amd64".into()),
        arch: "x86_64".into(),
        cpu: Cpu {
            vendor: Some("GenuineIntel".into()),
            model: Some("Intel(R) Xeon(R) Processor @ 2.60GHz".into()),
            signature: Some("family 6 model 85 stepping 7".into()),
            machine: Some("QEMU Standard PC (Q35 + ICH9, 2009)".into()),
            logical: 2,
            cores: Some(2),
            sockets: Some(1),
            nodes: Some(1),
            smt: Some(false),
            ..Cpu::default()
        },
        hypervisor: Some(Hypervisor {
            name: "KVM".into(),
            evidence: "CPUID 0x40000000: \"KVMKVMKVM\"".into(),
            features: vec!["kvm-clock".into(), "kvm-clock-stable".into()],
        }),
        emulated: None,
        clocksource: Some(ClockSource {
            current: "tsc".into(),
            available: vec!["tsc".into(), "kvm-clock".into()],
        }),
        tsc: Some(Tsc {
            kind: TscKind::Invariant,
            evidence: "CPUID 0x80000007 EDX[8]=1; /proc/cpuinfo flags: constant_tsc nonstop_tsc"
                .into(),
            rates: vec![
                rate("CPUID 0x15", None, None, "the leaf is empty"),
                rate("CPUID 0x16", None, None, "the processor does not have this leaf"),
                rate("CPUID 0x40000010", Some(2.6e9), None, "KVM"),
                rate("kernel log, detected", Some(2.599_998e9), None, ""),
                rate(
                    "measured",
                    Some(2_599_998_140.0),
                    Some(0.42),
                    "against CLOCK_MONOTONIC_RAW over 2.1 s",
                ),
            ],
            rdtscp: true,
            tsc_adjust: true,
            deadline: true,
            permitted: Some(true),
            rdtsc_ns: Some(8.07),
            rdtsc_cycles: Some(20.98),
            rdtsc_core_cycles: Some(29.86),
        }),
        counter: None,
        across_cpus: Some(AcrossCpus {
            pairs: vec![Pair {
                handed: Handed { cpus: [1, 0], turns: 240_000, ..Handed::default() },
                exchanges: 180_000,
                low_ns: -43.1,
                high_ns: 40.4,
            }],
            left_out: None,
        }),
        throughput: None,
        timers: vec![
            Timer {
                name: "HPET".into(),
                present: Some(false),
                hz: None,
                evidence: "no ACPI table HPET, no clock source hpet".into(),
            },
            Timer {
                name: "ACPI PM".into(),
                present: Some(true),
                hz: Some(3_579_545.0),
                evidence: "FADT: 32 bits at port 0x608".into(),
            },
            Timer {
                name: "event timer".into(),
                present: None,
                hz: None,
                evidence: "/proc/timer_list: permission denied; root can read it".into(),
            },
        ],
        vdso: Some(Vdso {
            present: true,
            symbols: vec![
                "__vdso_clock_gettime".into(),
                "__vdso_clock_getres".into(),
                "__vdso_gettimeofday".into(),
                "__vdso_time".into(),
            ],
        }),
        power: Power {
            idle_driver: Some("haltpoll".into()),
            idle_states: vec![
                IdleState { name: "POLL".into(), latency_us: 0, disabled: false },
                IdleState { name: "haltpoll".into(), latency_us: 1, disabled: true },
            ],
            ..Power::default()
        },
        load: Some([0.42, 0.31, 0.18]),
        allowed_cpus: vec![0, 1],
        timer_slack_ns: Some(50_000),
        cpu_quota: None,
        parameters: vec!["clocksource=tsc".into()],
        kernel_log: vec![
            "tsc: Detected 2599.998 MHz processor".into(),
            "clocksource: Switched to clocksource tsc".into(),
        ],
        unknown: vec![Unknown {
            subject: "power".into(),
            reason: "there is no /sys/devices/system/cpu/cpufreq".into(),
        }],
    }
}
