//! Whether a counter can be trusted, and why.

use crate::machine::{Facts, Kernel, Wanted};

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
pub enum Source {
    /// The processor's counter.
    Counter,
    /// The operating system's monotonic clock.
    Os,
    /// The operating system's clock in the counter's place and units, since the counter was caught
    /// at something that a clock does not do.
    OsInstead,
}

/// What was seen when the counter was tried.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// It went backwards, stood, or had no rate that a counter can have.
    pub failed: Option<&'static str>,
    /// Nanoseconds that a read takes; the lowest seen.
    pub cost: u64,
    /// Nanoseconds that a read of the system's clock takes; the lowest seen.
    pub os_cost: u64,
    /// Whether processors were found in step; `None` where that could not be looked at.
    pub in_step: Option<bool>,
}

/// What the facts say before the counter has been read: nothing, or the reason not to.
pub fn forbids(facts: &Facts) -> Option<String> {
    if facts.counter.is_none() {
        return Some("there is no counter that a program may read here".into());
    }
    if facts.forbidden {
        return Some("this process has forbidden itself to read the counter (PR_SET_TSC)".into());
    }
    match (facts.wanted, facts.invariant, &facts.kernel) {
        (Wanted::Os, ..) => Some("asked for".into()),
        (Wanted::Counter, ..) => None,
        (_, Some(false), _) => {
            Some("the counter's rate changes with frequency or idle states (not invariant)".into())
        }
        (_, _, Kernel::Dropped(current)) => Some(format!(
            "the kernel does not trust the counter and uses {current}"
        )),
        (_, None, Kernel::Silent) => Some("nobody vouches for the counter here".into()),
        _ => None,
    }
}

/// Whether processors have to be compared: not when the kernel stakes its own time on the counter.
pub fn needs_comparison(facts: &Facts) -> bool {
    facts.wanted != Wanted::Counter && !matches!(facts.kernel, Kernel::Uses(_))
}

/// The verdict on a counter that nothing forbids: the reason for it, or against it.
pub fn decide(facts: &Facts, trial: &Trial) -> Result<String, String> {
    if let Some(failed) = trial.failed {
        return Err(failed.into());
    }
    if facts.wanted == Wanted::Counter {
        return Ok("asked for".into());
    }
    // An instruction that costs more than the whole system call's path is not executed by the
    // processor but by a hypervisor, and has no advantage either.
    if trial.cost > trial.os_cost {
        return Err(format!(
            "reading the counter takes {} ns, the system's clock {} ns: it is emulated",
            trial.cost, trial.os_cost
        ));
    }
    let kernel = match (&facts.kernel, trial.in_step) {
        (_, Some(false)) => return Err("processors disagree on the counter".into()),
        (Kernel::Uses(name), _) => return Ok(format!("invariant, and the kernel's own ({name})")),
        (Kernel::Offers(name), _) => format!("the kernel offers it but uses {name}"),
        (Kernel::Silent, _) => "the kernel does not say".into(),
        (Kernel::Dropped(name), _) => return Err(format!("the kernel uses {name} instead")),
    };
    match trial.in_step {
        Some(_) => Ok(format!("invariant, {kernel}, and all processors agree")),
        None => Err(format!("{kernel}, and processors could not be compared")),
    }
}
