//! Questions that verdicts, faults and advice all ask of a report.

use chronoscope_model::clock::{Clock, Facts, Grade, Orders, Reads};
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::{Report, units};

/// The clock with this id, if it is available.
pub(crate) fn available<'a>(report: &'a Report, id: &str) -> Option<&'a Clock> {
    report.clocks.iter().find(|c| c.available && c.id == id)
}

/// Whether the clock was measured and nothing was seen that rules it out.
pub(crate) fn usable(clock: &Clock) -> bool {
    clock.available
        && clock.read_ns().is_some()
        && clock
            .verdict
            .as_ref()
            .is_none_or(|v| v.grade != Grade::Avoid)
}

/// What is known of the clock before it is measured; nothing in a report of an earlier version.
fn facts(clock: &Clock) -> Option<&Facts> {
    clock.facts.as_ref()
}

/// Whether a read goes there.
pub(crate) fn reads(clock: &Clock, from: Reads) -> bool {
    facts(clock).is_some_and(|facts| facts.reads == from)
}

/// Whether a read of a counter waits for nothing, so that the processor may take it before earlier
/// instructions are done (Intel SDM vol. 2B, RDTSC; Arm ARM, `CNTVCT_EL0`).
pub(crate) fn unordered(clock: &Clock, env: &Environment) -> bool {
    let waits = facts(clock).is_none_or(|facts| match facts.orders {
        Orders::Nothing => false,
        Orders::Memory => env.cpu.vendor.as_deref() == Some("AuthenticAMD"),
        Orders::Earlier | Orders::Both | Orders::Unknown => true,
    });
    reads(clock, Reads::Counter) && !waits
}

/// Whether its order is that of memory only.
pub(crate) fn orders_memory(clock: &Clock) -> bool {
    facts(clock).is_some_and(|facts| facts.orders == Orders::Memory)
}

/// The kernel's clock source, if it is known.
pub(crate) fn source(env: &Environment) -> Option<&str> {
    env.clocksource.as_ref().map(|c| c.current.trim())
}

/// Whether the kernel trusts the TSC: `tsc` is among its clock sources, or it uses a paravirtual
/// clock that is computed from it.
pub(crate) fn kernel_trusts_tsc(env: &Environment) -> bool {
    match &env.clocksource {
        None => true,
        Some(cs) => cs
            .available
            .iter()
            .chain(std::iter::once(&cs.current))
            .any(|s| {
                matches!(
                    s.trim(),
                    "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"
                )
            }),
    }
}

/// Why the bare counter is no time for all CPUs when the kernel keeps time with another source.
pub(crate) fn counter_may_jump(source: &str) -> String {
    format!("the kernel keeps time with {source}, and the bare counter can jump when that does not")
}

/// Why the time-stamp counter must not be read as a clock, if it must not.
pub(crate) fn tsc_objection(env: &Environment) -> Option<String> {
    if let Some(what) = &env.emulated {
        return Some(format!("the processor is emulated ({what})"));
    }
    let tsc = env.tsc.as_ref()?;
    match tsc.kind {
        TscKind::None => Some("there is no TSC".into()),
        TscKind::Variant => Some("the TSC follows the core's frequency".into()),
        TscKind::Constant => Some("the TSC may stop in deep idle".into()),
        TscKind::Invariant if tsc.permitted == Some(false) => {
            Some("this process may not read the TSC".into())
        }
        TscKind::Invariant if !kernel_trusts_tsc(env) => Some(format!(
            "tsc is not among the kernel's clock sources; it uses {}",
            source(env).unwrap_or("another")
        )),
        TscKind::Invariant => None,
    }
}

/// `18.0 ns`
pub(crate) fn ns(value: f64) -> String {
    units::human_ns(value)
}

/// `4 ms`: a duration without meaningless zeros.
pub(crate) fn short(value: f64) -> String {
    units::short_ns(value)
}
