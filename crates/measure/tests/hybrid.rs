//! On a hybrid processor, a session chooses the quietest of the fastest cores, and `--cpu`
//! overrides that choice.

use chronoscope_measure::run::Setting;
use chronoscope_model::environment::{CoreClass, CoreType, Cpu, Environment};
use chronoscope_model::run::Noise;
use chronoscope_probes::clocks;
use chronoscope_probes::machine::affinity;

/// The CPU that a session chooses on a processor with these slower and faster CPUs, and the ids of
/// the session's notes.
fn chosen(slower: &[usize], faster: &[usize], wanted: Option<usize>) -> (Option<usize>, String) {
    let of = |class, cpus: &[usize]| CoreType { class, cpus: cpus.to_vec(), ..CoreType::default() };
    let environment = Environment {
        cpu: Cpu {
            core_types: vec![of(CoreClass::Performance, faster), of(CoreClass::Efficiency, slower)],
            ..Cpu::default()
        },
        ..Environment::default()
    };
    let setting = Setting { cpu: wanted, ..Setting::default() };
    let entry = clocks::find("rust/instant").expect("one of the clocks");
    let session = setting.session(&environment, &[entry]);
    let mut session = session.expect("a clock that every system has");
    let notes: Vec<_> = session.notes.iter().map(|note| note.id.as_str()).collect();
    let notes = notes.join(" ");
    (session.ruler(1.0, Noise::default()).cpu, notes)
}

#[test]
fn a_performance_core_is_preferred_and_cpu_overrides_it() {
    let allowed = affinity::allowed();
    let [first, .., last] = allowed[..] else {
        return;
    };
    // Without core types, the last one would be tried first.
    let others: Vec<usize> = allowed.iter().copied().filter(|cpu| *cpu != first).collect();
    assert_eq!(chosen(&others, &[first], None).0, Some(first));
    let (cpu, notes) = chosen(&others, &[first], Some(last));
    assert_eq!(cpu, Some(last));
    assert!(!notes.contains("slower-core"), "{notes}");
    // The process may not use a performance core: any other core will do, and a note says so.
    let (cpu, notes) = chosen(&allowed, &[], None);
    assert!(cpu.is_some_and(|cpu| allowed.contains(&cpu)));
    assert!(notes.contains("slower-core"), "{notes}");
}

#[test]
fn the_fastest_of_the_allowed_cpus_are_preferred() {
    let of = |cpus: &[usize]| CoreType { cpus: cpus.to_vec(), ..CoreType::default() };
    let types = |core_types| Cpu { core_types, ..Cpu::default() };
    let hybrid = types(vec![of(&[0, 1]), of(&[2, 3]), of(&[4])]);
    assert_eq!(hybrid.fastest(&[1, 3, 4]), [1]);
    assert_eq!(hybrid.fastest(&[3, 4]), [3]);
    assert_eq!(hybrid.fastest(&[7]), [7]);
    assert_eq!(types(vec![]).fastest(&[5, 6]), [5, 6]);
}
