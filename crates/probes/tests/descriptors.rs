//! Opens every clock again and again. The test is alone in its process, because other tests open
//! files too.
#![cfg(target_os = "linux")]

use chronoscope_probes::clocks::{Opening, every};

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn open_all() -> usize {
    every().filter(|entry| entry.open(Opening::Checked).is_ok()).count()
}

#[test]
fn opening_clocks_again_leaks_no_descriptors() {
    let (first, before) = (open_all(), descriptors());
    for _ in 0..20 {
        assert_eq!(open_all(), first);
    }
    assert_eq!(descriptors(), before);
}
