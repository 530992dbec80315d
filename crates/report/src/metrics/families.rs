//! The metrics: names, types and help, as a scrape shows them.

/// What the rows of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }
}

/// All rows of one name. A counter's name is without the `_total` that it is shown with.
#[derive(Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

impl Family {
    /// The name of its rows; OpenMetrics describes a counter without the suffix.
    pub fn full_name(&self) -> String {
        let suffix = if self.kind == Kind::Counter { "_total" } else { "" };
        format!("{}{suffix}", self.name)
    }
}

macro_rules! families {
    ($($id:ident $kind:ident $name:literal $help:literal)*) => {
        $(pub const $id: Family =
            Family { name: $name, kind: Kind::$kind, help: $help };)*

        /// In the order in which they are shown.
        pub const ALL: &[&Family] = &[$(&$id),*];
    };
}

families! {
    READ Gauge "chronoscope_read_duration_seconds"
        "Cost of a read of the clock, back to back, by the path that it takes"
    RESOLUTION Gauge "chronoscope_resolution_seconds"
        "Smallest change of the clock that was seen, or that its interface states"
    VDSO_FALLBACK Gauge "chronoscope_vdso_fallback"
        "Whether a clock that the vDSO can answer for is read by a system call"
    OVERSHOOT Histogram "chronoscope_wait_overshoot_seconds"
        "How late waits ended, without those during which the control group was throttled"
    LATE Counter "chronoscope_wait_late_seconds"
        "Overshoot of waits by its cause"
    OFFSET Gauge "chronoscope_cross_cpu_offset_seconds"
        "Difference between the counters of the two CPUs that differ most"
    OFFSET_UNCERTAINTY Gauge "chronoscope_cross_cpu_offset_uncertainty_seconds"
        "The difference may be this much smaller or larger"
    FREQUENCY_ERROR Gauge "chronoscope_frequency_error_ratio"
        "How much faster the clock runs than a reference with another oscillator"
    BACKWARDS Counter "chronoscope_backwards"
        "Reads of the clock that were less than the read before"
    STEPS Counter "chronoscope_steps"
        "Steps of the wall clock"
    STALL Counter "chronoscope_stall_seconds"
        "Time for which the machine stood still"
    SUSPEND Counter "chronoscope_suspend_seconds"
        "Time for which the machine was suspended"
    THROTTLED Counter "chronoscope_throttled_seconds"
        "Time for which a CPU quota stopped the control group of the process"
    CORE_SHARED Gauge "chronoscope_core_shared_ratio"
        "Share of the time in which something else ran on the core that was measured on"
    FAULT Gauge "chronoscope_fault"
        "1 while the fault is found, 0 afterwards"
    CHECKS Gauge "chronoscope_checks"
        "Faults that were looked for, by what came of it"
    MACHINE Gauge "chronoscope_machine_info"
        "The machine; its kind is made of processor, hypervisor and kernel"
    CLOCK_SOURCE Gauge "chronoscope_clock_source_info"
        "The clock source that the kernel keeps time with"
    BUILD Gauge "chronoscope_build_info"
        "The version of chronoscope"
    LAST Gauge "chronoscope_last_measurement_timestamp_seconds"
        "When a measurement was last finished, since the epoch"
    PENDING Gauge "chronoscope_pending"
        "1 until a measurement was made for the first time, and no row afterwards"
    SKIPPED Counter "chronoscope_skipped"
        "Measurements that were not made, or not used, by reason"
    BUDGET Gauge "chronoscope_cpu_budget_ratio"
        "Share of one CPU that measuring may take"
    MEASURING Counter "chronoscope_measuring_cpu_seconds"
        "CPU time that measuring has taken"
    PROCESS_CPU Counter "process_cpu_seconds"
        "CPU time of the process, user and system"
    PROCESS_RESIDENT Gauge "process_resident_memory_bytes"
        "Resident memory of the process"
    PROCESS_START Gauge "process_start_time_seconds"
        "When the process started, since the epoch"
    PROCESS_FDS Gauge "process_open_fds"
        "Open file descriptors of the process"
    PROCESS_THREADS Gauge "process_threads"
        "Threads of the process"
}
