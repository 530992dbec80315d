//! What a grid does about points that have passed.

/// What a [`Ticker`](super::Ticker) does about points of its grid that pass before it is called
/// again. The same three as tokio's `MissedTickBehavior`.
///
/// With a period of 10 ms and a pause of 35 ms after the first point, the next ticks are:
///
/// | | at 45 ms | then |
/// | --- | --- | --- |
/// | [`Burst`](Missed::Burst) | number 2 | 3 and 4 at once, 5 at 50 ms, 6 at 60 ms |
/// | [`Delay`](Missed::Delay) | number 4, with 2 missed | 5 at 55 ms, 6 at 65 ms |
/// | [`Skip`](Missed::Skip) | number 4, with 2 missed | 5 at 50 ms, 6 at 60 ms |
///
/// ```
/// use chronoscope::wait::{Missed, Ticker};
/// let mut ticker = Ticker::new(std::time::Duration::from_millis(1))?;
/// ticker.set_missed(Missed::Delay);
/// println!("{:?}", ticker.tick());
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Missed {
    /// No point is left out: those that have passed are ticked at once, until the grid is caught up
    /// with. For work that counts, such as one sample per point.
    Burst,
    /// The grid begins anew with a tick that is late: the following ones are a period apart from
    /// it. For work that needs a pause between two ticks.
    Delay,
    /// All points that have passed but the last one are left out, and the grid stays where it is.
    /// For work that shows the present state.
    #[default]
    Skip,
}
