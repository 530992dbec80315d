//! What the catalogue knows about a wait method, and what is needed to use one. The choice by `cfg`
//! is made by `on!` and at the function that waits, and nowhere else.

use super::NOMINAL_HZ;
pub use crate::catalogue::Unavailable;
use crate::catalogue::page;
pub use chronoscope_model::clock::Language;
use chronoscope_model::snippet::{self, Paced};
pub use chronoscope_model::waits::{Facts, Kind, Takes, TimerSlack};

/// The opener of a method: `on!(cfg, |setting| method)`, where the [`Setting`](super::Setting) may
/// be used and `?` returns an [`Unavailable`](crate::Unavailable). With `portable` before the
/// condition, what waits exists everywhere and is used under that `cfg` only. Systems that do not
/// match `cfg` do not have the method. With `or reason` behind the condition, every system has the
/// method, but not every build ([`left_out`](crate::catalogue::left_out)).
macro_rules! on {
    (portable $here:meta, |$setting:pat_param| $method:expr) => {{
        const OPENER: $crate::waits::entry::Opener = |$setting| Ok(Box::new($method));
        if cfg!($here) { Some(OPENER) } else { None }
    }};
    ($here:meta or $reason:path, |$setting:pat_param| $method:expr) => {{
        #[cfg($here)]
        const OPENER: $crate::waits::entry::Opener = |$setting| Ok(Box::new($method));
        #[cfg(not($here))]
        const OPENER: $crate::waits::entry::Opener = |_| Err($reason());
        Some(OPENER)
    }};
    ($here:meta, |$setting:pat_param| $method:expr) => {{
        #[cfg($here)]
        const OPENER: Option<$crate::waits::entry::Opener> = Some(|$setting| Ok(Box::new($method)));
        #[cfg(not($here))]
        const OPENER: Option<$crate::waits::entry::Opener> = None;
        OPENER
    }};
}

pub struct Entry {
    /// `family/variant` in lower case: a fixed name that other programs rely on.
    pub id: &'static str,
    /// The call as a user writes it.
    pub call: &'static str,
    pub language: Language,
    /// What the thread does while it waits.
    pub kind: Kind,
    /// What the call takes, in which unit, and how early it may end.
    pub facts: Facts,
    /// Whether Linux's timer slack affects the method.
    pub slack: bool,
    /// The systems or processors that have the method, in words.
    pub home: &'static str,
    /// [`Entry::references`], if that of the family; others stand in `waits.md`.
    pub(crate) references: &'static [&'static str],
    /// The runtime that makes the wait in a process of its own, as in chronoscope-runtimes; none if
    /// this process makes it.
    pub runtime: Option<&'static str>,
    pub(crate) code: Code,
    /// Opens the method; absent on systems that do not have it.
    pub(crate) opener: Option<Opener>,
}

/// Prepares a method on the calling thread, or returns the reason why it cannot be used.
pub(crate) type Opener = fn(&Setting) -> Result<Box<dyn Method>, Unavailable>;

impl Entry {
    /// What a user should know about it, in a few sentences.
    pub fn about(&self) -> &'static str {
        page(self.id).about
    }

    /// The sources of that: manual and section, paper, kernel file.
    pub fn references(&self) -> &'static [&'static str] {
        match page(self.id).references {
            [] => self.references,
            own => own,
        }
    }

    /// Whether the method exists only on systems or processors other than those of this build.
    pub fn is_on_other_system(&self) -> bool {
        self.opener.is_none() && self.runtime.is_none()
    }

    /// Whether the method can be used here. Of a runtime, only its programs are looked for.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    pub fn is_here(&self) -> Result<(), Unavailable> {
        match self.runtime.and_then(chronoscope_runtimes::find_any) {
            Some(runtime) => runtime.find_ways(None).map(drop).map_err(Unavailable),
            None => self.open(&Setting { counter_hz: NOMINAL_HZ }).map(drop),
        }
    }

    /// The name of the wait within its runtime, if it has one: `sleep` of `python/sleep`.
    pub fn name_in_runtime(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(_, name)| name)
    }

    /// Prepares the method on the calling thread. A wait of a runtime cannot be made there.
    ///
    /// # Errors
    /// The reason why it cannot be used on this machine.
    pub fn open(&self, setting: &Setting) -> Result<Box<dyn Method>, Unavailable> {
        if let Some(runtime) = self.runtime {
            return Err(Unavailable(format!("{runtime} waits in a process of its own")));
        }
        let opener = self.opener.ok_or_else(|| Unavailable::only_on(self.home))?;
        opener(setting)
    }

    /// A loop whose deadlines are this far apart, in the entry's language, with this wait; none if
    /// it is not known how to write that.
    pub fn paced(&self, period_ns: u64) -> Option<String> {
        let paced = Paced { language: self.language.name(), home: self.home, period_ns };
        let (code, of_loop) = self.code_on_page();
        let (once, wait) = of_loop.split_once("\n\n").unwrap_or(("", of_loop));
        match (wait, self.code) {
            ("", Code::OnPage) => paced.around(code),
            ("", _) => None,
            _ => paced.with(once, wait),
        }
    }

    /// The code on its page: that of one wait, and after a line of `---` that of a loop: what it
    /// needs once, an empty line, and its wait until the `next` deadline. Loops of runtimes follow
    /// from their code.
    fn code_on_page(&self) -> (&'static str, &'static str) {
        let code = page(self.id).code;
        let (code, of_loop) = code.split_once("---\n").unwrap_or((code, ""));
        (code.trim_end(), of_loop)
    }

    /// The lines of code for one wait, in the entry's language. They can be pasted into a function.
    pub fn lines(&self, wait: Asked) -> String {
        let all = match self.code {
            Code::Before(lines) => snippet::statement(&lines(wait), self.call),
            Code::Lines(lines) => lines(wait),
            Code::OnPage => filled(self.code_on_page().0, wait.ns),
            Code::BeforeCall => {
                snippet::statement(&filled(self.code_on_page().0, wait.ns), self.call)
            }
        };
        // A program opens it once, waits as often as it needs to, and closes it.
        if all.contains("int fd = ") { all + "\nclose(fd);" } else { all }
    }
}

/// The wait for which code is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The duration to wait for, in nanoseconds.
    pub ns: u64,
    /// Ticks per second of the processor's counter, if known.
    pub counter_hz: Option<f64>,
}

impl Asked {
    /// A line of C that defines the number of counter ticks to wait for, and those that follow;
    /// empty if the rate is not known.
    pub(crate) fn ticks_and(&self, lines: &str) -> String {
        self.counter_hz.map_or(String::new(), |hz| {
            format!(
                "uint64_t ticks = {:.0};  // {:.6} GHz, this machine's\n{lines}",
                self.ns as f64 / 1e9 * hz,
                hz / 1e9
            )
        })
    }
}

/// How to write one wait.
#[derive(Clone, Copy)]
pub(crate) enum Code {
    /// These lines, followed by the entry's call.
    Before(fn(Asked) -> String),
    Lines(fn(Asked) -> String),
    /// The code on its page, in which `{s}`, `{ms}`, `{us}` and `{ns}` are the duration: a decimal
    /// fraction of seconds, and whole units, rounded up. `{hns}` is in units of 100 ns; `{sec}`
    /// with `{nsec}`, or with `{usec}`, is split at the second; `{deadline}` is the lines that take
    /// a deadline of CLOCK_MONOTONIC.
    OnPage,
    /// The code on its page, followed by the entry's call.
    BeforeCall,
}

fn filled(text: &str, ns: u64) -> String {
    let seconds = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
    text.replace("{deadline}", &snippet::deadline(ns))
        .replace("{s}", seconds)
        .replace("{ms}", &ns.div_ceil(1_000_000).to_string())
        .replace("{us}", &ns.div_ceil(1_000).to_string())
        .replace("{ns}", &ns.to_string())
        .replace("{hns}", &ns.div_ceil(100).to_string())
        .replace("{sec}", &(ns / 1_000_000_000).to_string())
        .replace("{nsec}", &(ns % 1_000_000_000).to_string())
        .replace("{usec}", &(ns % 1_000_000_000).div_ceil(1_000).to_string())
}

/// A method that takes a duration in nanoseconds.
pub(crate) const DURATION: Facts = Facts {
    takes: Takes::Duration,
    unit_ns: 1,
    early_by_design_ns: 0,
    timer_slack: TimerSlack::Whole,
};

/// A method that takes a deadline in nanoseconds.
pub(crate) const DEADLINE: Facts = Facts { takes: Takes::Deadline, ..DURATION };

/// The defaults of an entry: a sleep that is called from C.
pub(crate) const PLAIN: Entry = Entry {
    id: "",
    call: "",
    language: Language::C,
    kind: Kind::Sleep,
    facts: DURATION,
    slack: true,
    home: "",
    references: &[],
    runtime: None,
    code: Code::Before(|_| String::new()),
    opener: None,
};

/// The defaults of a wait on Linux.
pub(crate) const LINUX: Entry = Entry { home: "Linux", ..PLAIN };

/// The defaults of a wait on Windows.
pub(crate) const WINDOWS: Entry = Entry { home: "Windows", ..PLAIN };

/// The defaults of a wait in Rust.
pub(crate) const RUST: Entry = Entry {
    language: Language::Rust,
    home: "every system",
    code: Code::Before(|wait| {
        format!("let duration = std::time::Duration::from_nanos({});", wait.ns)
    }),
    ..PLAIN
};

/// What a method may need to know about the machine.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Ticks per second of `chronoscope::counter`, from calibration.
    pub counter_hz: f64,
}

/// An opened wait method. It belongs to the thread that opened it.
pub trait Method {
    /// Waits for `ns` nanoseconds from now.
    ///
    /// A signal does not end the wait: the method waits for the rest, as careful code does.
    ///
    /// # Errors
    /// The system's error number, if the call failed.
    fn wait(&mut self, ns: u64) -> Result<(), i32>;

    /// Waits until [`os::monotonic`](super::os::monotonic) shows `deadline`; returns at once if the
    /// deadline has passed. A method that only takes durations is given the time left, as its users
    /// do.
    ///
    /// # Errors
    /// As for [`Method::wait`].
    fn until(&mut self, deadline: u64) -> Result<(), i32> {
        match deadline.checked_sub(super::os::monotonic()) {
            Some(left) if left > 0 => self.wait(left),
            _ => Ok(()),
        }
    }
}

/// A method that is one function of a duration in nanoseconds.
pub(crate) struct ByDuration<F>(pub(crate) F);

impl<F: FnMut(u64) -> Result<(), i32>> Method for ByDuration<F> {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.0(ns)
    }
}

/// A method that is one function of a duration in nanoseconds, and cannot fail.
pub(crate) struct Unfailing<F>(pub(crate) F);

impl<F: FnMut(u64)> Method for Unfailing<F> {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.0(ns);
        Ok(())
    }
}

/// A method that is one function of a deadline, which [`os::monotonic`](super::os::monotonic)
/// shows.
pub(crate) struct ByDeadline<F>(pub(crate) F);

impl<F: FnMut(u64) -> Result<(), i32>> Method for ByDeadline<F> {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.0(super::os::monotonic().saturating_add(ns))
    }

    fn until(&mut self, deadline: u64) -> Result<(), i32> {
        self.0(deadline)
    }
}
