//! Whether a counter can be trusted, and why.

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

/// Defines [`Reason`] with its words, in a list of all, so that a number can be turned back into
/// one.
macro_rules! reasons {
    ($($name:ident $text:literal)*) => {
        /// Why a source was chosen, or given up. A number, because it is published as one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Reason {
            $($name),*
        }

        impl Reason {
            const ALL: &[(Self, &str)] = &[$((Self::$name, $text)),*];
        }
    };
}

// In braces: what [`Reason::told`] fills in.
reasons! {
    Unknown "the choice has only just been made"
    NoCounter "programs cannot read a counter here"
    Forbidden "this process has disabled reading the counter (PR_SET_TSC)"
    Requested "it was requested"
    NotInvariant "the counter's rate changes with frequency or idle states (not invariant)"
    KernelDropped "the kernel does not trust the counter and uses {source}"
    Unconfirmed "nothing confirms that the counter is reliable"
    CounterBack "the counter went backwards"
    CounterStands "the counter stands still"
    NoRate "the counter has no rate of 1 MHz to 10 GHz"
    ReferenceBack "the system's clock went backwards"
    ReferenceStands "the system's clock stands still or is too slow"
    Emulated "reading the counter takes {cost} ns, the system's clock {os_cost} ns, so the counter \
              is emulated"
    SystemCall "reading the system's clock takes a system call, so it is not derived from the \
                counter"
    CpusDisagree "the CPUs disagree on the counter"
    NotCompared "{seen}, and the CPUs could not be compared"
    KernelUses "invariant, and the kernel uses it ({source})"
    ReadsDirectly "invariant, and the kernel's own clock is read from it without a system call"
    Compared "invariant, {seen}, and all CPUs agree"
    FellBehind "the counter fell behind the system's clock"
    KeepsJumping "the counter keeps jumping"
    RateGone "the counter no longer has a rate of 1 MHz to 10 GHz"
}

impl Reason {
    pub fn from_code(code: u8) -> Self {
        Self::ALL.get(usize::from(code)).map_or(Self::Unknown, |(reason, _)| *reason)
    }

    /// The reason in words. The costs are nanoseconds per read of the counter and of the system's
    /// clock.
    pub fn told(self, kernel: &Kernel, (cost, os_cost): (u32, u32)) -> String {
        let source = match kernel {
            Kernel::Uses(name) | Kernel::Offers(name) | Kernel::Dropped(name) => name,
            Kernel::Silent | Kernel::Unasked => "another clock",
        };
        // What the kernel does with a counter that it does not use.
        let seen = match kernel {
            Kernel::Offers(name) => format!("the kernel offers it but uses {name}"),
            _ => "the kernel does not report whether it uses it".to_owned(),
        };
        let (_, text) = Self::ALL[self as usize];
        let text = text.replace("{source}", source).replace("{seen}", &seen);
        text.replace("{cost}", &cost.to_string()).replace("{os_cost}", &os_cost.to_string())
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
