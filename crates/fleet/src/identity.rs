//! When this machine begins to measure, so that the guests of one host do not measure in the same
//! second. Nothing of the identity is shown or sent.

use chronoscope_probes::machine;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

/// Where Linux keeps the id of its installation (machine-id(5)).
const MACHINE_ID: &str = "/etc/machine-id";

/// A number from 0 to 1 that differs from machine to machine: the same for all programs of one
/// boot of a machine, or drawn at random where the machine has no identity.
pub fn fraction() -> f64 {
    // All containers of an image, and all clones of a disk, can have the same machine id.
    let id = std::fs::read_to_string(MACHINE_ID).ok();
    of([id, machine::boot_id()])
}

fn of(ids: [Option<String>; 2]) -> f64 {
    let ids: Vec<String> = ids.into_iter().flatten().filter(|id| !id.trim().is_empty()).collect();
    let hash = if ids.is_empty() {
        RandomState::new().hash_one(())
    } else {
        let mut hasher = DefaultHasher::new();
        ids.hash(&mut hasher);
        hasher.finish()
    };
    hash as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_machines_are_spread_evenly() {
        const PARTS: usize = 10;
        let mut parts = [0; PARTS];
        for guest in 0..1000 {
            let id = Some(format!("{:032x}\n", 0x5eed + guest));
            let fraction = of([id.clone(), None]);
            assert!((0.0..=1.0).contains(&fraction) && fraction == of([id, None]));
            parts[((fraction * PARTS as f64) as usize).min(PARTS - 1)] += 1;
        }
        // Five standard deviations of a binomial distribution around 100.
        assert!(parts.iter().all(|count| (53..=147).contains(count)), "{parts:?}");
    }

    #[test]
    fn clones_of_a_disk_differ_by_their_boots_and_a_machine_without_ids_by_chance() {
        let clone = |boot: &str| of([Some("same".into()), Some(boot.into())]);
        assert_ne!(clone("one"), clone("two"));
        assert_ne!(of([None, None]), of([Some(" \n".into()), None]));
        assert!((0.0..=1.0).contains(&fraction()));
    }
}
