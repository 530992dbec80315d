//! The clock sources of Linux: what each one counts, where it is read, why a kernel uses it, and
//! whether the vDSO answers for a clock, as the costs of a report show.

use crate::Report;
use crate::clock::{Clock, Kind, Reads};

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
    /// Whether it is the processor's counter, perhaps scaled by a hypervisor.
    pub const fn counts_the_counter(&self) -> bool {
        matches!(self.counts, Counts::Counter | Counts::ScaledCounter)
    }
}

macro_rules! sources {
    ($($name:literal $counts:ident $vdso:literal $hz:expr, $file:literal, $why:literal;)*) => {
        /// Every clock source that is known, those of x86 first.
        pub const ALL: &[Source] = &[$(Source {
            name: $name,
            counts: Counts::$counts,
            vdso: $vdso,
            hz: $hz,
            why: $why,
            file: $file,
        }),*];
    };
}

sources! {
    "tsc" Counter true None, "arch/x86/kernel/tsc.c",
        "The processor's time-stamp counter. The kernel prefers it as long as it finds nothing \
        wrong with it.";
    "tsc-early" Counter true None, "arch/x86/kernel/tsc.c",
        "The time-stamp counter until its rate has been refined, in the first second or so \
        after the kernel started. A kernel that stays with it could not finish the \
        calibration.";
    "kvm-clock" ScaledCounter true Some(1e9), "arch/x86/kernel/kvmclock.c",
        "A page in which KVM gives the guest the rate and offset of the time-stamp counter. The \
        vDSO reads it if the host vouches for it (its stable bit).";
    "xen" ScaledCounter false Some(1e9), "arch/x86/xen/time.c",
        "Xen's page with the rate and offset of the time-stamp counter. The vDSO reads it only \
        from Linux 4.15 on, and only if Xen declares it stable.";
    "hyperv_clocksource_tsc_page" ScaledCounter true Some(1e7),
        "drivers/clocksource/hyperv_timer.c",
        "Hyper-V's page with the rate and offset of the time-stamp counter. Guests of Azure and \
        WSL 2 keep time with it, unless the host lets them have an invariant TSC.";
    "hyperv_clocksource_msr" Hypervisor false Some(1e7), "drivers/clocksource/hyperv_timer.c",
        "A register of Hyper-V, used if the host offers no page: each read leaves the guest.";
    "hpet" Device false None, "arch/x86/kernel/hpet.c",
        "The High Precision Event Timer of the chipset, used if the time-stamp counter was \
        given up or ruled out.";
    "acpi_pm" Device false Some(3_579_545.0), "drivers/clocksource/acpi_pm.c",
        "The power-management timer of the chipset, used if there is neither a usable time- \
        stamp counter nor an HPET.";
    "pit" Device false Some(1_193_182.0), "drivers/clocksource/i8253.c",
        "The programmable interval timer of the PC, used on old machines with one CPU and \
        nothing better.";
    "cyclone" Device false None, "drivers/clocksource/cyclone.c",
        "The timer of IBM's EXA chipset.";
    "sgi_rtc" Device false None, "arch/x86/platform/uv/uv_time.c",
        "The clock of the hubs of large SGI and HPE machines (UV), which all sockets share.";
    "refined-jiffies" Ticks false None, "kernel/time/jiffies.c",
        "The tick interrupt, with its period as it was calibrated: what is left if no counter \
        can be used.";
    "jiffies" Ticks false None, "kernel/time/jiffies.c",
        "The tick interrupt: what is left if no counter can be used.";
    "arch_sys_counter" Counter true None, "drivers/clocksource/arm_arch_timer.c",
        "The system counter of Arm's generic timer. The vDSO reads it unless an erratum forbids \
        that.";
    "arch_mem_counter" Device false None, "drivers/clocksource/arm_arch_timer.c",
        "The generic timer's counter through its memory-mapped frame, where the processor's \
        register cannot be used.";
    "mct-frc" Device false Some(24e6), "drivers/clocksource/exynos_mct.c",
        "The free running counter of Samsung's Exynos, a device on the bus.";
    "arm_global_timer" Device false None, "drivers/clocksource/arm_global_timer.c",
        "The global timer of Arm's Cortex-A9, a device next to the cores.";
    "ttc_clocksource" Device false None, "drivers/clocksource/timer-cadence-ttc.c",
        "The triple timer counter of Xilinx' Zynq, a device on the bus.";
    "dmtimer" Device false None, "drivers/clocksource/timer-ti-dm-systimer.c",
        "A timer of Texas Instruments' OMAP and AM33xx, a device on the bus.";
    "32k_counter" Device false Some(32_768.0), "drivers/clocksource/timer-ti-32k.c",
        "The counter of OMAP's low-power oscillator: time moves by 30.5 us.";
    "mxc_timer1" Device false None, "drivers/clocksource/timer-imx-gpt.c",
        "The general purpose timer of NXP's i.MX, a device on the bus.";
    "timebase" Counter true None, "arch/powerpc/kernel/time.c",
        "The time base of POWER and PowerPC.";
    "tod" Counter true None, "arch/s390/kernel/time.c",
        "The time-of-day clock of IBM Z.";
    "riscv_clocksource" Counter true None, "drivers/clocksource/timer-riscv.c",
        "The time register of RISC-V.";
    "Constant" Counter true None, "arch/loongarch/kernel/time.c",
        "The stable counter of LoongArch.";
}

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
        for source in ALL {
            assert!(!source.vdso || source.counts_the_counter(), "{}", source.name);
            assert_eq!(by_name(source.name).map(|found| found.why), Some(source.why));
        }
        assert!(by_name(" tsc\n").is_some() && by_name("").is_none());
    }
}
