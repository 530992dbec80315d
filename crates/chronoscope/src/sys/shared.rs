//! Pages that others share with this process and write at any time: a hypervisor, `/dev/vmclock0`
//! (Linux 6.13), and ClockBound's daemon. Each has a number that is odd while it is written, and
//! another one afterwards. The vmclock's disruption marker changes when the guest's clock was
//! disrupted, as by a migration.
//!
//! The layouts are those of `struct vmclock_abi` (Linux, include/uapi/linux/vmclock-abi.h) and of
//! ClockBound 3 (src/shm/shm_header.rs); [`stated`](crate::stated) has what follows the head.

use core::ffi::{CStr, c_long};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering, fence};

use super::page::{Kind, MARKER, WORDS, Words};

pub const VMCLOCK: &CStr = c"/dev/vmclock0";

/// Where both have the number that changes, with 32 bits or with the upper 16 of them.
const SEQUENCE_AT: usize = 12;
/// The bytes up to the end of the vmclock's marker.
const HEAD: usize = 24;

/// The vmclock's page if there is one.
static PAGE: Shared = Shared::new();

/// No mapping has this address, because pages are aligned.
const NONE: *mut u8 = ptr::without_provenance_mut(1);

/// A mapped page, which stays mapped as long as the process lives; null before.
#[derive(Debug)]
pub struct Shared(AtomicPtr<u8>);

impl Shared {
    pub const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// Maps the page of this file, once; returns whether there is one. Opens a file, so it must not
    /// be called under a filter of system calls.
    pub fn open(&self, path: &CStr, kind: Kind) -> bool {
        if self.0.load(Ordering::Acquire).is_null() {
            let (page, length) = map(path, kind).unwrap_or((NONE, 0));
            let (null, order) = (ptr::null_mut(), Ordering::AcqRel);
            let first = self.0.compare_exchange(null, page, order, Ordering::Acquire).is_ok();
            if !first && page != NONE {
                // SAFETY: another thread published its mapping, and this one was shown to nobody.
                unsafe { libc::munmap(page.cast(), length) };
            }
        }
        self.page().is_some()
    }

    fn page(&self) -> Option<*const u8> {
        let page = self.0.load(Ordering::Acquire);
        (!page.is_null() && page != NONE).then_some(page.cast_const())
    }

    /// The first words of the page, little-endian; `None` if there is no page, or if it is being
    /// changed for longer than a few reads take.
    pub fn words(&self, kind: Kind) -> Option<Words> {
        // SAFETY: a published page is mapped for as long as the process lives.
        self.page().and_then(|page| unsafe { read(page, kind) })
    }
}

/// Maps the vmclock's page if there is one. Opens a file, as [`Shared::open`] does.
pub fn open() {
    PAGE.open(VMCLOCK, Kind::VmClock);
}

/// The vmclock's disruption marker, if there is one.
pub fn marker() -> Option<u64> {
    Some(PAGE.words(Kind::VmClock)?[MARKER])
}

/// Maps the page of this file, if its head is one that is known here. Returns the address and the
/// length.
fn map(path: &CStr, kind: Kind) -> Option<(*mut u8, usize)> {
    // SAFETY: only returns a number.
    let length = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let fd = super::os::open_file(path)?;
    let mut head = [0u8; HEAD];
    // Memory beyond the end of a file cannot be read, so the file must have the whole head.
    // SAFETY: the descriptor opened above, and a buffer of the length given.
    let count = unsafe { libc::syscall(libc::SYS_read, fd, head.as_mut_ptr(), head.len()) };
    let mut found = None;
    if count == HEAD as c_long && kind.is_known(&head) {
        let (read, shared) = (libc::PROT_READ, libc::MAP_SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses. The vmclock's driver takes a
        // length of one page only (drivers/ptp/ptp_vmclock.c, vmclock_miscdev_mmap).
        let page = unsafe { libc::mmap(ptr::null_mut(), length, read, shared, fd as _, 0) };
        found = (page != libc::MAP_FAILED).then(|| (page.cast(), length));
    }
    // SAFETY: the descriptor opened above; the mapping does not need it.
    unsafe { libc::syscall(libc::SYS_close, fd) };
    found
}

/// Reads the words between two reads of the number that changes.
///
/// # Safety
/// `page` is a mapped page.
unsafe fn read(page: *const u8, kind: Kind) -> Option<Words> {
    for _ in 0..100 {
        // SAFETY: by the caller. The words have their natural alignment, and others may write at
        // any time, so the reads are volatile.
        let (before, words, after) = unsafe {
            let sequence = page.add(SEQUENCE_AT).cast::<u32>();
            let before = sequence.read_volatile();
            fence(Ordering::Acquire);
            let words: Words = core::array::from_fn(|nth| {
                u64::from_le(page.cast::<u64>().add(nth).read_volatile())
            });
            fence(Ordering::Acquire);
            (before, words, sequence.read_volatile())
        };
        if before == after && !kind.is_written(u32::from_le(before)) {
            return Some(words);
        }
    }
    None
}

const _: () = assert!(WORDS * 8 <= 4096 && HEAD <= WORDS * 8);

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::FileExt;
    use std::path::PathBuf;

    /// A file in the layout of the page, which goes with its test.
    struct StandIn(PathBuf);

    impl StandIn {
        fn new(name: &str, bytes: &[u8]) -> Self {
            let path = std::env::temp_dir().join(format!("vmclock-{name}-{}", std::process::id()));
            fs::write(&path, bytes).expect("a folder for temporary files");
            Self(path)
        }

        fn map(&self) -> Option<(*mut u8, usize)> {
            self.map_as(Kind::VmClock)
        }

        fn map_as(&self, kind: Kind) -> Option<(*mut u8, usize)> {
            map(&CString::new(self.0.as_os_str().as_bytes()).expect("a plain path"), kind)
        }
    }

    impl Drop for StandIn {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn page() -> Vec<u8> {
        let mut bytes = vec![0; 112];
        bytes[..4].copy_from_slice(b"VCLK");
        bytes[8] = 1;
        bytes[16..HEAD].copy_from_slice(&42u64.to_le_bytes());
        bytes
    }

    #[test]
    fn the_marker_is_read_while_the_hypervisor_changes_the_page() {
        let file = StandIn::new("marker", &page());
        let (mapped, length) = file.map().expect("a page");
        // SAFETY: a mapping of at least the head.
        let marker = || Some(unsafe { read(mapped, Kind::VmClock) }?[MARKER]);
        assert_eq!(marker(), Some(42));
        let writer = fs::OpenOptions::new().write(true).open(&file.0).expect("the file");
        writer.write_all_at(&[1], SEQUENCE_AT as u64).expect("room");
        assert_eq!(marker(), None);
        writer.write_all_at(&[43], 16).expect("room");
        writer.write_all_at(&[2], SEQUENCE_AT as u64).expect("room");
        assert_eq!(marker(), Some(43));
        // SAFETY: nothing reads the mapping any more.
        unsafe { libc::munmap(mapped.cast(), length) };
    }

    #[test]
    fn other_files_are_no_page() {
        let (mut other, mut later) = (page(), page());
        other[0] = b'X';
        later[8] = 2;
        let short = &page()[..HEAD - 1];
        for (name, bytes) in [("other", &other[..]), ("later", &later), ("short", short), ("", &[])]
        {
            assert!(StandIn::new(name, bytes).map().is_none(), "{name}");
        }
        assert!(map(c"/nonexistent/vmclock0", Kind::VmClock).is_none());
    }

    /// ClockBound's daemon may end while it writes, and another version may take its place.
    #[cfg(all(target_endian = "little", target_pointer_width = "64"))]
    #[test]
    fn a_segment_of_another_version_or_half_written_says_nothing() {
        let mut bytes = vec![0; 112];
        bytes[..8].copy_from_slice(&[0x4e, 0x5a, 0x4d, 0x41, 0, 2, 0x42, 0x43]);
        bytes[12..16].copy_from_slice(&[3, 3, 2, 0]);
        let file = StandIn::new("segment", &bytes);
        let (mapped, length) = file.map_as(Kind::ClockBound).expect("a segment");
        let writer = fs::OpenOptions::new().write(true).open(&file.0).expect("the file");
        // The generation is odd, or 0, for ever; then the version is an older one.
        for (at, to, known) in
            [(14, 2, true), (14, 3, false), (14, 0, false), (14, 4, true), (13, 2, false)]
        {
            writer.write_all_at(&[to], at).expect("room");
            // SAFETY: a mapping of at least the head.
            let words = unsafe { read(mapped, Kind::ClockBound) };
            assert_eq!(words.is_some(), known, "{to} at {at}");
        }
        // SAFETY: nothing reads the mapping any more.
        unsafe { libc::munmap(mapped.cast(), length) };
        for (at, to) in [(0, 0), (5, 1), (12, 2), (13, 2), (13, 4)] {
            let mut other = bytes.clone();
            other[at] = to;
            let file = StandIn::new("other-segment", &other);
            assert!(file.map_as(Kind::ClockBound).is_none(), "{to} at {at}");
        }
        assert!(StandIn::new("cut", &bytes[..HEAD - 1]).map_as(Kind::ClockBound).is_none());
    }

    #[test]
    fn whether_there_is_a_page_is_found_out_once() {
        open();
        let page = PAGE.page();
        open();
        assert_eq!(PAGE.page(), page);
        assert_eq!(marker().is_some(), page.is_some());
    }
}
