//! What a batch of this process is timed with: the ruler, what displaces the caches before a cold
//! read, and a look at whether the thread was disturbed.

use super::host::Batch;
use super::ruler::RulerKind;
use chronoscope_probes::displace::Displacer;
use chronoscope_probes::machine::noise;

/// The bench.
pub struct Bench {
    ruler: RulerKind,
    displacer: Option<Displacer>,
    switches: Option<u64>,
    cpu: Option<usize>,
}

impl Bench {
    /// A bench with this ruler, for the calling thread.
    pub fn new(ruler: RulerKind) -> Self {
        Self {
            ruler,
            displacer: None,
            switches: noise::thread_switches(),
            cpu: noise::current_cpu(),
        }
    }

    /// The ruler.
    pub fn ruler(&self) -> RulerKind {
        self.ruler
    }

    /// Times `work`, and notes whether the thread was taken off its processor or moved meanwhile.
    #[inline]
    pub fn time(&mut self, work: impl FnOnce()) -> Batch {
        let start = self.ruler.start();
        work();
        let ticks = self.ruler.stop().saturating_sub(start);
        let (switches, cpu) = (noise::thread_switches(), noise::current_cpu());
        let disturbed = switches != self.switches || cpu != self.cpu;
        self.switches = switches;
        self.cpu = cpu;
        Batch { ticks, disturbed }
    }

    /// Displaces the caches and the branch history.
    pub fn displace(&mut self) {
        self.displacer.get_or_insert_default().displace();
    }
}
