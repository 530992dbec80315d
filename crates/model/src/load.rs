//! Load next to the waits: what was asked for, and what it got.

/// What ran alongside while waits were measured.
#[record(Names, PartialOrd, Ord, Hash)]
pub enum Load {
    /// No load from the tool.
    #[default]
    None,
    /// Computation at the lowest priority, for idle time only.
    Low,
    /// Computation at a lower priority that still gets its share.
    LowNice,
    /// Computation at the same priority.
    Normal,
    /// Computation at a higher priority.
    High,
    /// Writes that are waited for.
    Io,
    /// Memory traffic beyond the caches.
    Memory,
    /// A storm of timer interrupts.
    Timers,
    /// Lines printed to a terminal of its own.
    Print,
}

impl Load {
    /// Whether a CPU under it is idle at times. A load that computes has something to run always.
    pub const fn leaves_idle_time(self) -> bool {
        matches!(self, Self::None | Self::Io | Self::Timers)
    }
}

impl std::str::FromStr for Load {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        // Its priority, compared with that of what is measured.
        let name = match name {
            "lower" => "low",
            "equal" => "normal",
            "higher" => "high",
            name => name,
        };
        let found = Self::ALL.into_iter().find(|load| load.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|load| load.name()).collect();
            format!("there is no load '{name}': use one of {}", names.join(", "))
        })
    }
}

/// What the load of a run really got.
#[record]
pub struct LoadRun {
    /// Which load.
    pub load: Load,
    /// How it was scheduled: `nice 19`, `SCHED_IDLE`, `SCHED_FIFO 10`.
    pub scheduling: String,
    /// What each of its processes did, as the load describes itself; absent in reports of earlier
    /// versions.
    #[absent]
    pub about: String,
    /// Wall time for which it ran, in seconds.
    pub seconds: f64,
    /// The processes that it consisted of.
    #[always]
    pub processes: Vec<LoadProcess>,
    /// How it differs from what was asked for, and why.
    pub notes: Vec<String>,
}

impl LoadRun {
    /// CPU time that all of them got, in CPUs.
    pub fn cpus(&self) -> f64 {
        let got: f64 = self.processes.iter().map(|p| p.cpu_s).sum();
        if self.seconds > 0.0 { got / self.seconds } else { 0.0 }
    }

    /// How many of its processes ended before the tool ended them. From then on there was less
    /// load, or none.
    pub fn lost(&self) -> usize {
        self.processes.iter().filter(|p| p.ended_s.is_some()).count()
    }

    /// Describes the loss of processes that ended early, if there were any.
    pub fn loss(&self) -> Option<String> {
        let first = self.processes.iter().filter_map(|p| p.ended_s);
        let first = first.min_by(f64::total_cmp)?;
        // Only a process that writes can end by itself, and only if a write fails.
        let why = match self.load {
            Load::Io => "a write failed, as on a full disk",
            Load::Print => "a write failed",
            _ => "they were killed",
        };
        Some(format!(
            "the load was incomplete: {} of {} processes had ended {first:.1} s after its start \
             ({why}), so later waits had less of it alongside, or none",
            self.lost(),
            self.processes.len()
        ))
    }
}

/// One process of a load.
#[record]
pub struct LoadProcess {
    /// The CPU it was pinned to.
    pub cpu: usize,
    /// CPU time it got, in seconds.
    pub cpu_s: f64,
    /// When it was found to have ended, in seconds from the start of the load; absent if it ran
    /// until the tool ended it.
    pub ended_s: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_read_by_name() {
        for load in Load::ALL {
            assert_eq!(load.name().parse(), Ok(load));
            let json = serde_json::to_string(&load).expect("a word");
            assert_eq!(json, format!("\"{}\"", load.name()));
        }
        let by_priority = [("lower", Load::Low), ("equal", Load::Normal), ("higher", Load::High)];
        for (name, load) in by_priority {
            assert_eq!(name.parse(), Ok(load));
        }
        let error = "hihg".parse::<Load>().expect_err("no load");
        assert!(error.contains("hihg") && error.contains("high"), "{error}");
    }

    #[test]
    fn a_load_says_if_it_was_incomplete() {
        let process = |ended_s| LoadProcess { ended_s, ..LoadProcess::default() };
        let mut run =
            LoadRun { processes: vec![process(None), process(None)], ..LoadRun::default() };
        assert_eq!((run.lost(), run.loss()), (0, None));
        run.processes[1] = process(Some(1.04));
        run.processes.push(process(Some(0.5)));
        let loss = run.loss().expect("two ended");
        assert!(loss.contains("2 of 3") && loss.contains("0.5 s"), "{loss}");
    }
}
