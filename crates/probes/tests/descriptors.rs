//! Opening every clock again and again; alone in its process, as other tests open files too.
#![cfg(target_os = "linux")]

use chronoscope_probes::clocks::{ALL, PEERS};

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn open_all() -> usize {
    let every = ALL.iter().chain(PEERS);
    every.filter(|entry| (entry.open)().is_ok()).count()
}

#[test]
fn opening_again_leaves_no_file_behind() {
    let (first, before) = (open_all(), descriptors());
    for _ in 0..20 {
        assert_eq!(open_all(), first);
    }
    assert_eq!(descriptors(), before);
}
