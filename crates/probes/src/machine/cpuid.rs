//! CPUID, from this processor or from a recording.

use std::sync::Arc;

use raw_cpuid::{CpuId, CpuIdReader, CpuIdResult};

/// One recorded answer.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub eax: u32,
    pub ecx: u32,
    pub result: CpuIdResult,
}

#[derive(Clone, Debug)]
enum Source {
    #[cfg(target_arch = "x86_64")]
    Native,
    Recorded(Arc<[Leaf]>),
}

#[derive(Clone, Debug)]
pub struct Cpuid(Source);

impl CpuIdReader for Cpuid {
    fn cpuid2(&self, eax: u32, ecx: u32) -> CpuIdResult {
        match &self.0 {
            #[cfg(target_arch = "x86_64")]
            Source::Native => raw_cpuid::native_cpuid::cpuid_count(eax, ecx),
            Source::Recorded(leaves) => leaves
                .iter()
                .find(|leaf| (leaf.eax, leaf.ecx) == (eax, ecx))
                .map_or(CpuIdResult { eax: 0, ebx: 0, ecx: 0, edx: 0 }, |leaf| leaf.result),
        }
    }
}

impl Cpuid {
    /// The CPUID of the processor that the tool runs on, if it has one.
    pub fn native() -> Option<Cpuid> {
        #[cfg(target_arch = "x86_64")]
        return Some(Cpuid(Source::Native));
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// A recorded CPUID. Leaves that were not recorded return zero, as absent leaves do on AMD.
    pub(super) fn recorded(leaves: Vec<Leaf>) -> Cpuid {
        Cpuid(Source::Recorded(leaves.into()))
    }

    pub(super) fn decoded(&self) -> CpuId<Cpuid> {
        CpuId::with_cpuid_reader(self.clone())
    }

    /// A basic or extended leaf, if the processor reports that it has it. Reading a leaf beyond the
    /// highest would return the values of another leaf (Intel SDM volume 2A, CPUID).
    pub(super) fn leaf(&self, eax: u32, ecx: u32) -> Option<CpuIdResult> {
        let highest = self.cpuid1(eax & 0x8000_0000).eax;
        (highest >= eax).then(|| self.cpuid2(eax, ecx))
    }

    /// The vendor string of twelve letters (leaf 0).
    pub(super) fn vendor(&self) -> String {
        let zero = self.cpuid1(0);
        letters([zero.ebx, zero.edx, zero.ecx])
    }

    /// Family, model and stepping, assembled as the kernel does (leaf 1 EAX; `arch/x86/lib/cpu.c`).
    /// The decoder's own sum of the two family fields can overflow.
    pub(super) fn signature(&self) -> Option<(u32, u32, u32)> {
        let eax = self.leaf(1, 0)?.eax;
        let family = eax >> 8 & 0xf;
        let model = eax >> 4 & 0xf;
        Some((
            if family == 0xf { family + (eax >> 20 & 0xff) } else { family },
            if family >= 6 { model | (eax >> 16 & 0xf) << 4 } else { model },
            eax & 0xf,
        ))
    }

    /// The hypervisors that announce themselves: the base leaf, highest leaf and signature of each.
    ///
    /// Leaf 1 ECX[31] shows whether to look. Each hypervisor owns a block of 256 leaves, from
    /// 0x40000000 on. One that imitates another has a later block with its own name (kernel,
    /// `arch/x86/include/asm/cpuid`, `cpuid_base_hypervisor`). The kernel looks at 256 blocks. Each
    /// look exits to the hypervisor, and no hypervisor is known to use more than two, so a few are
    /// enough.
    pub(super) fn hypervisors(&self) -> Vec<(u32, u32, String)> {
        if !self.decoded().get_feature_info().is_some_and(|info| info.has_hypervisor()) {
            return Vec::new();
        }
        (0..4)
            .map(|block| 0x4000_0000 + block * 0x100)
            .filter_map(|base| {
                let answer = self.cpuid1(base);
                let name = letters([answer.ebx, answer.ecx, answer.edx]);
                // A block that does not exist echoes a basic leaf, which is not a printable name.
                let real = name.len() >= 8 && name.bytes().all(|b| (b' '..=b'~').contains(&b));
                real.then_some((base, answer.eax, name))
            })
            .collect()
    }
}

/// Twelve bytes as text, without the NULs that pad a shorter one.
fn letters(registers: [u32; 3]) -> String {
    let bytes: Vec<u8> = registers.into_iter().flat_map(u32::to_le_bytes).collect();
    String::from_utf8_lossy(&bytes).trim_matches('\0').to_owned()
}

/// Whether this is an Intel processor of family 6 with one of these models.
pub(super) fn intel_model(cpuid: &Cpuid, models: &[u32]) -> bool {
    cpuid.vendor() == "GenuineIntel"
        && cpuid
            .signature()
            .is_some_and(|(family, model, _)| family == 6 && models.contains(&model))
}
