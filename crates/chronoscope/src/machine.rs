//! What a [`Clock`](crate::Clock) needs from a machine, as a trait, so that a clock can run on a
//! simulated machine: one whose counter jumps, whose kernel lies, or whose CPUs are out of step.

use crate::sys::{counter, cpu, os};

/// A counter, the operating system's clocks, and what is known about both.
///
/// [`Native`] is this machine. The regression tests implement others.
///
/// ```
/// use chronoscope::machine::{Facts, Hint, Kernel, Machine, Native};
/// use chronoscope::{Clock, Source};
///
/// /// This machine, with a counter of 1 GHz whose reliability nothing confirms.
/// struct Stranger;
///
/// impl Machine for Stranger {
///     fn facts(&self) -> Facts {
///         Facts {
///             counter: Some("a card's counter"),
///             invariant: None,
///             kernel: Kernel::Silent,
///             hints: vec![Hint { hz: 1e9, bound_ppm: 50.0, from: "its manual" }],
///             ..Native.facts()
///         }
///     }
///     fn ticks(&self) -> u64 { Native.monotonic() }
///     fn ticks_ordered(&self) -> u64 { self.ticks() }
///     fn ticks_start(&self) -> u64 { self.ticks() }
///     fn ticks_stop(&self) -> u64 { self.ticks() }
///     fn reference(&self) -> u64 { Native.reference() }
///     fn reference_step(&self) -> u64 { Native.reference_step() }
///     fn monotonic(&self) -> u64 { Native.monotonic() }
///     fn wall(&self) -> u64 { Native.wall() }
///     fn wall_error(&self) -> Option<u64> { Native.wall_error() }
///     fn sleep_until(&self, deadline: u64, remaining: u64) {
///         Native.sleep_until(deadline, remaining);
///     }
///     fn margin_cap(&self) -> u64 { Native.margin_cap() }
///     fn on_each_cpu(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
///         Native.on_each_cpu(visit)
///     }
/// }
///
/// let clock = Clock::on(Stranger);
/// assert_eq!(clock.describe().source, Source::Os);
/// println!("{}", clock.describe().reason);
/// ```
pub trait Machine {
    /// What can be known before the counter is read for the first time. Called before any other
    /// method. It must not read the counter, which may be disabled for the process.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// let facts = Native.facts();
    /// println!("{:?}, which the kernel {:?}", facts.counter, facts.kernel);
    /// ```
    fn facts(&self) -> Facts;

    /// Reads the counter, unordered.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// if !Native.facts().forbidden {
    ///     println!("{}", Native.ticks());
    /// }
    /// ```
    fn ticks(&self) -> u64;

    /// Reads the counter after all earlier instructions have completed.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// if !Native.facts().forbidden {
    ///     println!("{}", Native.ticks_ordered());
    /// }
    /// ```
    fn ticks_ordered(&self) -> u64;

    /// Reads the counter after all earlier instructions and before all later ones.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// if !Native.facts().forbidden {
    ///     println!("{}", Native.ticks_start());
    /// }
    /// ```
    fn ticks_start(&self) -> u64;

    /// Reads the counter as [`Machine::ticks_start`] does, with the instruction that is cheapest at
    /// the end of a region. Called only if [`Facts::has_stop`] is true.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// let facts = Native.facts();
    /// if facts.has_stop && !facts.forbidden {
    ///     println!("{}", Native.ticks_stop());
    /// }
    /// ```
    fn ticks_stop(&self) -> u64;

    /// The step in which the counter advances, in ticks; at least one. Called only if the counter
    /// may be read.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// if !Native.facts().forbidden {
    ///     assert!(Native.ticks_step() >= 1);
    /// }
    /// ```
    fn ticks_step(&self) -> u64 {
        1
    }

    /// The steadiest clock of the operating system, in nanoseconds; the counter is calibrated
    /// against it. On Linux it is `CLOCK_MONOTONIC_RAW`, which is never slewed.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// let before = Native.reference();
    /// assert!(Native.reference() >= before);
    /// ```
    fn reference(&self) -> u64;

    /// The step in which [`Machine::reference`] advances, in nanoseconds; at least one.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// assert!(Native.reference_step() >= 1);
    /// ```
    fn reference_step(&self) -> u64;

    /// The monotonic clock that can take the counter's place, in nanoseconds.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// let before = Native.monotonic();
    /// assert!(Native.monotonic() >= before);
    /// ```
    fn monotonic(&self) -> u64;

    /// Nanoseconds since 1970-01-01 00:00 UTC.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// println!("{} s since 1970", Native.wall() / 1_000_000_000);
    /// ```
    fn wall(&self) -> u64;

    /// The step of [`Machine::wall`], to which its values are truncated, in nanoseconds.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// assert!(Native.wall_step() >= 1);
    /// ```
    fn wall_step(&self) -> u64 {
        1
    }

    /// The kernel's own bound on the error of [`Machine::wall`] in nanoseconds
    /// (`adjtimex(2)`, `maxerror`); `None` if the kernel does not report one.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// match Native.wall_error() {
    ///     Some(ns) => println!("the kernel bounds the error to {ns} ns"),
    ///     None => println!("the kernel does not report a bound"),
    /// }
    /// ```
    fn wall_error(&self) -> Option<u64>;

    /// Sleeps until [`Machine::monotonic`] is at `deadline`, or for `remaining` nanoseconds,
    /// whichever the system supports. It may return early, and usually returns late.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// let deadline = Native.monotonic() + 100_000;
    /// Native.sleep_until(deadline, 100_000);
    /// println!("{} ns late", Native.monotonic().saturating_sub(deadline));
    /// ```
    fn sleep_until(&self, deadline: u64, remaining: u64);

    /// How late a timer can wake a thread, in nanoseconds; longer delays have another cause.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// println!("a timer is up to {} us late", Native.margin_cap() / 1000);
    /// ```
    fn margin_cap(&self) -> u64;

    /// Calls `visit` on each CPU that this thread may run on, until it returns `false`.
    ///
    /// Returns `false` if that was not possible, so that nothing can be concluded. Afterwards the
    /// thread may run on the same CPUs as before.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// let mut seen = Vec::new();
    /// let went = Native.on_each_cpu(&mut |cpu| {
    ///     seen.push(cpu);
    ///     seen.len() < 4
    /// });
    /// assert!(!went || !seen.is_empty());
    /// ```
    fn on_each_cpu(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool;
}

/// Whether the kernel uses the counter for its own time.
///
/// ```
/// use chronoscope::machine::{Kernel, Machine, Native};
/// if let Kernel::Dropped(instead) = Native.facts().kernel {
///     println!("the kernel does not trust the counter: it uses {instead}");
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// It uses the counter, under this name of a clock source.
    Uses(String),
    /// It could use the counter, but uses the clock source named here.
    Offers(String),
    /// The counter is no longer among its clock sources; it uses the one named here.
    Dropped(String),
    /// It does not report that.
    Silent,
}

/// A rate that the kernel or the processor states, which is checked before it is used.
///
/// ```
/// use chronoscope::machine::{Machine, Native};
/// for hint in Native.facts().hints {
///     println!("{} Hz ± {} ppm from {}", hint.hz, hint.bound_ppm, hint.from);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Ticks per second.
    pub hz: f64,
    /// How far the true rate may differ from it, in parts per million.
    pub bound_ppm: f64,
    /// What states it.
    pub from: &'static str,
}

/// The source that a user wants.
///
/// ```
/// use chronoscope::{Clock, Wanted};
/// let clock = Clock::new();
/// clock.choose(Wanted::Counter)?;
/// println!("{}", clock.describe());
/// # Ok::<(), chronoscope::AlreadyChosen>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The counter if it can be trusted, otherwise the operating system's clock.
    #[default]
    Auto,
    /// The counter, unless reading it would kill the process or it does not count.
    Counter,
    /// The operating system's clock.
    Os,
}

impl Wanted {
    /// Parses the value of `CHRONOSCOPE_SOURCE`: `auto`, `counter` or `os`; `None` for anything
    /// else.
    ///
    /// ```
    /// use chronoscope::Wanted;
    /// assert_eq!(Wanted::parse("os"), Some(Wanted::Os));
    /// assert_eq!(Wanted::parse("sundial"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "auto" | "" => Some(Self::Auto),
            "counter" => Some(Self::Counter),
            "os" => Some(Self::Os),
            _ => None,
        }
    }
}

/// What is known about a counter without reading it.
///
/// ```
/// use chronoscope::machine::{Machine, Native};
/// let facts = Native.facts();
/// println!("forbidden: {}, invariant: {:?}", facts.forbidden, facts.invariant);
/// ```
#[derive(Clone, Debug)]
pub struct Facts {
    /// The instruction that reads the counter; `None` if user code cannot read one.
    pub counter: Option<&'static str>,
    /// Whether reading the counter would end the process (`PR_SET_TSC`).
    pub forbidden: bool,
    /// Whether the counter's rate is independent of frequency and idle states; `None` if unknown.
    pub invariant: Option<bool>,
    /// Whether [`Machine::ticks_stop`] exists.
    pub has_stop: bool,
    /// What the kernel does with the counter.
    pub kernel: Kernel,
    /// The stated rates, most reliable first.
    pub hints: Vec<Hint>,
    /// The source that the user wants.
    pub wanted: Wanted,
    /// The value of `CHRONOSCOPE_SOURCE`, if it was not valid and so had no effect.
    pub not_understood: Option<String>,
}

/// This machine.
///
/// ```
/// use chronoscope::machine::{Machine, Native};
/// let facts = Native.facts();
/// assert!(facts.counter.is_some() || !facts.has_stop || !chronoscope::counter::is_hardware());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Machine for Native {
    fn facts(&self) -> Facts {
        // Checked first, because it decides how the system's own clock may be read: if the counter
        // is forbidden, so is the vDSO's clock_gettime, which reads it.
        let forbidden = os::counter_forbidden();
        let (wanted, not_understood) = match std::env::var_os("CHRONOSCOPE_SOURCE") {
            None => (Wanted::Auto, None),
            Some(value) => match value.to_str().and_then(Wanted::parse) {
                Some(wanted) => (wanted, None),
                None => (Wanted::Auto, Some(value.to_string_lossy().into_owned())),
            },
        };
        let mut hints = Vec::new();
        if counter::is_hardware() && !forbidden && wanted != Wanted::Os {
            hints.extend(os::rate_hint());
            hints.extend(cpu::rate_hints());
        }
        Facts {
            counter: counter::is_hardware().then_some(counter::name()),
            forbidden,
            invariant: cpu::invariant(),
            has_stop: counter::has_stop(),
            kernel: os::kernel_view(cpu::CLOCK_SOURCES),
            hints,
            wanted,
            not_understood,
        }
    }

    #[inline(always)]
    fn ticks(&self) -> u64 {
        counter::now()
    }

    #[inline(always)]
    fn ticks_ordered(&self) -> u64 {
        counter::now_ordered()
    }

    #[inline(always)]
    fn ticks_start(&self) -> u64 {
        counter::start()
    }

    #[inline(always)]
    fn ticks_stop(&self) -> u64 {
        counter::stop()
    }

    fn ticks_step(&self) -> u64 {
        counter::step()
    }

    fn reference(&self) -> u64 {
        os::reference()
    }

    fn reference_step(&self) -> u64 {
        os::reference_step()
    }

    fn monotonic(&self) -> u64 {
        os::monotonic()
    }

    fn wall(&self) -> u64 {
        os::wall()
    }

    fn wall_step(&self) -> u64 {
        os::WALL_STEP
    }

    fn wall_error(&self) -> Option<u64> {
        os::wall_error()
    }

    fn sleep_until(&self, deadline: u64, remaining: u64) {
        os::sleep_until(deadline, remaining);
    }

    fn margin_cap(&self) -> u64 {
        os::MARGIN_CAP
    }

    fn on_each_cpu(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        os::on_each_cpu(visit)
    }
}
