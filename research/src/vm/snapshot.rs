//! Changes one value in a saved machine.
//!
//! The stream that QEMU writes ends with a description of itself in JSON (`vmdesc`, QEMU's
//! docs/devel/migration.rst and scripts/analyze-migration.py): for each device its fields, with
//! their sizes in the order in which they were written. So a field is found without any knowledge
//! of the rest.

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// QEMU_VM_SECTION_FULL and QEMU_VM_VMDESCRIPTION of QEMU's migration/savevm.h.
const SECTION_FULL: u8 = 0x04;
const VM_DESCRIPTION: u8 = 0x06;

/// Adds `ticks` to the TSC of one processor: to the offset that QEMU adds to each read of the
/// host's counter.
pub fn add_to_tsc(stream: &mut [u8], cpu: u32, ticks: i64) -> Result<()> {
    let at = field(stream, "cpu", cpu, "env.tsc_offset")?;
    let bytes = stream.get_mut(at..at + 8).context("the stream is cut")?;
    let bytes: &mut [u8; 8] = bytes.try_into()?;
    *bytes = i64::from_be_bytes(*bytes).wrapping_add(ticks).to_be_bytes();
    Ok(())
}

/// The position of a field of eight bytes.
fn field(stream: &[u8], device: &str, instance: u32, name: &str) -> Result<usize> {
    let described = description(stream)?;
    let devices = described["devices"].as_array().context("no devices")?;
    let device_is = |it: &&Value| it["name"] == device && it["instance_id"] == instance;
    let described = devices.iter().find(device_is);
    let described = described.with_context(|| format!("no {device} {instance} was saved"))?;
    let mut position = section(stream, device, instance, described)?;
    for field in described["fields"].as_array().context("no fields")? {
        let size = field["size"].as_u64().context("a field without a size")?;
        if field["name"] == name {
            if size != 8 {
                bail!("{name} has {size} bytes");
            }
            return Ok(position);
        }
        // Equal elements of an array are described once.
        let elements = field["array_len"].as_u64().unwrap_or(1);
        position += usize::try_from(size * elements)?;
    }
    bail!("{device} has no field {name}")
}

/// Reads the description at the end of the stream, which consists of a tag, a length and a text.
fn description(stream: &[u8]) -> Result<Value> {
    let starts = stream.windows(6).enumerate().rev();
    let mut starts = starts.filter(|(_, bytes)| bytes[0] == VM_DESCRIPTION && bytes[5] == b'{');
    let found = starts.find_map(|(at, bytes)| {
        let length = u32::from_be_bytes(bytes[1..5].try_into().ok()?);
        let text = stream.get(at + 5..at + 5 + usize::try_from(length).ok()?)?;
        serde_json::from_slice(text).ok()
    });
    found.context("the stream has no description")
}

/// The position at which the data of a device begins: after its tag, number, name, instance and
/// version.
fn section(stream: &[u8], device: &str, instance: u32, described: &Value) -> Result<usize> {
    let version = described["version"].as_u64().context("no version")?;
    let mut head = vec![u8::try_from(device.len())?];
    head.extend(device.as_bytes());
    head.extend(instance.to_be_bytes());
    head.extend(u32::try_from(version)?.to_be_bytes());
    let found = stream.windows(head.len()).enumerate().find(|(at, bytes)| {
        let tag = at.checked_sub(5).and_then(|tag| stream.get(tag));
        *bytes == head && tag == Some(&SECTION_FULL)
    });
    let (at, _) = found.with_context(|| format!("{device} {instance} is not in the stream"))?;
    Ok(at + head.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream with two processors of three fields each.
    fn stream() -> Vec<u8> {
        let mut stream = b"QEVM\0\0\0\x03".to_vec();
        for instance in 0..2_u32 {
            stream.push(SECTION_FULL);
            stream.extend([0, 0, 0, 7, 3]);
            stream.extend(b"cpu");
            stream.extend(instance.to_be_bytes());
            stream.extend(12_u32.to_be_bytes());
            stream.extend([0xaa; 2 * 4 + 3]);
            stream.extend(1000_u64.to_be_bytes());
        }
        let fields = r#"[{"name": "env.regs", "array_len": 2, "size": 4},
            {"name": "env.nested", "size": 3}, {"name": "env.tsc_offset", "size": 8}]"#;
        let device = |id| {
            let head = format!(r#"{{"name": "cpu", "instance_id": {id}, "version": 12,"#);
            format!(r#"{head} "fields": {fields}}}"#)
        };
        let text = format!(r#"{{"devices": [{}, {}]}}"#, device(0), device(1));
        stream.push(VM_DESCRIPTION);
        stream.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
        stream.extend(text.as_bytes());
        stream
    }

    #[test]
    fn only_the_offset_of_one_processor_changes() {
        let before = stream();
        let mut after = before.clone();
        add_to_tsc(&mut after, 1, -2000).unwrap();
        let changed: Vec<_> = (0..before.len()).filter(|i| before[*i] != after[*i]).collect();
        let at = changed.first().copied().unwrap();
        assert!(changed.iter().all(|i| (at..at + 8).contains(i)), "{changed:?}");
        let value: [u8; 8] = after[at..at + 8].try_into().unwrap();
        assert_eq!(i64::from_be_bytes(value), -1000);
        assert!(at > before.len() / 8, "the first processor's");
    }

    #[test]
    fn a_stream_that_is_not_as_expected_is_refused() {
        for (mut stream, reason) in
            [(vec![], "no description"), (stream()[..40].to_vec(), "no description")]
        {
            let error = add_to_tsc(&mut stream, 0, 1).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let error = add_to_tsc(&mut stream(), 2, 1).unwrap_err().to_string();
        assert!(error.contains("no cpu 2"), "{error}");
    }
}
