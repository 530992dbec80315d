use crate::clocks::{Entry, Kind, Language, Range};

/// `cpuid; rdtsc`
pub(crate) const ENTRY: Entry = Entry {
    id: "x86/cpuid-rdtsc",
    call: "asm volatile(\"cpuid; rdtsc\")",
    language: Language::C,
    kind: Kind::Counter,
    home: "x86",
    about: "The oldest recipe: cpuid serialises the whole pipeline before the read. It costs a hundred cycles or \
            more and varies from call to call; in a virtual machine it traps to the hypervisor and takes \
            microseconds. Kept for comparison: lfence or serialize do what it was used for.",
    references: &[
        "Intel SDM volume 3A, Serializing Instructions",
        "Paoloni 2010, How to Benchmark Code Execution Times on Intel IA-32 and IA-64",
    ],
    expect: &["cpuid", "rdtsc"],
    open: native!(
        native_c,
        target_arch = "x86_64",
        "x86",
        cs_x86_cpuid_rdtsc,
        "cpuid-rdtsc",
        Range::bits(64),
        crate::clocks::x86::tsc::readable()
    ),
};
