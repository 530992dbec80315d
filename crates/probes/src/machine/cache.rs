//! The processor's caches of data (kernel, `Documentation/ABI/testing/sysfs-devices-system-cpu`,
//! `cache/index*`; CPUID leaf 4 on Intel, 0x8000001D on AMD).

use chronoscope_model::Environment;
use chronoscope_model::environment::Cache;
use raw_cpuid::CacheType;

use super::root::Root;

const FOLDER: &str = "/sys/devices/system/cpu/cpu0/cache";
/// The largest number of caches that are read; processors have four or five.
const MOST: usize = 16;
/// The largest cache that is believed.
const LARGEST: u64 = 16 << 30;

/// Fills in the caches of data of the first CPU, the smallest level first.
pub fn fill(root: &Root, env: &mut Environment) {
    let mut caches = by_system(root);
    if caches.is_empty() {
        caches = by_processor(root);
    }
    caches.retain(|cache| cache.level > 0 && (1..=LARGEST).contains(&cache.bytes));
    caches.sort_unstable_by_key(|cache| cache.level);
    caches.dedup_by_key(|cache| cache.level);
    env.cpu.caches = caches;
}

fn by_system(root: &Root) -> Vec<Cache> {
    let cache = |index: usize| {
        let fact = |name: &str| root.text(&format!("{FOLDER}/index{index}/{name}")).ok();
        let holds_data = matches!(fact("type")?.trim(), "Data" | "Unified");
        holds_data.then_some(Cache {
            level: fact("level")?.trim().parse().ok()?,
            bytes: size(fact("size")?.trim())?,
        })
    };
    (0..MOST).filter_map(cache).collect()
}

/// `32768K` in bytes.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn by_processor(root: &Root) -> Vec<Cache> {
    let parameters = root.cpuid().and_then(|cpuid| cpuid.decoded().get_cache_parameters());
    let caches = parameters.into_iter().flatten().take(MOST);
    let data =
        caches.filter(|cache| matches!(cache.cache_type(), CacheType::Data | CacheType::Unified));
    data.map(|cache| Cache {
        level: cache.level().into(),
        bytes: [
            cache.associativity(),
            cache.physical_line_partitions(),
            cache.coherency_line_size(),
            cache.sets(),
        ]
        .into_iter()
        .fold(1u64, |bytes, factor| bytes.saturating_mul(factor as u64)),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_or_are_not_believed() {
        assert_eq!(size("32768K"), Some(32 << 20));
        assert_eq!(size("8M"), Some(8 << 20));
        for wrong in ["", "K", "-1K", "32", "1e9K", "99999999999999999999K"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
        assert_eq!(size(&format!("{}M", u64::MAX)), None);
    }

    #[test]
    fn the_processors_own_word_agrees_with_the_systems() {
        let root = Root::host();
        let (system, processor) = (by_system(&root), by_processor(&root));
        // A hypervisor may report other caches to the processor's guests than the system shows.
        for cache in system.iter().chain(&processor) {
            assert!(cache.level < 10 && cache.bytes <= LARGEST, "{cache:?}");
        }
    }
}
