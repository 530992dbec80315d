//! The page about time that a hypervisor shares with its guest, `/dev/vmclock0` (Linux 6.13). Its
//! disruption marker changes when the guest's clock was disrupted, as by a migration.
//!
//! The layout is that of `struct vmclock_abi` (Linux, include/uapi/linux/vmclock-abi.h).

use core::ffi::{CStr, c_long};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering, fence};

const PATH: &CStr = c"/dev/vmclock0";
/// `VMCLOCK_MAGIC`: "VCLK", little-endian.
const MAGIC: u32 = 0x4b4c_4356;
const VERSION: u16 = 1;

/// Offsets of fields.
const VERSION_AT: usize = 8;
const SEQUENCE_AT: usize = 12;
const MARKER_AT: usize = 16;
/// The bytes up to the end of the marker.
const HEAD: usize = 24;

/// The mapped page, which stays mapped; null before, [`NONE`] if there is none.
static PAGE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// No mapping has this address, because pages are aligned.
const NONE: *mut u8 = ptr::without_provenance_mut(1);

/// Maps the page if there is one, once per process. Opens a file, so it must not be called under a
/// filter of system calls.
pub fn open() {
    if !PAGE.load(Ordering::Acquire).is_null() {
        return;
    }
    let (page, length) = map(PATH).unwrap_or((NONE, 0));
    let first =
        PAGE.compare_exchange(ptr::null_mut(), page, Ordering::AcqRel, Ordering::Acquire).is_ok();
    if !first && page != NONE {
        // SAFETY: another thread published its mapping, and this one was shown to nobody.
        unsafe { libc::munmap(page.cast(), length) };
    }
}

/// The disruption marker; `None` if there is no page, or if it is being changed for longer than a
/// few reads take.
pub fn marker() -> Option<u64> {
    let page = PAGE.load(Ordering::Acquire);
    if page.is_null() || page == NONE {
        return None;
    }
    // SAFETY: a published page is mapped for as long as the process lives.
    unsafe { read(page) }
}

/// Maps the page of this file, if its head is one that is known here. Returns the address and the
/// length.
fn map(path: &CStr) -> Option<(*mut u8, usize)> {
    // SAFETY: only returns a number.
    let length = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let fd = super::os::open_file(path)?;
    let mut head = [0u8; HEAD];
    // Memory beyond the end of a file cannot be read, so the file must have the whole head.
    // SAFETY: the descriptor opened above, and a buffer of the length given.
    let count = unsafe { libc::syscall(libc::SYS_read, fd, head.as_mut_ptr(), head.len()) };
    let mut found = None;
    if count == HEAD as c_long && is_known(&head) {
        let (read, shared) = (libc::PROT_READ, libc::MAP_SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses. The driver takes a length of
        // one page only (drivers/ptp/ptp_vmclock.c, vmclock_miscdev_mmap).
        let page = unsafe { libc::mmap(ptr::null_mut(), length, read, shared, fd as _, 0) };
        found = (page != libc::MAP_FAILED).then(|| (page.cast(), length));
    }
    // SAFETY: the descriptor opened above; the mapping does not need it.
    unsafe { libc::syscall(libc::SYS_close, fd) };
    found
}

fn is_known(head: &[u8; HEAD]) -> bool {
    let [first, second, third, fourth, ..] = *head;
    let version = u16::from_le_bytes([head[VERSION_AT], head[VERSION_AT + 1]]);
    u32::from_le_bytes([first, second, third, fourth]) == MAGIC && version == VERSION
}

/// Reads the marker between two reads of the sequence number, which is odd while the hypervisor
/// changes the page, and different afterwards.
///
/// # Safety
/// `page` is a mapping with at least [`HEAD`] bytes.
unsafe fn read(page: *const u8) -> Option<u64> {
    for _ in 0..100 {
        // SAFETY: by the caller. The fields have their natural alignment, and the hypervisor may
        // write at any time, so the reads are volatile.
        let (before, marker, after) = unsafe {
            let sequence = page.add(SEQUENCE_AT).cast::<u32>();
            let before = sequence.read_volatile();
            fence(Ordering::Acquire);
            let marker = page.add(MARKER_AT).cast::<u64>().read_volatile();
            fence(Ordering::Acquire);
            (before, marker, sequence.read_volatile())
        };
        if before == after && u32::from_le(before) & 1 == 0 {
            return Some(u64::from_le(marker));
        }
    }
    None
}

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
            map(&CString::new(self.0.as_os_str().as_bytes()).expect("a plain path"))
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
        bytes[VERSION_AT] = 1;
        bytes[MARKER_AT..HEAD].copy_from_slice(&42u64.to_le_bytes());
        bytes
    }

    #[test]
    fn the_marker_is_read_while_the_hypervisor_changes_the_page() {
        let file = StandIn::new("marker", &page());
        let (mapped, length) = file.map().expect("a page");
        // SAFETY: a mapping of at least the head.
        let marker = || unsafe { read(mapped) };
        assert_eq!(marker(), Some(42));
        let writer = fs::OpenOptions::new().write(true).open(&file.0).expect("the file");
        writer.write_all_at(&[1], SEQUENCE_AT as u64).expect("room");
        assert_eq!(marker(), None);
        writer.write_all_at(&[43], MARKER_AT as u64).expect("room");
        writer.write_all_at(&[2], SEQUENCE_AT as u64).expect("room");
        assert_eq!(marker(), Some(43));
        // SAFETY: nothing reads the mapping any more.
        unsafe { libc::munmap(mapped.cast(), length) };
    }

    #[test]
    fn other_files_are_no_page() {
        let (mut other, mut later) = (page(), page());
        other[0] = b'X';
        later[VERSION_AT] = 2;
        let short = &page()[..HEAD - 1];
        for (name, bytes) in [("other", &other[..]), ("later", &later), ("short", short), ("", &[])]
        {
            assert!(StandIn::new(name, bytes).map().is_none(), "{name}");
        }
        assert!(map(c"/nonexistent/vmclock0").is_none());
    }

    #[test]
    fn whether_there_is_a_page_is_found_out_once() {
        open();
        let page = PAGE.load(Ordering::Acquire);
        open();
        assert_eq!(PAGE.load(Ordering::Acquire), page);
        assert_eq!(marker().is_some(), page != NONE);
    }
}
