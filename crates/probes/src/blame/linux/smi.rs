//! A count of system management interrupts, by the kernel's performance events (`msr/smi/`: Linux
//! arch/x86/events/msr.c). It needs the permission to watch the kernel, and a processor that
//! counts.

use super::Counter;
use super::ring::{Attributes, Of, open_event};
use std::fs::{self, File};
use std::io::Read;

const TYPE: &str = "/sys/bus/event_source/devices/msr/type";
const EVENT: &str = "/sys/bus/event_source/devices/msr/events/smi";

#[derive(Debug)]
pub(super) struct Smi {
    file: File,
    count: Counter,
}

impl Smi {
    pub(super) fn open() -> Result<Self, String> {
        let text = |path| fs::read_to_string(path).ok();
        let kind = text(TYPE).and_then(|text| text.trim().parse().ok());
        let config = text(EVENT).and_then(|text| config(&text));
        let known = kind.zip(config);
        let (kind, config) =
            known.ok_or("the kernel has no event msr/smi/: only Intel's processors count them")?;
        let file = open_event(&Attributes::of(kind, config), Of::ThisThread)?;
        let mut smi = Self { file, count: Counter::default() };
        smi.look();
        smi.count.0.ok_or("the event msr/smi/ cannot be read")?;
        Ok(smi)
    }

    pub(super) fn look(&mut self) -> Option<u64> {
        let mut value = [0; 8];
        let read = self.file.read_exact(&mut value);
        self.count.look(read.ok().map(|()| u64::from_ne_bytes(value)))
    }
}

/// The number in `event=0x04`.
fn config(event: &str) -> Option<u64> {
    let value = event.trim().strip_prefix("event=")?;
    u64::from_str_radix(value.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_number_is_read_as_the_kernel_writes_it() {
        assert_eq!(config("event=0x04\n"), Some(4));
        assert_eq!(config("event=4"), None);
        assert_eq!(config(""), None);
    }
}
