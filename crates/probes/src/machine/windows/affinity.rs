//! Affinity by processor group: CPUs are numbered with 64 to a group (Microsoft Learn, "Processor
//! Groups"), and a thread runs in one group at a time.

use std::io;

use windows_sys::Win32::System::Kernel::PROCESSOR_NUMBER;
use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
use windows_sys::Win32::System::Threading::{
    GetActiveProcessorCount, GetCurrentProcess, GetCurrentProcessorNumberEx, GetCurrentThread,
    GetProcessAffinityMask, GetProcessGroupAffinity, SetThreadGroupAffinity,
};

/// The CPUs of a full group, which are the bits of its mask.
const GROUP: usize = 64;

/// A thread's previous group and CPUs.
#[derive(Clone, Copy)]
pub struct Mask(GROUP_AFFINITY);

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({}, {:#x})", self.0.Group, self.0.Mask)
    }
}

/// The CPUs that the process may use.
pub fn allowed() -> Vec<usize> {
    let groups = groups();
    groups
        .iter()
        .flat_map(|&group| {
            let mask = match groups.len() {
                1 => process_mask(),
                _ => None,
            };
            let mask = mask.unwrap_or_else(|| all_of(group));
            (0..GROUP)
                .filter(move |bit| mask >> bit & 1 == 1)
                .map(move |bit| usize::from(group) * GROUP + bit)
        })
        .collect()
}

/// The groups of the threads of the process, ascending.
fn groups() -> Vec<u16> {
    let mut groups = [0u16; 64];
    let mut count = groups.len() as u16;
    // SAFETY: `groups` has room for `count` numbers, and both are local variables.
    let done = unsafe {
        GetProcessGroupAffinity(GetCurrentProcess(), &raw mut count, groups.as_mut_ptr())
    };
    let mut found = match done {
        0 => vec![0],
        _ => groups[..usize::from(count).min(groups.len())].to_vec(),
    };
    found.sort_unstable();
    found
}

/// The process's own mask. If it spans several groups, Windows returns zero, which means no mask.
fn process_mask() -> Option<u64> {
    let (mut process, mut system) = (0usize, 0usize);
    // SAFETY: both are local variables, each valid for the one number that is stored in it.
    let done =
        unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut system) };
    (done != 0 && process != 0).then_some(process as u64)
}

/// Every active CPU of a group.
fn all_of(group: u16) -> u64 {
    // SAFETY: GetActiveProcessorCount takes any number; it returns 0 for a group that does not
    // exist.
    let count = unsafe { GetActiveProcessorCount(group) };
    u64::MAX.checked_shr(GROUP as u32 - count.min(GROUP as u32)).unwrap_or(0)
}

/// Pins the calling thread to one CPU and returns its previous group and CPUs.
pub fn pin(cpu: usize) -> io::Result<Mask> {
    let refused = || io::Error::from(io::ErrorKind::InvalidInput);
    let group = u16::try_from(cpu / GROUP).map_err(|_| refused())?;
    let wanted = GROUP_AFFINITY {
        Mask: 1usize.checked_shl((cpu % GROUP) as u32).ok_or_else(refused)?,
        Group: group,
        Reserved: [0; 3],
    };
    let mut before = GROUP_AFFINITY::default();
    set(&wanted, &mut before).map(|()| Mask(before))
}

/// Restores the group and CPUs of the calling thread.
pub fn restore(mask: &Mask) -> io::Result<()> {
    set(&mask.0, &mut GROUP_AFFINITY::default())
}

fn set(wanted: &GROUP_AFFINITY, before: &mut GROUP_AFFINITY) -> io::Result<()> {
    // SAFETY: the pseudo handle of this thread is always valid, and both references are to valid
    // structures.
    match unsafe { SetThreadGroupAffinity(GetCurrentThread(), wanted, before) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The CPU that the thread currently runs on.
pub fn current_cpu() -> Option<usize> {
    let mut number = PROCESSOR_NUMBER::default();
    // SAFETY: `number` is a valid place for the result; the call cannot fail.
    unsafe { GetCurrentProcessorNumberEx(&raw mut number) };
    Some(usize::from(number.Group) * GROUP + usize::from(number.Number))
}
