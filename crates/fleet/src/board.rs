//! What the measuring thread has put up, for the thread that answers.

use chronoscope_report::metrics::Answers;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// All that can be asked of the exporter.
#[derive(Clone)]
pub struct Notice {
    pub answers: Arc<Answers>,
    /// The last complete report as JSON, for `/report`.
    pub report: Arc<Vec<u8>>,
    pub health: Health,
}

/// What `/healthz` says.
#[derive(Clone, Default)]
pub struct Health {
    /// Why the exporter measures nothing useful: status 503.
    pub failed: Option<String>,
    /// What is not measured here, each with its reason.
    pub absent: Vec<String>,
}

/// The newest notice. A reader takes a reference and never waits for a measurement.
pub struct Board(Mutex<Newest>);

struct Newest {
    notice: Option<Notice>,
    /// When it was put up; before the first, when the board was made.
    since: Instant,
}

impl Default for Board {
    fn default() -> Self {
        Self(Mutex::new(Newest { notice: None, since: Instant::now() }))
    }
}

impl Board {
    /// Replaces what is on the board.
    pub fn put(&self, notice: Notice) {
        *self.newest() = Newest { notice: Some(notice), since: Instant::now() };
    }

    /// What is on the board; none before the first measurement.
    pub fn notice(&self) -> Option<Notice> {
        self.newest().notice.clone()
    }

    /// How long nothing was put up.
    pub fn silence(&self) -> Duration {
        self.newest().since.elapsed()
    }

    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
