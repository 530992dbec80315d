//! Questions about a report that verdicts, faults and advice share.

use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Clock, Grade, Orders, Reads};
use chronoscope_model::clock_source::{self, Counts, Source};
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::kernel_log::{Known, recognise};
use chronoscope_model::ordering::AcrossCpus;
pub(crate) use chronoscope_model::units::{human_ns as ns, short_ns as short};

/// The clock with this id, if it is available.
pub(crate) fn available<'a>(report: &'a Report, id: &str) -> Option<&'a Clock> {
    report.clocks.iter().find(|c| c.available && c.id == id)
}

/// Whether the clock was measured and nothing was seen that rules it out.
pub(crate) fn usable(clock: &Clock) -> bool {
    clock.available
        && clock.read_ns().is_some()
        && clock.verdict.as_ref().is_none_or(|v| v.grade != Grade::Avoid)
}

/// Whether a read of a counter is known not to wait, so that the processor may take it before
/// earlier instructions are done (Intel SDM vol. 2B, RDTSC; Arm ARM, `CNTVCT_EL0`).
pub(crate) fn unordered(clock: &Clock, env: &Environment) -> bool {
    let by_lfence = clock.facts.is_some_and(|facts| facts.by_lfence);
    clock.reads(Reads::Counter) && !by_lfence && promised(clock, env) == Some(false)
}

/// Whether the clock's reads are ordered with memory accesses only.
pub(crate) fn orders_memory(clock: &Clock) -> bool {
    clock.facts.is_some_and(|facts| facts.orders == Orders::Memory)
}

/// The kernel's clock source, if it is known.
pub(crate) fn source(env: &Environment) -> Option<&str> {
    let current = env.clocksource.as_ref().map(|c| c.current.trim());
    current.filter(|current| !current.is_empty())
}

/// The first two numbers of the kernel's version, if it is Linux and known.
pub(crate) fn linux_version(env: &Environment) -> Option<(u32, u32)> {
    let kernel = env.kernel.as_deref().filter(|_| System::of(env) == System::Linux)?;
    let mut numbers = kernel.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    numbers.next()?.ok().zip(numbers.next()?.ok())
}

/// The clock source in use, if it is one that the vDSO cannot read.
pub(crate) fn slow_source(env: &Environment) -> Option<&'static Source> {
    clock_source::by_name(source(env)?).filter(|source| !source.vdso)
}

/// What the kernel's choice of a clock source says about the TSC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The kernel keeps time with the TSC, or could, and checks it; or a paravirtual clock that is
    /// computed from the TSC vouches for it.
    For,
    /// The kernel would keep time with the TSC, but this boot parameter told it not to check it.
    Unchecked(String),
    /// The kernel has dropped the TSC.
    Against,
    /// There is no clock source to ask, or one that does not vouch for the TSC.
    Silent,
}

pub(crate) fn word(env: &Environment) -> Word {
    let Some(cs) = &env.clocksource else {
        return Word::Silent;
    };
    let names = || cs.available.iter().chain([&cs.current]).map(|name| name.trim());
    // Without its stable bit, kvm-clock may differ from CPU to CPU, and the kernel itself keeps it
    // from going back (Linux arch/x86/kernel/pvclock.c, PVCLOCK_TSC_STABLE_BIT).
    if cs.current.trim() == "kvm-clock" {
        let stable = env.hypervisor.as_ref().is_some_and(|it| it.has("kvm-clock-stable"));
        return if stable { Word::For } else { Word::Silent };
    }
    if names().any(|name| name == "tsc") {
        return match env.unchecked_tsc() {
            Some(told) => Word::Unchecked(told.into()),
            None => Word::For,
        };
    }
    if names().any(|name| name == "hyperv_clocksource_tsc_page") {
        return Word::For;
    }
    let paravirtual = names().any(|name| name == "kvm-clock");
    let known = names().any(|name| !name.is_empty());
    if known && !paravirtual { Word::Against } else { Word::Silent }
}

/// Whether the processor's counter was seen to agree on all CPUs that were compared; with one CPU
/// there is nothing to disagree with. `None` if nothing was compared.
pub(crate) fn in_step(env: &Environment) -> Option<bool> {
    let compared = env.across_cpus.as_ref().and_then(AcrossCpus::in_step);
    compared.or((env.cpu.logical == 1).then_some(true))
}

/// The two CPUs whose counters differ most, in words; `None` unless some differ.
pub(crate) fn out_of_step(env: &Environment) -> Option<String> {
    let worst = env.across_cpus.as_ref()?.worst().filter(|pair| !pair.in_step())?;
    let [a, b] = worst.handed.cpus;
    Some(format!(
        "the counters of CPUs {a} and {b} are not in step (up to {} apart)",
        short(worst.bound_ns())
    ))
}

/// Why nothing shows that the TSC is one clock on all CPUs; `None` if something does, or if there
/// is proof of the contrary.
pub(crate) fn unproven(env: &Environment) -> Option<String> {
    let why = match word(env) {
        Word::For | Word::Against => return None,
        Word::Unchecked(told) => {
            format!("the kernel was told {told}, so it does not check the TSC")
        }
        Word::Silent => "the kernel does not vouch for the TSC".into(),
    };
    in_step(env).is_none().then(|| format!("{why}, and no second CPU was compared"))
}

/// Why the counters of several CPUs must not be merged, if they were not compared.
pub(crate) fn not_compared(env: &Environment) -> Option<String> {
    let across = env.across_cpus.as_ref();
    let why = across.and_then(|across| across.left_out.as_deref());
    in_step(env).is_none().then(|| match why {
        Some(why) => format!("the counters of two CPUs were not compared ({why})"),
        None => "the counters of two CPUs were not compared".into(),
    })
}

/// Whether the manuals promise that a read waits for all earlier instructions, on this processor;
/// `None` if they are silent.
pub(crate) fn promised(clock: &Clock, env: &Environment) -> Option<bool> {
    let facts = clock.facts?;
    let vendor = env.cpu.vendor.as_deref();
    match facts.orders {
        Orders::Unknown => None,
        Orders::Nothing => Some(false),
        // MFENCE: AMD APM volume 3; not Intel SDM volume 2B, RDTSC.
        Orders::Memory => Some(vendor == Some("AuthenticAMD")),
        // LFENCE holds back later instructions on Intel's processors (SDM volume 2A, LFENCE), and
        // on others if CPUID says so (AMD APM volume 3, LFENCE; CPUID 0x80000021 EAX[2]).
        Orders::Earlier | Orders::Both if facts.by_lfence => {
            Some(vendor == Some("GenuineIntel") || env.cpu.lfence_serialises == Some(true))
        }
        Orders::Earlier | Orders::Both => Some(true),
    }
}

/// Whether a clock's value is that of the processor's counter.
pub(crate) fn counts_counter(clock: &Clock) -> bool {
    clock.facts.is_some_and(|facts| facts.built_on == BuiltOn::Counter)
}

/// Whether a clock's value is what the system keeps time with.
pub(crate) fn counts_source(clock: &Clock) -> bool {
    clock.facts.is_some_and(|facts| facts.built_on == BuiltOn::ClockSource)
}

/// Why the bare counter does not give one time on all CPUs, if the kernel keeps time with another
/// source.
pub(crate) fn counter_may_jump(env: &Environment) -> Option<String> {
    let name = source(env)?;
    let bare = clock_source::by_name(name).is_some_and(|it| it.counts == Counts::Counter);
    (!bare).then(|| {
        format!(
            "the kernel keeps time with {name}, and the bare counter can jump when that does not"
        )
    })
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
        TscKind::Invariant if word(env) == Word::Against => Some(format!(
            "tsc is not among the kernel's clock sources; it uses {}",
            source(env).unwrap_or("another")
        )),
        TscKind::Invariant => out_of_step(env).or_else(|| unproven(env)),
    }
}

/// What a read of the clock costs, with no digit that its interval does not support: `18.0 ns`.
pub(crate) fn cost(clock: &Clock) -> Option<String> {
    clock.read()?.human()
}

/// The lines of the kernel log that are messages of the table.
pub(crate) fn known(env: &Environment) -> impl Iterator<Item = (&String, Known<'_>)> {
    env.kernel_log.iter().filter_map(|line| Some((line, recognise(line)?)))
}

/// The systems whose calls differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    Windows,
    Mac,
    Other,
}

impl System {
    /// The system that a report was made on.
    pub(crate) fn of(env: &Environment) -> Self {
        let linux = env.clocksource.is_some() || env.vdso.is_some() || env.keeping.is_some();
        let os = env.os.to_lowercase();
        let has = |name: &str| os.contains(name);
        match () {
            () if has("windows") => Self::Windows,
            () if has("macos") || has("darwin") => Self::Mac,
            () if linux || has("linux") => Self::Linux,
            () => Self::Other,
        }
    }
}

/// Whether a machine like this has the clocks of the family that the id begins with.
pub(crate) fn is_of(id: &str, env: &Environment) -> bool {
    let system = System::of(env);
    match id.split_once('/').map_or(id, |(family, _)| family) {
        "x86" => env.arch.contains("86"),
        "arm" => env.arch.contains("arm") || env.arch.contains("aarch64"),
        "linux" => system == System::Linux,
        "windows" => system == System::Windows,
        "darwin" | "mach" => system == System::Mac,
        "posix" => system != System::Windows,
        _ => true,
    }
}
