//! What whole runs differ by that does not show within one, because it lasts longer than a run:
//! where the kernel's data lies, what the hypervisor does at an exit, which of two states a core is
//! in. It depends on what a read does.

use crate::clock::{BuiltOn, Facts, Orders, Reads};

/// Reads in user space, back to back. The same goes for those of which nothing is known.
const BACK_TO_BACK: f64 = 0.003;
/// Reads in user space, each ordered after the one before: two states, 0.2 to 0.6 % apart.
const ORDERED: f64 = 0.004;
/// Reads that only load a value, back to back: two states, 20 to 30 % apart.
const LOADS: f64 = 0.2;
/// Reads that wait until earlier stores have left the core: two states, 2.6 % apart.
const AFTER_STORES: f64 = 0.02;
/// Reads that go through the kernel: two states, 3 to 8 % apart, and the kernel's data keeps its
/// place for longer than a run.
const KERNEL: f64 = 0.04;
/// Reads that the hypervisor intercepts, whose cost is the hypervisor's: 9 to 38 % off in one run
/// of ten.
const LEAVES_GUEST: f64 = 0.12;

/// Half the 95 % interval of what whole runs differ by, as a share of the cost of a clock with
/// these facts, for reads that are each ordered after the one before, and for others.
///
/// The shares are from 20 runs of `clocks` and 20 of the main command on an AMD EPYC (family 26,
/// two CPUs of a virtual machine), and held in 14 runs next to builds; 20 further runs showed that
/// 3 % was too little for the kernel. They are what the rows of a kind need for 95 % of the pairs
/// of runs to agree, in addition to their own intervals and in core cycles: the frequency has a
/// term of its own. An Intel Xeon (family 6, model 207) needed less: 0.1 % in user space and 1.5 %
/// in the kernel.
pub fn share(facts: Option<Facts>, ordered: bool) -> f64 {
    let Some(Facts { reads, orders, built_on, exits_guest, .. }) = facts else {
        return BACK_TO_BACK;
    };
    let loads = built_on == BuiltOn::Tick;
    match (reads, orders) {
        _ if exits_guest => LEAVES_GUEST,
        (Reads::SystemCall | Reads::File, _) => KERNEL,
        (_, Orders::Memory) => AFTER_STORES,
        _ if ordered => ORDERED,
        _ if loads => LOADS,
        _ => BACK_TO_BACK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_read_does_decides_what_runs_differ_by() {
        let known = Facts { reads: Reads::Vdso, ..Facts::default() };
        let back = |facts| share(Some(facts), false);
        assert_eq!(back(known), share(None, true));
        assert!(share(Some(known), true) > back(known));
        let kernel = back(Facts { reads: Reads::SystemCall, ..known });
        assert_eq!(kernel, back(Facts { reads: Reads::File, ..known }));
        assert!(kernel > back(Facts { orders: Orders::Memory, ..known }));
        let leaves = Facts { exits_guest: true, reads: Reads::Counter, ..known };
        assert!(back(leaves) > kernel);
        // A coarse clock only loads a value, unless it is read through the kernel.
        let coarse = Facts { built_on: BuiltOn::Tick, ..known };
        assert!(back(coarse) > back(leaves));
        assert_eq!(share(Some(coarse), true), share(Some(known), true));
        assert_eq!(back(Facts { reads: Reads::SystemCall, ..coarse }), kernel);
    }
}
