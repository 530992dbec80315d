//! An interval that contains the time, and what is known of it.

/// What is known of how far the time can be off, in the words of ClockBound.
///
/// ```
/// use chronoscope::{Wall, WallState};
/// match Wall::now_bounded().state {
///     WallState::Synchronised | WallState::FreeRunning => println!("the interval contains UTC"),
///     WallState::Disrupted => println!("not until the clock is synchronised anew"),
///     _ => println!("nothing states how far the clock is from UTC"),
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum WallState {
    /// Nothing states a bound, or the processor's counter is not read, so that nothing would show a
    /// pause: the interval contains the time of the system's clock only.
    #[default]
    Unknown,
    /// Something keeps the clock, and states a bound.
    Synchronised,
    /// A bound was stated, and grows because nothing has renewed it for long: half an hour for the
    /// kernel's, a minute for ClockBound's.
    FreeRunning,
    /// A pause, a restored snapshot, a step or a changed rate was noticed since the bound was
    /// stated. It ends there: the interval contains every time until another one is stated.
    Disrupted,
}

impl WallState {
    /// Returns the state in a word.
    ///
    /// ```
    /// assert_eq!(chronoscope::WallState::FreeRunning.name(), "free-running");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Synchronised => "synchronised",
            Self::FreeRunning => "free-running",
            Self::Disrupted => "disrupted",
        }
    }
}

/// An interval that contains the time, in nanoseconds since 1970-01-01 00:00 UTC, unless the
/// system's clock was stepped within the last [`WallInterval::age`].
///
/// ```
/// let wall = chronoscope::Wall::now_bounded();
/// println!("{} ns ± {}, {:?}", wall.now, (wall.latest - wall.earliest) / 2, wall.state);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WallInterval {
    /// The time is not earlier than this.
    pub earliest: u64,
    /// The best guess, as [`Wall::now`](crate::Wall::now) returns it.
    pub now: u64,
    /// The time is not later than this.
    pub latest: u64,
    /// The part of the error that is due to this library, in nanoseconds: how far `now` can be from
    /// the system's clock. Zero if something else is asked than that
    /// ([`Wall::bound_by`](crate::Wall::bound_by)).
    pub tracking: u64,
    /// The part that the kernel states for its own clock, or whoever is asked in its place, in
    /// nanoseconds. `None` if it states none, if its clock is not synchronised, or if it is not
    /// asked because a filter of system calls is active
    /// ([`assume_that_nothing_kills`](crate::machine::assume_that_nothing_kills)). The interval
    /// then contains the time of the system's clock rather than the true time.
    pub kernel: Option<u64>,
    /// How long ago the system's clock was looked at, in nanoseconds: at most
    /// [`FOLLOWS_WITHIN`](crate::wall::FOLLOWS_WITHIN), and zero if it was looked at now. The
    /// interval does not contain a step since then.
    pub age: u64,
    /// Whether the interval contains UTC.
    #[cfg_attr(feature = "serde", serde(default))]
    pub state: WallState,
}

impl WallInterval {
    /// If the library cannot follow the system's clock at all.
    pub(crate) fn unknown(now: u64) -> Self {
        let state = WallState::Unknown;
        Self { earliest: 0, now, latest: u64::MAX, tracking: u64::MAX, kernel: None, age: 0, state }
    }

    /// The interval around `now` that the two errors make.
    pub(crate) fn around(
        now: u64,
        tracking: u64,
        kernel: Option<u64>,
        age: u64,
        state: WallState,
    ) -> Self {
        let error = match state {
            WallState::Disrupted => u64::MAX,
            _ => tracking.saturating_add(kernel.unwrap_or(0)),
        };
        let (earliest, latest) = (now.saturating_sub(error), now.saturating_add(error));
        Self { earliest, now, latest, tracking, kernel, age, state }
    }
}
