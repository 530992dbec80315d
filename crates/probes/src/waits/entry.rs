//! What the catalogue knows of a way to wait, and what it takes to use one.

pub use crate::clocks::Unavailable;
pub use chronoscope_model::clock::Language;
pub use chronoscope_model::waits::Kind;

/// One wait method of the catalogue.
pub struct Entry {
    /// `family/variant`, lower case; a fixed name that others read.
    pub id: &'static str,
    /// The call as a user writes it.
    pub call: &'static str,
    /// The language of that call.
    pub language: Language,
    /// What the thread does while it waits.
    pub kind: Kind,
    /// Whether Linux' timer slack has an effect on it.
    pub slack: bool,
    /// The systems or processors it belongs to, in words.
    pub home: &'static str,
    /// What a user should know of it, in a few sentences.
    pub about: &'static str,
    /// Where that is written: manual and section, paper, kernel file.
    pub references: &'static [&'static str],
    /// Prepares the method on the calling thread, or says why it cannot be used here.
    pub open: fn(&Setting) -> Result<Box<dyn Method>, Unavailable>,
}

/// What a method may need to know of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Ticks per second of `chronoscope::counter`, by calibration.
    pub counter_hz: f64,
}

/// An opened wait method. It belongs to the thread that opened it.
pub trait Method {
    /// Waits for `ns` nanoseconds from now.
    ///
    /// An interruption by a signal is no end: the rest is waited for, as careful code does.
    ///
    /// # Errors
    /// The number of the system's error, where the call failed.
    fn wait(&mut self, ns: u64) -> Result<(), i32>;

    /// Waits until [`os::monotonic`](super::os::monotonic) shows `deadline`; returns at once where
    /// that has passed. A method that takes durations only is given what is left, as its users do.
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
