use crate::clocks::entry::ORDERED_COUNTER;
use crate::clocks::{Entry, Facts, Kind, Range};

/// `cpuid; rdtsc`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "cpuid-rdtsc",
    call: "asm volatile(\"cpuid; rdtsc\" : \"=a\"(low), \"=d\"(high) : \"0\"(0) \
           : \"rbx\", \"rcx\", \"memory\")",
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts {
        // CPUID exits unconditionally (Intel SDM volume 3, 26.1.2).
        exits_guest: true,
        ..ORDERED_COUNTER
    },
    alternative_to: None,
    home: "x86",
    about: "The oldest recipe: cpuid serialises the whole pipeline before the read. It costs a \
            hundred cycles or more, and varies from call to call. In a virtual machine it traps to \
            the hypervisor and takes microseconds. It is kept for comparison: lfence or serialize \
            does what it was used for.",
    references: &[
        "Intel SDM volume 3A, Serializing Instructions",
        "Paoloni 2010, How to Benchmark Code Execution Times on Intel IA-32 and IA-64",
    ],
    expect: &["cpuid", "rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
