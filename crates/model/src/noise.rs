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
    /// of its middle.
    pub good_to: f64,
    /// The same without the pieces that were disturbed; absent if too few are left.
    pub undisturbed_good_to: Option<f64>,
    /// Pieces in which nothing was seen.
    pub undisturbed: u64,
    /// By how much all pieces together took longer than if each had been as short as a good one, as
    /// a share of their time.
    pub lost: f64,
    /// What that was, the largest loss first. A piece with several causes counts for the first of
    /// this list: preempted, steal, core-shared, frequency-changed, interrupted, unexplained.
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

/// A command, and what was taken from it while it ran.
#[record]
pub struct Watched {
    /// Its words.
    #[always]
    pub command: Vec<String>,
    /// The code that it ended with; absent if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// From its start to its end, in nanoseconds.
    pub wall_ns: u64,
    /// Its CPU time, with that of all that it started and waited for, in nanoseconds.
    pub cpu_ns: Option<u64>,
    /// The share that was taken from it of the time in which its threads were ready to run, 0 to 1;
    /// absent if that cannot be seen here.
    pub taken: Option<f64>,
    /// What took it, the largest first.
    #[always]
    pub causes: Vec<Taken>,
    /// Who ran instead, the longest first. Times are those that they were waited for, divided among
    /// the tasks that ran meanwhile.
    pub by: Vec<TakenBy>,
    /// The moments in which most was taken, by their time.
    pub moments: Vec<TakenAt>,
    /// The CPU time that watching it took, in nanoseconds.
    pub watching_ns: Option<u64>,
    /// Causes that cannot be seen here.
    pub unseen: Vec<String>,
}

/// What one cause took from a command.
#[record]
pub struct Taken {
    /// The cause: `run-queue`, others had its CPU; `steal`, the hypervisor did; `quota`, it had
    /// used up its share of CPU time.
    pub cause: String,
    /// How long its threads waited, all together, in nanoseconds.
    pub ns: u64,
    /// The share of the time in which they were ready to run, 0 to 1.
    pub share: f64,
}

/// Tasks of one name that ran instead of a command.
#[record(Eq)]
pub struct TakenBy {
    /// The name; absent if it is not known or withheld. `short-lived tasks` stands for all that
    /// ended before they could be looked at.
    pub name: Option<String>,
    /// How many tasks these were; 0 for `short-lived tasks`.
    pub tasks: u64,
    /// How long they were waited for, in nanoseconds.
    pub ns: u64,
    /// Whether they are threads of the command, or of what it started.
    pub own: bool,
    /// Whether they belong to another user. Files leave out the name, unless they were asked for
    /// names.
    pub other_user: bool,
}

/// A moment in which much was taken from a command.
#[record(Eq)]
pub struct TakenAt {
    /// When it began, in nanoseconds from the start of the command.
    pub from_ns: u64,
    /// When it ended.
    pub to_ns: u64,
    /// How long threads of the command waited meanwhile, all together, in nanoseconds.
    pub ns: u64,
    /// The cause, as in [`Taken`].
    pub cause: String,
    /// The name of the task that ran most meanwhile, if that is known.
    pub by: Option<String>,
    /// Whether that task belongs to another user.
    pub other_user: bool,
}

impl Watched {
    /// Removes the names of tasks that belong to other users.
    pub fn withhold_names(&mut self) {
        for it in self.by.iter_mut().filter(|it| it.other_user) {
            it.name = None;
        }
        for it in self.moments.iter_mut().filter(|it| it.other_user) {
            it.by = None;
        }
    }

    /// Whether it has the name of a task of another user.
    pub fn names_others(&self) -> bool {
        let by = self.by.iter().any(|it| it.other_user && it.name.is_some());
        by || self.moments.iter().any(|it| it.other_user && it.by.is_some())
    }
}
