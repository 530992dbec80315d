//! How far repeated work varies here, and what made it vary.

/// The same piece of work, again and again, each piece with a witness.
#[record]
pub struct Noise {
    /// Pieces that were timed.
    pub pieces: u64,
    /// The median piece, in nanoseconds.
    pub piece_ns: f64,
    /// Pieces whose median the next two figures are about.
    pub median_of: u64,
    /// Half of the range that 95 % of the medians of so many successive pieces fell in, as a share
    /// of the median.
    pub good_to: f64,
    /// The same without the pieces that were disturbed; absent if too few are left.
    pub undisturbed_good_to: Option<f64>,
    /// Pieces in which nothing was seen.
    pub undisturbed: u64,
    /// By how much all pieces together took longer than if each had been as short as a good one, as
    /// a share of their time.
    pub lost: f64,
    /// What that was, the largest loss first. A piece with several causes counts for the first of
    /// this list: preempted, core-shared, frequency-changed, interrupted, unexplained.
    #[always]
    pub causes: Vec<NoiseCause>,
    /// Causes that cannot be seen here.
    pub unseen: Vec<String>,
}

/// What one cause did to pieces of work.
#[record]
pub struct NoiseCause {
    /// The cause.
    pub cause: String,
    /// The share of pieces, 0 to 1.
    pub pieces: f64,
    /// The share of the time of all pieces, 0 to 1.
    pub lost: f64,
}
