//! Load on every CPU: child processes at a lower, the same or a higher priority.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Priority of the load relative to the waiting thread's.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
pub enum Load {
    None,
    Lower,
    Equal,
    Higher,
    /// Equal, and three processes for every CPU.
    Crowded,
}

impl Load {
    fn nice(self) -> i32 {
        match self {
            Self::None | Self::Equal | Self::Crowded => 0,
            Self::Lower => 19,
            Self::Higher => -10,
        }
    }

    /// Processes for every CPU.
    fn processes(self) -> usize {
        match self {
            Self::None => 0,
            Self::Lower | Self::Equal | Self::Higher => 1,
            Self::Crowded => 3,
        }
    }
}

/// Children that spin until this is dropped, or until its process ends.
pub struct Spinning(Vec<Child>);

impl Spinning {
    pub fn start(load: Load) -> Result<Self> {
        let mut spinning = Self(Vec::new());
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let program = std::env::current_exe().context("finding this program")?;
        for _ in 0..cpus * load.processes() {
            let child = Command::new(&program)
                .args(["burn", "--nice", &load.nice().to_string()])
                .stdin(Stdio::null())
                .spawn()
                .context("starting a load")?;
            spinning.0.push(child);
        }
        Ok(spinning)
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // An error means that the child has already ended, which is what is wanted.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The child: spins for at most five minutes, and no longer than its parent lives.
pub fn burn(nice: i32) -> Result<()> {
    crate::os::follow_parent(nice).with_context(|| format!("nice {nice}"))?;
    let start = std::time::Instant::now();
    while start.elapsed().as_secs() < 300 {
        for _ in 0..1_000_000 {
            std::hint::black_box(0);
        }
    }
    Ok(())
}
