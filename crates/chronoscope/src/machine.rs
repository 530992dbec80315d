//! What a [`Clock`](crate::Clock) needs from a machine, as a trait, so that a clock can run on a
//! simulated machine: one whose counter jumps, whose kernel lies, or whose CPUs are out of step.

pub use crate::name::Name;
use crate::sys::{counter, cpu, os, rest, thread, wanted_source};

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
///             reads_directly: None,
///             hints: [Some(Hint { hz: 1e9, bound_ppm: 50.0, from: "its manual" }), None, None],
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
    /// method. It must not read the counter, which may be disabled for the process. It should not
    /// allocate, take locks or open files either, because the first read may be made by a signal
    /// handler or by a global allocator.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// let facts = Native.facts();
    /// println!("{:?}, which the kernel {:?}", facts.counter, facts.kernel);
    /// ```
    fn facts(&self) -> Facts;

    /// What takes files or system calls that a sandbox may forbid: asked for by
    /// [`Clock::sync`](crate::Clock::sync) once, after a sample that disagrees, and with `deeply`
    /// by [`Clock::calibrate`](crate::Clock::calibrate).
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// println!("the kernel {:?}", Native.inquire(false).kernel);
    /// ```
    fn inquire(&self, deeply: bool) -> Inquiry {
        let _ = deeply;
        Inquiry { kernel: self.facts().kernel, hint: None }
    }

    /// A number that the hypervisor changes when it has disrupted the clock of its guest, by a
    /// migration for example; `None` if there is none. Asked for in each check.
    ///
    /// On Linux it is the disruption marker of `/dev/vmclock0`, a page that [`Machine::inquire`]
    /// has mapped.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.inquire(false);
    /// match Native.disruption() {
    ///     Some(marker) => println!("the hypervisor reports disruptions: {marker}"),
    ///     None => println!("no hypervisor reports disruptions"),
    /// }
    /// ```
    fn disruption(&self) -> Option<u64> {
        None
    }

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

    /// The step of [`Machine::monotonic`], to which its values are truncated, in nanoseconds.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// assert!(Native.monotonic_step() >= 1);
    /// ```
    fn monotonic_step(&self) -> u64 {
        1
    }

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
    /// (`adjtimex(2)`, `maxerror`); `None` if the kernel does not report one, if its clock is not
    /// synchronised, or if it cannot be asked without risk.
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

    /// Lets the processor rest in a spin until the counter is at `ticks`, or less long. If it often
    /// takes until after `latest`, this may do nothing from then on. Called only if the counter may
    /// be read. Returns whether the processor rested; if not, the spin executes PAUSE or its like.
    ///
    /// [`Native`] does so with `tpause` (Intel), `mwaitx` (AMD) or `wfet` (Arm Linux), if the
    /// processor has that. It looks for one before its first sleep.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// if !Native.facts().forbidden {
    ///     let now = Native.ticks();
    ///     println!("{}", Native.rest_until(now + 1000, now + 2000));
    /// }
    /// ```
    fn rest_until(&self, ticks: u64, latest: u64) -> bool {
        let _ = (ticks, latest);
        false
    }

    /// How late a timer can wake a thread, in nanoseconds; longer delays have another cause.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// println!("a timer is up to {} us late", Native.margin_cap() / 1000);
    /// ```
    fn margin_cap(&self) -> u64;

    /// For how long this thread has been ready to run but waited for a CPU since it started, in
    /// nanoseconds; `None` if the system does not report it, or if it cannot be asked without risk.
    /// On Linux it is the second number of `/proc/thread-self/schedstat`.
    ///
    /// ```
    /// use chronoscope::machine::{Machine, Native};
    /// Native.facts();
    /// match Native.queued() {
    ///     Some(ns) => println!("waited {} us for a CPU", ns / 1000),
    ///     None => println!("not reported here"),
    /// }
    /// ```
    fn queued(&self) -> Option<u64> {
        None
    }

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// It uses the counter, under this name of a clock source.
    Uses(Name),
    /// It could use the counter, but uses the clock source named here.
    Offers(Name),
    /// The counter is no longer among its clock sources; it uses the one named here.
    Dropped(Name),
    /// It does not report that.
    Silent,
    /// It has not been asked, because that takes files: see [`Machine::inquire`].
    Unasked,
}

/// What [`Machine::inquire`] finds.
///
/// ```
/// use chronoscope::machine::{Machine, Native};
/// let found = Native.inquire(true);
/// println!("{:?}, {:?}", found.kernel, found.hint);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inquiry {
    /// What the kernel does with the counter.
    pub kernel: Kernel,
    /// A rate that the kernel states.
    pub hint: Option<Hint>,
}

/// A rate that the kernel or the processor states, which is checked before it is used.
///
/// ```
/// use chronoscope::machine::{Machine, Native};
/// for hint in Native.facts().hints.into_iter().flatten() {
///     println!("{} Hz ± {} ppm from {}", hint.hz, hint.bound_ppm, hint.from);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The instruction that reads the counter; `None` if user code cannot read one.
    pub counter: Option<&'static str>,
    /// Whether reading the counter would end the process (`PR_SET_TSC`).
    pub forbidden: bool,
    /// Whether the counter's rate is independent of frequency and idle states; `None` if unknown.
    pub invariant: Option<bool>,
    /// Whether [`Machine::ticks_stop`] exists.
    pub has_stop: bool,
    /// What the kernel does with the counter, if that is known without opening a file.
    pub kernel: Kernel,
    /// Whether the kernel's clock is read without a system call, so that it must be the counter's;
    /// `None` if that shows nothing here.
    pub reads_directly: Option<bool>,
    /// The stated rates, most reliable first.
    pub hints: [Option<Hint>; 3],
    /// The source that the user wants.
    pub wanted: Wanted,
    /// The value of `CHRONOSCOPE_SOURCE`, if it was not valid and so had no effect.
    pub not_understood: Option<Name>,
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
        let given = wanted_source(|value| {
            let text = std::str::from_utf8(value).unwrap_or("\u{fffd}");
            Wanted::parse(text).ok_or(Name::from(text))
        });
        let (wanted, not_understood) = match given {
            None => (Wanted::Auto, None),
            Some(Ok(wanted)) => (wanted, None),
            Some(Err(text)) => (Wanted::Auto, Some(text)),
        };
        let readable = counter::is_hardware() && !forbidden;
        let [first, second] =
            if readable && wanted != Wanted::Os { cpu::rate_hints() } else { [None; 2] };
        Facts {
            counter: counter::is_hardware().then_some(counter::name()),
            forbidden,
            invariant: cpu::invariant(),
            has_stop: counter::has_stop(),
            kernel: os::first_view(cpu::CLOCK_SOURCES),
            reads_directly: if readable { os::reads_directly() } else { None },
            hints: [first, second, None],
            wanted,
            not_understood,
        }
    }

    fn inquire(&self, deeply: bool) -> Inquiry {
        os::inquire(cpu::CLOCK_SOURCES, deeply)
    }

    fn disruption(&self) -> Option<u64> {
        os::disruption()
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

    fn monotonic_step(&self) -> u64 {
        os::monotonic_step()
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
        rest::find();
        os::sleep_until(deadline, remaining);
    }

    fn rest_until(&self, ticks: u64, latest: u64) -> bool {
        rest::until(ticks, latest)
    }

    fn margin_cap(&self) -> u64 {
        os::MARGIN_CAP
    }

    fn queued(&self) -> Option<u64> {
        thread::queued()
    }

    fn on_each_cpu(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        os::on_each_cpu(visit)
    }
}

/// States that no filter of system calls ends this process for `openat`, `perf_event_open`,
/// `adjtimex` or `sched_setattr`.
///
/// Without this, they are made only while no filter is active (`prctl(2)`, PR_GET_SECCOMP), because
/// a filter can kill. In a container whose filter refuses calls but does not kill, this brings back
/// the kernel's view of the counter, its rate, its bound on the error of wall time, the cause of
/// late waits, and short scheduler slices.
///
/// ```
/// chronoscope::machine::assume_that_nothing_kills();
/// println!("{:?}", chronoscope::Wall::now_bounded().kernel);
/// ```
pub fn assume_that_nothing_kills() {
    os::assume_that_nothing_kills();
}
