//! Whether a counter can be trusted, and why.

use std::fmt;

use crate::machine::{Facts, Kernel, Name, Wanted};

/// Where the ticks come from.
///
/// ```
/// use chronoscope::{Clock, Source, Wanted};
/// let clock = Clock::new();
/// clock.choose(Wanted::Os)?;
/// assert_eq!(clock.describe().source, Source::Os);
/// # Ok::<(), chronoscope::AlreadyChosen>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Source {
    /// The processor's counter.
    Counter,
    /// The operating system's monotonic clock.
    Os,
    /// The operating system's clock in the counter's place and units, after the counter did
    /// something that a clock must not do.
    OsInstead,
}

/// Defines [`Reason`] with a list of all, so that a number can be turned back into one.
macro_rules! reasons {
    ($($name:ident),* $(,)?) => {
        /// Why a source was chosen, or given up. A number, because it is published as one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Reason {
            $($name),*
        }

        impl Reason {
            const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

reasons! {
    Unknown, NoCounter, Forbidden, Requested, NotInvariant, KernelDropped, Unconfirmed,
    CounterBack, CounterStands, NoRate, ReferenceBack, ReferenceStands, Emulated, SystemCall,
    CpusDisagree, NotCompared, KernelUses, ReadsDirectly, Compared, FellBehind, KeepsJumping,
    RateGone,
}

impl Reason {
    pub fn from_code(code: u8) -> Self {
        Self::ALL.get(usize::from(code)).copied().unwrap_or(Self::Unknown)
    }
}

/// A reason in words, with what it refers to.
pub struct Told {
    pub reason: Reason,
    pub kernel: Kernel,
    /// Nanoseconds per read of the counter and of the system's clock.
    pub costs: (u32, u32),
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.reason {
            Reason::Unknown => "the choice has only just been made",
            Reason::NoCounter => "programs cannot read a counter here",
            Reason::Forbidden => "this process has disabled reading the counter (PR_SET_TSC)",
            Reason::Requested => "it was requested",
            Reason::NotInvariant => {
                "the counter's rate changes with frequency or idle states (not invariant)"
            }
            Reason::Unconfirmed => "nothing confirms that the counter is reliable",
            Reason::CounterBack => "the counter went backwards",
            Reason::CounterStands => "the counter stands still",
            Reason::NoRate => "the counter has no rate of 1 MHz to 10 GHz",
            Reason::ReferenceBack => "the system's clock went backwards",
            Reason::ReferenceStands => "the system's clock stands still or is too slow",
            Reason::SystemCall => {
                "reading the system's clock takes a system call, so it is not derived from the \
                 counter"
            }
            Reason::CpusDisagree => "the CPUs disagree on the counter",
            Reason::ReadsDirectly => {
                "invariant, and the kernel's own clock is read from it without a system call"
            }
            Reason::FellBehind => "the counter fell behind the system's clock",
            Reason::KeepsJumping => "the counter keeps jumping",
            Reason::RateGone => "the counter no longer has a rate of 1 MHz to 10 GHz",
            Reason::KernelDropped => {
                return write!(
                    f,
                    "the kernel does not trust the counter and uses {}",
                    name(&self.kernel)
                );
            }
            Reason::Emulated => {
                let (cost, os_cost) = self.costs;
                return write!(
                    f,
                    "reading the counter takes {cost} ns, the system's clock {os_cost} ns, so the \
                     counter is emulated"
                );
            }
            Reason::KernelUses => {
                let used = name(&self.kernel);
                return write!(f, "invariant, and the kernel uses it ({used})");
            }
            Reason::NotCompared => {
                return write!(f, "{}, and the CPUs could not be compared", Seen(&self.kernel));
            }
            Reason::Compared => {
                return write!(f, "invariant, {}, and all CPUs agree", Seen(&self.kernel));
            }
        };
        f.write_str(text)
    }
}

/// The clock source that the kernel uses.
fn name(kernel: &Kernel) -> &str {
    match kernel {
        Kernel::Uses(name) | Kernel::Offers(name) | Kernel::Dropped(name) => name,
        Kernel::Silent | Kernel::Unasked => "another clock",
    }
}

/// What the kernel does with a counter that it does not use.
struct Seen<'k>(&'k Kernel);

impl fmt::Display for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kernel::Offers(name) => write!(f, "the kernel offers it but uses {name}"),
            _ => f.write_str("the kernel does not report whether it uses it"),
        }
    }
}

/// What was observed when the counter was tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trial {
    /// Why it failed: it went backwards, stood still, or had no plausible rate.
    pub failed: Option<Reason>,
    /// The cost of a read in nanoseconds; the lowest seen.
    pub cost: u64,
    /// The cost of a read of the system's clock in nanoseconds; the lowest seen.
    pub os_cost: u64,
    /// Whether the CPUs were found in step; `None` if that could not be checked.
    pub in_step: Option<bool>,
}

/// Returns the reason not to read the counter, if the facts give one before it is read.
pub fn forbids(facts: &Facts) -> Option<Reason> {
    if facts.counter.is_none() {
        return Some(Reason::NoCounter);
    }
    if facts.forbidden {
        return Some(Reason::Forbidden);
    }
    match (facts.wanted, facts.invariant, &facts.kernel) {
        (Wanted::Os, ..) => Some(Reason::Requested),
        (Wanted::Counter, ..) => None,
        (_, Some(false), _) => Some(Reason::NotInvariant),
        (_, _, Kernel::Dropped(_)) => Some(Reason::KernelDropped),
        (_, _, Kernel::Unasked) if facts.reads_directly == Some(false) => Some(Reason::SystemCall),
        (_, None, Kernel::Silent) => Some(Reason::Unconfirmed),
        (_, None, Kernel::Unasked) if facts.reads_directly.is_none() => Some(Reason::Unconfirmed),
        _ => None,
    }
}

/// Whether the CPUs have to be compared: not if the kernel uses the counter for its own time.
pub fn needs_comparison(facts: &Facts) -> bool {
    facts.wanted != Wanted::Counter && !used_by_kernel(facts)
}

fn used_by_kernel(facts: &Facts) -> bool {
    match facts.kernel {
        Kernel::Uses(_) => true,
        Kernel::Unasked => facts.reads_directly == Some(true),
        _ => false,
    }
}

/// The verdict on a counter that nothing forbids: the reason to use it, or not to.
pub fn decide(facts: &Facts, trial: &Trial) -> Result<Reason, Reason> {
    if let Some(failed) = trial.failed {
        return Err(failed);
    }
    if facts.wanted == Wanted::Counter {
        return Ok(Reason::Requested);
    }
    // An instruction that costs more than a whole read of the system's clock is not executed by the
    // processor but by a hypervisor, and has no advantage.
    if trial.cost > trial.os_cost {
        return Err(Reason::Emulated);
    }
    match (trial.in_step, &facts.kernel) {
        (Some(false), _) => Err(Reason::CpusDisagree),
        (_, Kernel::Uses(_)) => Ok(Reason::KernelUses),
        _ if used_by_kernel(facts) => Ok(Reason::ReadsDirectly),
        (Some(true), _) => Ok(Reason::Compared),
        (None, _) => Err(Reason::NotCompared),
    }
}

/// The part of a description that names an environment variable without effect.
pub fn ignored(text: Name) -> String {
    format!("; CHRONOSCOPE_SOURCE={:?} is not valid (use auto, counter or os)", &*text)
}
