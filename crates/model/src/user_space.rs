//! Whether the vDSO answers for a clock, as the costs of a report show.

use crate::Report;
use crate::clock::{Clock, Kind, Reads};

/// A library call that costs at least this share of the raw system call made one. A read in user
/// space costs a tenth to a third of it. A fallback costs a little more than all of it, because it
/// asks the vDSO first.
pub const FALLBACK: f64 = 0.8;

/// A read that takes longer than this, in nanoseconds, is slow: several times what a vDSO read over
/// the TSC costs (20 to 35 ns on machines from Sandy Bridge to Skylake), and less than any system
/// call.
pub const SLOW_NS: f64 = 100.0;

/// Whether the vDSO answers for the clock; `None` if its cost does not show that.
pub fn in_user_space(report: &Report, clock: &Clock) -> Option<bool> {
    let mut paths = both_paths(report);
    match paths.find(|(measured, ..)| measured.id == clock.id) {
        Some((_, library, raw)) => Some(library < FALLBACK * raw),
        // Without the other path: no system call is that fast.
        None => (clock.reads(Reads::Vdso) && clock.read_ns()? < SLOW_NS).then_some(true),
    }
}

/// The clocks that the vDSO may answer for, with the cost of their library call and of their
/// cheapest raw system call, in nanoseconds; if that was not measured, of the cheapest for any of
/// them. They hardly differ, because most of the cost is that of entering the kernel.
pub fn both_paths(report: &Report) -> impl Iterator<Item = (&Clock, f64, f64)> + Clone {
    // No vDSO answers for CPU time, which is counted by the kernel.
    let may = |clock: &&Clock| clock.reads(Reads::Vdso) && clock.kind != Kind::Cpu;
    let in_vdso = report.clocks.iter().filter(may);
    in_vdso.clone().filter_map(move |clock| {
        // The vDSO makes the call by the instruction alone; the C library's function costs more.
        let cheapest = |of: &dyn Fn(&Clock) -> bool| {
            let raw = report.clocks.iter().filter(|c| c.reads(Reads::SystemCall) && of(c));
            raw.filter_map(Clock::read_ns).min_by(f64::total_cmp)
        };
        let of_any = |c: &Clock| in_vdso.clone().any(|other| c.is_alternative_to(other));
        let raw = cheapest(&|c| c.is_alternative_to(clock)).or_else(|| cheapest(&of_any))?;
        Some((clock, clock.read_ns()?, raw))
    })
}
