//! The ACPI tables (Microsoft Learn, EnumSystemFirmwareTables and GetSystemFirmwareTable).

use std::io;

use windows_sys::Win32::System::SystemInformation::{
    EnumSystemFirmwareTables, GetSystemFirmwareTable,
};

use super::super::root::Missing;

/// The provider of the tables: `ACPI`, as a character constant of C.
const ACPI: u32 = u32::from_be_bytes(*b"ACPI");
/// No list of names and no table that matters here is longer.
const LONGEST: u32 = 1 << 20;

/// The names of the tables; some if the system gives none.
pub fn acpi_tables() -> Option<Vec<String>> {
    let fetch = |buffer: *mut u8, size| {
        // SAFETY: the buffer has room for `size` bytes; without room, it is not used.
        unsafe { EnumSystemFirmwareTables(ACPI, buffer, size) }
    };
    let names = fetched(fetch).unwrap_or_default();
    Some(names.chunks_exact(4).map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The first table with this name. Its number is its name as it is in memory.
pub fn acpi_table(name: &str) -> Option<Result<Vec<u8>, Missing>> {
    let id = u32::from_le_bytes(name.as_bytes().try_into().ok()?);
    Some(fetched(|buffer: *mut u8, size| {
        // SAFETY: the buffer has room for `size` bytes; without room, it is not used.
        unsafe { GetSystemFirmwareTable(ACPI, id, buffer, size) }
    }))
}

/// What `fetch` stores in a buffer. It returns the size that it stored or, if there is no room, the
/// size that it needs, and 0 for an error.
fn fetched(fetch: impl Fn(*mut u8, u32) -> u32) -> Result<Vec<u8>, Missing> {
    let needed = fetch(std::ptr::null_mut(), 0);
    if needed == 0 {
        let error = io::Error::last_os_error();
        return Err(Missing::Other(format!("GetSystemFirmwareTable gives none: {error}")));
    }
    let size = needed.min(LONGEST);
    let mut bytes = vec![0; size as usize];
    match fetch(bytes.as_mut_ptr(), size) {
        stored if stored > 0 && stored <= size => {
            bytes.truncate(stored as usize);
            Ok(bytes)
        }
        _ => Err(Missing::Other("the table is too long, or its length changed".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_stored_is_returned() {
        // A system that has `needs` bytes and then says that it stored `stored`.
        let answer = |needs: u32, stored: u32| {
            fetched(move |buffer, _| if buffer.is_null() { needs } else { stored })
        };
        assert_eq!(answer(8, 8), Ok(vec![0; 8]));
        assert_eq!(answer(8, 3), Ok(vec![0; 3]));
        for (needs, stored) in [(0, 0), (8, 0), (8, 9), (u32::MAX, u32::MAX)] {
            assert!(answer(needs, stored).is_err(), "{needs}, {stored}");
        }
    }
}
