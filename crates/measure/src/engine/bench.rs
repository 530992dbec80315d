//! What times the batches of this process: the ruler, the displacement of the caches before a cold
//! read, and a check whether the thread was disturbed.

use super::batch::Batch;
use super::ruler::RulerKind;
use chronoscope_probes::clocks::{COPIES, Reader};
use chronoscope_probes::machine::noise;
use chronoscope_probes::memory::Displacer;
use std::hint::black_box;

/// The memory that is walked if no size is given: larger than the second-level cache of most cores.
pub const LEAST_DISPLACED: usize = 4 << 20;

/// How often the loop runs without a read before a cold read. The second time costs 5 ns more than
/// a warm one, the third no more.
const REWARM: usize = 3;

pub struct Bench {
    ruler: RulerKind,
    copy: usize,
    displacer: Option<Displacer>,
    switches: Option<u64>,
    cpu: Option<usize>,
}

impl Bench {
    pub fn new(ruler: RulerKind) -> Self {
        Self {
            ruler,
            copy: 0,
            displacer: None,
            switches: noise::thread_switches(),
            cpu: noise::current_cpu(),
        }
    }

    /// The CPU that the thread was last seen on, if the system reports it.
    pub fn cpu(&self) -> Option<usize> {
        self.cpu
    }

    /// Times `work`, and records whether the thread was taken off its CPU or moved during it.
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

    /// Times independent reads. All of them run the same code, so warm reads and an empty loop warm
    /// up the very instructions that time a cold read.
    #[inline(never)]
    pub fn independent(&mut self, reader: &mut Reader, reads: u64) -> Batch {
        let copy = self.copy;
        self.time(|| reader.throughput(copy, reads))
    }

    /// Times reads each of which begins after the one before has completed.
    pub fn dependent(&mut self, reader: &mut Reader, reads: u64) -> Batch {
        let copy = self.copy;
        self.time(|| reader.latency(copy, reads))
    }

    /// Times `n` sums of `v`, each between two reads.
    pub fn around(&mut self, reader: &mut Reader, n: u64, v: &[u64]) -> Batch {
        let copy = self.copy;
        self.time(|| {
            black_box(reader.around(copy, n, v));
        })
    }

    /// Uses this copy of the timed loops from now on. The copies are at different places in memory.
    /// A number beyond the last copy starts again from the first.
    pub fn use_copy(&mut self, copy: usize) {
        self.copy = copy % COPIES;
    }

    pub fn cold(&mut self, reader: &mut Reader, reads: u64) -> Batch {
        self.displace();
        // The code that times the read is cold as well. Its misses take ten times as long as the
        // read and overlap with it, so no subtraction would remove them. The loop without a read
        // warms up this code again.
        for _ in 0..REWARM {
            self.independent(reader, 0);
        }
        self.independent(reader, reads)
    }

    /// Sets how many bytes of memory `displace` walks. With 0, it frees the memory.
    pub fn displace_with(&mut self, bytes: usize) {
        // Frees the old memory first, so that both are never held.
        self.displacer = None;
        self.displacer = (bytes > 0).then(|| Displacer::new(bytes));
    }

    fn displace(&mut self) {
        let least = || Displacer::new(LEAST_DISPLACED);
        self.displacer.get_or_insert_with(least).displace();
    }
}
