//! Cores, packages and memory nodes (Microsoft Learn, GetLogicalProcessorInformationEx).

use chronoscope_model::environment::Cpu;
use windows_sys::Win32::System::SystemInformation::{
    GetLogicalProcessorInformationEx, LOGICAL_PROCESSOR_RELATIONSHIP, RelationNumaNode,
    RelationProcessorCore, RelationProcessorPackage,
};
use windows_sys::Win32::System::Threading::GetActiveProcessorCount;

const ALL_PROCESSOR_GROUPS: u16 = 0xffff;
/// A flag in a core's record: the core has more than one logical processor.
const LTP_PC_SMT: u8 = 1;

pub fn fill(cpu: &mut Cpu) {
    // SAFETY: GetActiveProcessorCount takes any number.
    let logical = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) } as usize;
    cpu.logical = cpu.logical.max(logical);
    let cores = records(RelationProcessorCore);
    cpu.smt = cores.as_ref().map(|flags| flags.iter().any(|flags| flags & LTP_PC_SMT != 0));
    cpu.cores = cores.map(|records| records.len());
    cpu.sockets = records(RelationProcessorPackage).map(|records| records.len());
    cpu.nodes = records(RelationNumaNode).map(|records| records.len());
}

/// The first byte of each record of that kind; in the record of a core, these are its flags.
fn records(kind: LOGICAL_PROCESSOR_RELATIONSHIP) -> Option<Vec<u8>> {
    // A record begins with its relationship and its size, 4 bytes each.
    const HEAD: usize = 8;
    let mut bytes = 0;
    // SAFETY: without a buffer, the call only stores the length that it needs.
    unsafe { GetLogicalProcessorInformationEx(kind, std::ptr::null_mut(), &raw mut bytes) };
    // In 64-bit words, because the records need the alignment of pointers.
    let mut buffer = vec![0u64; (bytes as usize).div_ceil(8)];
    // SAFETY: the buffer is writable for the number of bytes passed.
    let done = unsafe {
        GetLogicalProcessorInformationEx(kind, buffer.as_mut_ptr().cast(), &raw mut bytes)
    };
    if done == 0 {
        return None;
    }
    let all: Vec<u8> = buffer.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut rest = all.get(..bytes as usize)?;
    let mut found = Vec::new();
    while let Some(size) = rest.get(4..HEAD) {
        let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
        if size <= HEAD {
            return None;
        }
        found.push(*rest.get(HEAD)?);
        rest = rest.get(size..)?;
    }
    (!found.is_empty()).then_some(found)
}
