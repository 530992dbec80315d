//! This thread's context switches, as the kernel records them for a performance event that counts
//! nothing: `PERF_RECORD_SWITCH` (perf_event_open(2); Linux include/uapi/linux/perf_event.h). A
//! thread may record its own without privilege if perf_event_paranoid is at most 2 (kernel commit
//! 45ac1403f564).

use super::super::{Switch, Turn};
use super::ring::{Attributes, Of, Record, Ring, SWITCH_OUT};

const RECORD_SWITCH: u32 = 14;
const SWITCH_OUT_PREEMPT: u16 = 1 << 14;

/// Some 800 records, which a thread that is read after each wait fills only if it switches all the
/// time.
const PAGES: usize = 8;
/// The most switches that are kept for one wait.
const MOST: usize = 4096;

#[derive(Debug)]
pub(super) struct Switches {
    ring: Ring,
    seen: Vec<Switch>,
}

impl Switches {
    pub(super) fn open() -> Result<Self, String> {
        let ring = Ring::open(&Attributes::switches(0), Of::ThisThread, PAGES)?;
        Ok(Self { ring, seen: Vec::with_capacity(64) })
    }

    /// What was recorded since the last call, and how many records are missing; no switches if some
    /// are.
    pub(super) fn look(&mut self) -> (Option<&[Switch]>, u64) {
        self.seen.clear();
        let (seen, mut more) = (&mut self.seen, 0);
        let lost = self.ring.read(|record| match switch(&record) {
            Some(_) if seen.len() == MOST => more += 1,
            Some(switch) => seen.push(switch),
            None => {}
        });
        let lost = lost.saturating_add(more);
        ((lost == 0).then_some(&self.seen), lost)
    }
}

/// The switch that a record is about: `u32 pid, tid; u64 time; u32 cpu, reserved`.
fn switch(record: &Record) -> Option<Switch> {
    if record.kind != RECORD_SWITCH || record.size < 32 {
        return None;
    }
    Some(Switch {
        at: record.word(16),
        cpu: record.halves(24).0,
        turn: match (record.misc & SWITCH_OUT, record.misc & SWITCH_OUT_PREEMPT) {
            (0, _) => Turn::In,
            (_, 0) => Turn::Out,
            _ => Turn::Preempted,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_the_kernel_writes_them() {
        let of = |misc: u16, size: u16| {
            let head = u64::from(RECORD_SWITCH) | u64::from(misc) << 32 | u64::from(size) << 48;
            let words = [head, 7, 123_456, 3];
            switch(&Record::of(&|at| words[usize::from(at) / 8]))
        };
        let expected = |turn| Some(Switch { at: 123_456, cpu: 3, turn });
        assert_eq!(of(0, 32), expected(Turn::In));
        assert_eq!(of(SWITCH_OUT, 32), expected(Turn::Out));
        assert_eq!(of(SWITCH_OUT | SWITCH_OUT_PREEMPT, 32), expected(Turn::Preempted));
        assert_eq!(of(0, 16), None);
        assert_eq!(switch(&Record::of(&|_| 0)), None);
    }

    #[test]
    fn a_full_ring_reports_that_records_were_lost() {
        let Ok(mut switches) = Switches::open() else {
            return;
        };
        switches.look();
        let mut lost = 0;
        // Each sleep has two records of 32 bytes, and pages have at most 64 KiB. If an interrupt
        // comes at the right moment, a sleep ends before it has begun and has no record.
        for _ in 0..switches.ring.size() / 64 * 4 {
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
        for _ in 0..3 {
            lost += switches.look().1;
            std::thread::sleep(std::time::Duration::from_micros(1));
        }
        assert!(lost > 0, "nothing was lost");
        assert!(switches.look().0.is_some_and(|seen| !seen.is_empty()));
    }
}
