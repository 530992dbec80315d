//! What rdtsc costs on this machine, and on other processors to compare with.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::known::unknown;
use crate::block::{Block, Cell, Fact, Table, Text, Tone};
use crate::number::three;
use chronoscope_model::environment::{Cpu, Environment, Tsc};

/// One row: reciprocal throughput of RDTSC in core clock cycles.
struct Known {
    name: &'static str,
    cycles: u32,
}

const SOURCE: &str = "Agner Fog, Instruction tables (2016-01-09), as quoted by Andrey Akinshin, \
                      Stopwatch under the hood";

const fn row(name: &'static str, cycles: u32) -> Known {
    Known { name, cycles }
}

const TABLE: [Known; 21] = [
    row("AMD K7", 11),
    row("AMD K8", 7),
    row("AMD K10", 67),
    row("AMD Bulldozer", 42),
    row("AMD Piledriver", 42),
    row("AMD Steamroller", 78),
    row("AMD Bobcat", 87),
    row("AMD Jaguar", 41),
    row("Intel Pentium II/III", 42),
    row("Intel Core 2 (Merom)", 64),
    row("Intel Core 2 (Wolfdale)", 32),
    row("Intel Nehalem", 24),
    row("Intel Sandy Bridge", 28),
    row("Intel Ivy Bridge", 27),
    row("Intel Haswell", 24),
    row("Intel Broadwell", 24),
    row("Intel Skylake", 25),
    row("Intel Pentium 4", 80),
    row("Intel Pentium 4 (Prescott)", 100),
    row("VIA Nano 2000 series", 39),
    row("VIA Nano 3000 series", 37),
];

/// The row of this processor's family, if it can be recognised and is in the table.
///
/// Intel's models by SDM volume 4, table 2-1 (CPUID signatures); AMD's families by the
/// "Revision Guide" of each.
fn nearest(cpu: &Cpu) -> Option<&'static str> {
    let (family, model) = signature(cpu.signature.as_deref()?)?;
    let name = match (cpu.vendor.as_deref()?, family, model) {
        ("AuthenticAMD", 6, _) => "AMD K7",
        ("AuthenticAMD", 0x0f, _) => "AMD K8",
        ("AuthenticAMD", 0x10, _) => "AMD K10",
        ("AuthenticAMD", 0x14, _) => "AMD Bobcat",
        ("AuthenticAMD", 0x15, 0x00 | 0x01) => "AMD Bulldozer",
        ("AuthenticAMD", 0x15, 0x02 | 0x10..=0x1f) => "AMD Piledriver",
        ("AuthenticAMD", 0x15, 0x30..=0x3f) => "AMD Steamroller",
        ("AuthenticAMD", 0x16, _) => "AMD Jaguar",
        ("GenuineIntel", 6, 0x03 | 0x05..=0x08 | 0x0a | 0x0b) => "Intel Pentium II/III",
        ("GenuineIntel", 6, 0x0f | 0x16) => "Intel Core 2 (Merom)",
        ("GenuineIntel", 6, 0x17 | 0x1d) => "Intel Core 2 (Wolfdale)",
        ("GenuineIntel", 6, 0x1a | 0x1e | 0x1f | 0x2e | 0x25 | 0x2c | 0x2f) => "Intel Nehalem",
        ("GenuineIntel", 6, 0x2a | 0x2d) => "Intel Sandy Bridge",
        ("GenuineIntel", 6, 0x3a | 0x3e) => "Intel Ivy Bridge",
        ("GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46) => "Intel Haswell",
        ("GenuineIntel", 6, 0x3d | 0x47 | 0x4f | 0x56) => "Intel Broadwell",
        // Kaby Lake, Coffee Lake, Comet Lake and Cascade Lake keep Skylake's core.
        ("GenuineIntel", 6, 0x4e | 0x5e | 0x55 | 0x8e | 0x9e | 0xa5 | 0xa6) => "Intel Skylake",
        ("GenuineIntel", 0x0f, 0..=2) => "Intel Pentium 4",
        ("GenuineIntel", 0x0f, 3..) => "Intel Pentium 4 (Prescott)",
        _ => return None,
    };
    Some(name)
}

/// Family and model from `family 6 model 85 stepping 7`.
fn signature(text: &str) -> Option<(u32, u32)> {
    let mut words = text.split_whitespace();
    let mut after = |name: &str| {
        words.find(|w| w.eq_ignore_ascii_case(name))?;
        words.next()?.parse().ok()
    };
    Some((after("family")?, after("model")?))
}

/// The cost of rdtsc, and that of other processors.
pub(super) fn view(env: &Environment, tsc: &Tsc) -> Vec<Block> {
    let here: Vec<String> = [
        (tsc.rdtsc_core_cycles, "core cycles"),
        (tsc.rdtsc_cycles, "TSC cycles"),
        (tsc.rdtsc_ns, "ns"),
    ]
    .into_iter()
    .filter_map(|(figure, unit)| Some(format!("{} {unit}", three(figure?))))
    .collect();
    let here = if here.is_empty() { unknown(env, &["rdtsc"]) } else { here.join(", ") };
    let near = nearest(&env.cpu);
    let family = match near {
        Some(name) => format!("{name}, marked below"),
        None => "not in the table, which ends with Skylake".into(),
    };
    let mut rows = Rows::shown(columns(), Detail::Full);
    for known in &TABLE {
        rows.add(known, near == Some(known.name));
    }
    vec![
        Block::noted("Cost of rdtsc", "reciprocal throughput"),
        Block::Facts(vec![
            Fact::new("here", Text::toned(Tone::Strong, here)),
            Fact::new("nearest family", family),
        ]),
        Block::Table(Table { flows: true, ..rows.table() }),
        Block::Legend(
            format!(
                "{SOURCE}, in core cycles. The TSC counts at a fixed rate of its own, so its \
                 cycles are core cycles only while the core runs at that rate."
            )
            .into(),
        ),
    ]
}

fn columns() -> Vec<Spec<Known>> {
    columns! { known in Known;
        "" "processor" [full name(12)] Cell::text(known.name);
        "" "cycles" [full right] Cell::count(u64::from(known.cycles));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_recognised_only_if_it_is_in_the_table() {
        let cpu = |vendor: &str, signature: &str| Cpu {
            vendor: Some(vendor.into()),
            signature: Some(signature.into()),
            ..Cpu::default()
        };
        let intel = |s| nearest(&cpu("GenuineIntel", s));
        assert_eq!(intel("family 6 model 85 stepping 7"), Some("Intel Skylake"));
        assert_eq!(intel("family 6 model 60 stepping 3"), Some("Intel Haswell"));
        assert_eq!(intel("family 6 model 143 stepping 8"), None);
        assert_eq!(intel("MIDR 0x410fd083"), None);
        assert_eq!(nearest(&cpu("AuthenticAMD", "family 23 model 49 stepping 0")), None);
        assert_eq!(nearest(&Cpu::default()), None);
        for family in 0..32 {
            for model in 0..256 {
                for vendor in ["GenuineIntel", "AuthenticAMD"] {
                    let text = format!("family {family} model {model} stepping 0");
                    if let Some(name) = nearest(&cpu(vendor, &text)) {
                        assert!(TABLE.iter().any(|row| row.name == name), "{name}");
                    }
                }
            }
        }
    }
}
