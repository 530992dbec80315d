//! The counter of Arm's generic timer: its rate, and the errata that it may have.

use chronoscope_model::Environment;
use chronoscope_model::environment::{ArmCounter, Rate};

use super::cpu;
use super::kmsg::Log;
use super::root::Root;

/// Errata that the device tree lists in the timer's node (kernel,
/// `Documentation/devicetree/bindings/timer/arm,arch_timer.yaml` and
/// `drivers/clocksource/arm_arch_timer.c`).
const DEVICE_TREE: &[(&str, &str)] = &[
    ("allwinner,erratum-unknown1", "Allwinner UNKNOWN1: the counter jumps when it carries over"),
    ("fsl,erratum-a008585", "Freescale A-008585: reads can return a wrong value"),
    ("hisilicon,erratum-161010101", "HiSilicon 161010101: reads can return a wrong value"),
];

/// Chips whose timer has one of these errata, by the board's `compatible`: the device tree of an
/// older kernel lacks the property, and the kernel then has no workaround (kernel,
/// `arch/*/boot/dts`).
const CHIPS: &[(&str, usize)] = &[
    ("allwinner,sun50i-a64", 0),
    ("fsl,ls1043a", 1),
    ("fsl,ls2080a", 1),
    ("hisilicon,hip05", 2),
    ("hisilicon,hip06", 2),
    ("hisilicon,hip07", 2),
];

/// Errata by MIDR: the implementer and part, the last variant and revision that has the erratum,
/// and its effect (kernel, `arch/arm64/kernel/cpu_errata.c` and
/// `Documentation/arch/arm64/silicon-errata.rst`).
const PARTS: &[(u32, u32, u32, &str)] = &[
    (0x41, 0xd09, 0xff, "Arm 858921: Cortex-A73 can misread the counter while it carries over"),
    (0x41, 0xd0b, 0x31, "Arm 1418040: Cortex-A76 can misread the counter in 32-bit programs"),
    (0x41, 0xd0c, 0x31, "Arm 1418040: Neoverse-N1 can misread the counter in 32-bit programs"),
    (0x51, 0x804, 0xff, "Arm 1418040: Kryo 4xx Gold can misread the counter in 32-bit programs"),
];

/// Fills in the counter on Arm under Linux; other systems have nothing to read it from.
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    if !matches!(root.process().arch.as_str(), "arm" | "aarch64") || !root.is_linux() {
        return;
    }
    env.counter = Some(ArmCounter {
        rates: vec![register(root), device_tree(root), kernel(log)],
        errata: errata(root, log),
    });
}

/// CNTFRQ, which the firmware sets and no hardware checks (Arm ARM, "The system counter").
fn register(root: &Root) -> Rate {
    let hz = root.process().cntfrq.filter(|hz| *hz > 0);
    Rate {
        source: "CNTFRQ".to_owned(),
        hz: hz.map(|hz| hz as f64),
        note: match hz {
            Some(_) => "as the firmware set it".to_owned(),
            None => "empty, or the kernel does not let this program read it".to_owned(),
        },
        ..Rate::default()
    }
}

/// The rate in the timer's node, which exists only to correct a CNTFRQ that the firmware set wrong.
fn device_tree(root: &Root) -> Rate {
    const FILE: &str = "/proc/device-tree/timer/clock-frequency";
    let bytes = root.bytes(FILE);
    let hz = bytes
        .as_ref()
        .ok()
        .and_then(|bytes| Some(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?)));
    Rate {
        source: "device tree".to_owned(),
        hz: hz.map(f64::from),
        note: match bytes {
            Ok(_) => FILE.to_owned(),
            Err(why) => format!("{FILE}: {why}"),
        },
        ..Rate::default()
    }
}

/// "arch_timer: cp15 timer(s) running at 54.00MHz (phys)." (kernel, `arch_timer_banner`).
fn kernel(log: &Log) -> Rate {
    const WORDS: &str = " timer(s) running at ";
    let line = log.last(WORDS);
    let mhz = line.and_then(|line| {
        let text = line.split(WORDS).nth(1)?.split("MHz").next()?;
        text.parse::<f64>().ok().filter(|mhz| mhz.is_finite() && *mhz > 0.0)
    });
    Rate {
        source: "kernel log".to_owned(),
        hz: mhz.map(|mhz| mhz * 1e6),
        note: match (line, log.missing()) {
            (Some(line), _) => line.to_owned(),
            (None, Some(why)) => format!("/dev/kmsg: {why}"),
            (None, None) => "the log has no such line".to_owned(),
        },
        ..Rate::default()
    }
}

fn errata(root: &Root, log: &Log) -> Vec<String> {
    let mut found = Vec::new();
    for (property, what) in DEVICE_TREE {
        let path = format!("/proc/device-tree/timer/{property}");
        if root.exists(&path) {
            found.push(format!("{what} ({path})"));
        }
    }
    let board = root.bytes("/proc/device-tree/compatible").unwrap_or_default();
    let board = String::from_utf8_lossy(&board);
    let chip = CHIPS.iter().find(|(chip, _)| board.split('\0').any(|name| name.trim() == *chip));
    if let (Some((chip, erratum)), true) = (chip, found.is_empty()) {
        let (property, what) = DEVICE_TREE[*erratum];
        if log.find("arch_timer: Enabling ").is_none() {
            found.push(format!(
                "{what} (/proc/device-tree/compatible: {chip}); no workaround: the device tree \
                 lacks the property {property}, by which the kernel knows it"
            ));
        }
    }
    let midr = cpu::midr(root, root.cpuinfo());
    found.extend(midr.and_then(by_midr));
    // A 32-bit kernel has no workaround for any of them.
    if root.process().machine.as_deref().is_some_and(|m| m.starts_with("armv")) {
        for erratum in &mut found {
            erratum.push_str("; 32-bit kernels have no workaround");
        }
    }
    // "arch_timer: Enabling global workaround for …", "arch_timer: CPU0: Trapping CNTVCT access".
    for words in ["arch_timer: Enabling ", "Trapping CNTVCT access"] {
        if let Some(line) = log.find(words) {
            found.push(format!("kernel log: {line}"));
        }
    }
    found
}

/// The erratum, by the main ID register (Arm ARM, MIDR_EL1: implementer 31:24, variant 23:20, part
/// 15:4, revision 3:0).
fn by_midr(midr: u32) -> Option<String> {
    let stepping = (midr >> 20 & 0xf) << 4 | midr & 0xf;
    PARTS
        .iter()
        .find(|(implementer, part, last, _)| {
            (midr >> 24, midr >> 4 & 0xfff) == (*implementer, *part) && stepping <= *last
        })
        .map(|(.., what)| format!("{what} (MIDR {midr:#010x})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errata_depend_on_the_part_and_the_stepping() {
        let has = |midr, number: &str| by_midr(midr).is_some_and(|e| e.contains(number));
        assert!(has(0x410f_d092, "858921"));
        assert!(has(0x413f_d0b1, "1418040"), "Cortex-A76 r3p1");
        assert!(has(0x413f_d0c1, "1418040"), "Neoverse-N1 r3p1");
        // Cortex-A76 r4p1 of the Raspberry Pi 5, and Cortex-A72 of the Raspberry Pi 4.
        assert_eq!(by_midr(0x414f_d0b1), None);
        assert_eq!(by_midr(0x410f_d083), None);
    }

    #[test]
    fn the_kernels_rate_is_read_from_its_banner() {
        let rate = |line: &str| kernel(&Log(Ok(vec![line.to_owned()]))).hz;
        assert_eq!(rate("arch_timer: cp15 timer(s) running at 54.00MHz (phys)."), Some(54e6));
        assert_eq!(rate("Architected cp15 timer(s) running at 19.20MHz (phys)."), Some(19.2e6));
        assert_eq!(rate("arch_timer: cp15 timer(s) running at MHz"), None);
    }
}
