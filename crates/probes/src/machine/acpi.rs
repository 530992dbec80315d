//! The ACPI tables that describe timers. On Linux, anyone can list their names, but only root can
//! read their contents (kernel, `Documentation/ABI/testing/sysfs-firmware-acpi`); Windows gives
//! them to everyone.

use super::os;
use super::root::{Missing, Root};

const FOLDER: &str = "/sys/firmware/acpi/tables";

/// Whether a table with this name exists; `None` if the tables cannot be listed.
pub fn has(root: &Root, table: &str) -> Option<bool> {
    let from_system = root.is_host().then(os::acpi_tables).flatten();
    let names = from_system.unwrap_or_else(|| root.names(FOLDER));
    // Every ACPI system has an FADT, so a folder without it does not hold the ACPI tables.
    names.iter().any(|name| name == "FACP").then(|| names.iter().any(|name| name == table))
}

/// The part of the FADT that concerns timers (ACPI specification 6.5, table 5.9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fadt {
    /// The manufacturer of the tables.
    pub oem: String,
    /// The platform has no fixed hardware, and so no PM timer (flag HW_REDUCED_ACPI, bit 20).
    pub reduced: bool,
    /// The PM timer's port; 0 if there is none.
    pub pm_timer: u64,
    /// The PM timer has 32 bits, not 24 (flag TMR_VAL_EXT, bit 8).
    pub wide: bool,
    /// The name of the hypervisor that made the table, if the table gives one.
    pub hypervisor: String,
}

pub fn fadt(root: &Root) -> Result<Fadt, Missing> {
    parse_fadt(&table(root, "FACP")?)
        .ok_or_else(|| Missing::Other("the FADT is truncated".to_owned()))
}

/// The bytes of a table.
fn table(root: &Root, name: &str) -> Result<Vec<u8>, Missing> {
    let from_system = root.is_host().then(|| os::acpi_table(name)).flatten();
    from_system.unwrap_or_else(|| root.bytes(&format!("{FOLDER}/{name}")))
}

/// The part of `bytes` that is the table of this name: as much as its header states, if there is so
/// much (ACPI specification 6.5, table 5.4).
fn stated<'a>(bytes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    const HEADER: usize = 36;
    let length = u32_at(bytes, 4)? as usize;
    bytes.get(..length).filter(|table| length >= HEADER && table.starts_with(name))
}

fn parse_fadt(bytes: &[u8]) -> Option<Fadt> {
    let bytes = stated(bytes, b"FACP")?;
    let flags = u32_at(bytes, 112)?;
    let old = u64::from(u32_at(bytes, 76)?);
    // The newer field holds a generic address structure; its last eight bytes are the address.
    let extended = u64_at(bytes, 212).unwrap_or(0);
    let length = *bytes.get(91)?;
    let port = if extended != 0 { extended } else { old };
    Some(Fadt {
        oem: text_at(bytes, 10, 6),
        reduced: flags >> 20 & 1 == 1,
        pm_timer: if length == 4 || extended != 0 { port } else { 0 },
        wide: flags >> 8 & 1 == 1,
        hypervisor: text_at(bytes, 268, 8),
    })
}

/// The address of the HPET's registers (IA-PC HPET specification 1.0a, section 3.2.4).
pub fn hpet_address(root: &Root) -> Result<u64, Missing> {
    let bytes = table(root, "HPET")?;
    let address = stated(&bytes, b"HPET").and_then(|table| u64_at(table, 44));
    address.ok_or_else(|| Missing::Other("the table is truncated".to_owned()))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn text_at(bytes: &[u8], at: usize, length: usize) -> String {
    let bytes = bytes.get(at..at + length).unwrap_or_default();
    String::from_utf8_lossy(bytes).chars().filter(|c| c.is_ascii_graphic()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_table_causes_a_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_fadt(&bytes);
            let length = bytes.len() as u32;
            if let Some(header) = bytes.get_mut(..8) {
                header[..4].copy_from_slice(b"FACP");
                header[4..].copy_from_slice(&length.to_le_bytes());
            }
            let _ = parse_fadt(&bytes);
        }
    }

    #[test]
    fn either_field_gives_the_port_of_the_pm_timer() {
        let mut table = vec![0; 244];
        table[..4].copy_from_slice(b"FACP");
        assert_eq!(parse_fadt(&table), None, "its header states no length");
        table[4..8].copy_from_slice(&245_u32.to_le_bytes());
        assert_eq!(parse_fadt(&table), None, "a byte is missing");
        table[4..8].copy_from_slice(&244_u32.to_le_bytes());
        assert_eq!(parse_fadt(&table).expect("a table").pm_timer, 0);
        table[76..80].copy_from_slice(&0x608_u32.to_le_bytes());
        table[91] = 4;
        assert_eq!(parse_fadt(&table).expect("a table").pm_timer, 0x608);
        table[212..220].copy_from_slice(&0x1808_u64.to_le_bytes());
        assert_eq!(parse_fadt(&table).expect("a table").pm_timer, 0x1808);
    }
}
