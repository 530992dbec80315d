//! The affinity mask of a thread, on machines of any size (sched_setaffinity(2)).

use std::io;

const BITS: usize = libc::c_ulong::BITS as usize;
/// The number of words in the largest mask that is tried: 65,536 CPUs, more than any kernel's
/// NR_CPUS.
const MOST: usize = (1 << 16) / BITS;

/// A set of CPUs, one bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask(Vec<libc::c_ulong>);

impl Mask {
    /// The mask of the calling thread. The kernel rejects a mask smaller than its own with EINVAL,
    /// so the mask grows until it fits.
    fn of_thread() -> io::Result<Mask> {
        let mut words = vec![0; 1024 / BITS];
        loop {
            // SAFETY: `words` is valid for the number of bytes passed.
            let done = unsafe {
                libc::sched_getaffinity(0, size_of_val(&words[..]), words.as_mut_ptr().cast())
            };
            if done == 0 {
                return Ok(Mask(words));
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EINVAL) || words.len() >= MOST {
                return Err(error);
            }
            words = vec![0; words.len() * 2];
        }
    }

    fn of_cpu(cpu: usize) -> io::Result<Mask> {
        if cpu >= MOST * BITS {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        let mut words = vec![0; (cpu / BITS + 1).max(1024 / BITS)];
        words[cpu / BITS] = 1 << (cpu % BITS);
        Ok(Mask(words))
    }

    fn apply(&self) -> io::Result<()> {
        // SAFETY: the words are valid for the number of bytes passed, and only read.
        let done =
            unsafe { libc::sched_setaffinity(0, size_of_val(&self.0[..]), self.0.as_ptr().cast()) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn cpus(&self) -> Vec<usize> {
        (0..self.0.len() * BITS).filter(|cpu| self.0[cpu / BITS] >> (cpu % BITS) & 1 == 1).collect()
    }
}

/// The CPUs on which the calling thread may run; empty if the kernel does not report them.
pub fn allowed() -> Vec<usize> {
    Mask::of_thread().map(|mask| mask.cpus()).unwrap_or_default()
}

/// Pins the calling thread to one CPU and returns its previous mask.
pub fn pin(cpu: usize) -> io::Result<Mask> {
    let before = Mask::of_thread()?;
    Mask::of_cpu(cpu)?.apply()?;
    Ok(before)
}

pub fn restore(mask: &Mask) -> io::Result<()> {
    mask.apply()
}
