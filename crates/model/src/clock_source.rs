//! The clock sources of Linux: what each one counts, where it is read, why a kernel uses it, and
//! whether the vDSO answers for a clock, as the costs of a report show.

use crate::Report;
use crate::clock::{Clock, Kind, Reads};
use std::sync::LazyLock;

/// What a clock source counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// The counter that programs can read too, as it is.
    Counter,
    /// That counter, scaled and shifted by a page that a hypervisor keeps.
    ScaledCounter,
    /// A timer outside the processor's cores.
    Device,
    /// A register of the hypervisor: each read leaves the guest.
    Hypervisor,
    /// The ticks of the timer interrupt.
    Ticks,
}

/// A clock source.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its name in `current_clocksource`.
    pub name: &'static str,
    /// What it counts.
    pub counts: Counts,
    /// Whether the vDSO of the architectures that have it reads it without a system call.
    pub vdso: bool,
    /// Its rate in hertz, if it is the same everywhere.
    pub hz: Option<f64>,
    /// What it is, and why a kernel uses it.
    pub why: &'static str,
    /// The file of the kernel that registers it.
    pub file: &'static str,
}

impl Source {
    /// A clock source as `clock_sources.txt` has it; `None` for a heading.
    fn parse(block: &'static str) -> Option<Self> {
        let (facts, why) = block.split_once('\n')?;
        let mut facts = facts.split(" | ");
        Some(Self {
            name: facts.next()?,
            counts: match facts.next()? {
                "counter" => Counts::Counter,
                "scaled" => Counts::ScaledCounter,
                "device" => Counts::Device,
                "hypervisor" => Counts::Hypervisor,
                _ => Counts::Ticks,
            },
            vdso: facts.next()? == "vDSO",
            hz: facts.next()?.parse().ok(),
            file: facts.next()?,
            why: why.trim_end(),
        })
    }

    /// Whether it is the processor's counter, perhaps scaled by a hypervisor.
    pub const fn counts_the_counter(&self) -> bool {
        matches!(self.counts, Counts::Counter | Counts::ScaledCounter)
    }
}

/// The kernel's folder of clock sources.
pub const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// Every clock source that is known, those of x86 first.
static ALL: LazyLock<Vec<Source>> = LazyLock::new(|| {
    include_str!("clock_sources.txt").split("\n\n").filter_map(Source::parse).collect()
});

/// The clock source with this name.
pub fn by_name(name: &str) -> Option<&'static Source> {
    ALL.iter().find(|source| source.name == name.trim())
}

/// A library call that costs at least this share of the raw system call made one. A read in user
/// space costs a tenth to a third of it. A fallback costs a little more than all of it, because it
/// asks the vDSO first.
const FALLBACK: f64 = 0.8;

/// A read that takes longer than this, in nanoseconds, is slow: several times what a vDSO read over
/// the TSC costs (17 to 22 ns in docs/RESULTS.md), and less than any system call.
pub const SLOW_NS: f64 = 100.0;

/// Whether the vDSO answers for the clock; `None` if its cost does not show that.
pub fn in_user_space(report: &Report, clock: &Clock) -> Option<bool> {
    let mut paths = both_paths(report);
    match paths.find(|(measured, _)| measured.id == clock.id) {
        Some((library, raw)) => Some(!falls_back(library, raw)),
        // Without the other path: no system call is that fast.
        None => (clock.reads(Reads::Vdso) && clock.read_ns()? < SLOW_NS).then_some(true),
    }
}

/// Whether the library call costs about as much as the raw system call.
pub fn falls_back(library: &Clock, raw: &Clock) -> bool {
    library.read_ns() >= raw.read_ns().map(|ns| FALLBACK * ns)
}

/// The clocks that the vDSO may answer for, with their cheapest raw system call; if that was not
/// measured, with the cheapest for any of them. They hardly differ, because most of the cost is
/// that of entering the kernel. All costs are known.
pub fn both_paths(report: &Report) -> impl Iterator<Item = (&Clock, &Clock)> + Clone {
    // No vDSO answers for CPU time, which is counted by the kernel.
    let may = |clock: &&Clock| clock.reads(Reads::Vdso) && clock.kind != Kind::Cpu;
    let in_vdso = report.clocks.iter().filter(may);
    in_vdso.clone().filter_map(move |clock| {
        // The vDSO makes the call by the instruction alone; the C library's function costs more.
        let cheapest = |of: &dyn Fn(&Clock) -> bool| {
            let raw = report.clocks.iter().filter(|c| c.reads(Reads::SystemCall) && of(c));
            let known = raw.filter_map(|c| Some((c, c.read_ns()?)));
            known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(c, _)| c)
        };
        let of_any = |c: &Clock| in_vdso.clone().any(|other| c.is_alternative_to(other));
        let raw = cheapest(&|c| c.is_alternative_to(clock)).or_else(|| cheapest(&of_any))?;
        clock.read_ns().map(|_| (clock, raw))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_the_vdso_reads_counts_the_counter() {
        let blocks = include_str!("clock_sources.txt").split("\n\n").skip(1);
        assert_eq!(ALL.len(), blocks.count());
        for source in ALL.iter() {
            assert!(source.file.ends_with(".c") && source.why.ends_with('.'), "{source:?}");
            assert!(!source.vdso || source.counts_the_counter(), "{}", source.name);
            assert_eq!(by_name(source.name).map(|found| found.why), Some(source.why));
        }
        assert!(by_name(" tsc\n").is_some() && by_name("").is_none());
    }
}
