//! The heads of pages that others share with this process: which they are, and whether they are
//! being written.
#![cfg_attr(any(not(target_os = "linux"), miri), allow(dead_code))]

/// The words of either page, little-endian.
pub const WORDS: usize = 14;
pub type Words = [u64; WORDS];

/// The vmclock's disruption marker.
pub const MARKER: usize = 2;

/// Which of the two pages it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    VmClock,
    ClockBound,
}

impl Kind {
    /// Whether a file that begins so is such a page.
    pub fn is_known(self, head: &[u8; 24]) -> bool {
        let [a, b, c, d, e, f, g, h, version, oldest, ..] = *head;
        match self {
            // `VMCLOCK_MAGIC`, "VCLK", and its version in 16 bits.
            Self::VmClock => [a, b, c, d] == *b"VCLK" && [version, oldest] == [1, 0],
            // `SHM_MAGIC`; the newest version that it is written in (byte 12) and the oldest (13),
            // of which 3 is the first with a counter. Its numbers have this machine's order.
            Self::ClockBound => {
                let magic = [[a, b, c, d], [e, f, g, h]].map(u32::from_ne_bytes);
                let here = cfg!(all(target_endian = "little", target_pointer_width = "64"));
                here && magic == [0x414d_5a4e, 0x4342_0200] && head[12..14] == [3, 3]
            }
        }
    }

    /// Whether somebody writes the page while it has this number: the sequence of the vmclock, or
    /// in its upper half ClockBound's generation, which is 0 before the first time.
    pub fn is_written(self, sequence: u32) -> bool {
        match self {
            Self::VmClock => sequence & 1 != 0,
            Self::ClockBound => {
                sequence & 0xffff != 0x0303 || sequence >> 16 == 0 || sequence & 1 << 16 != 0
            }
        }
    }
}
