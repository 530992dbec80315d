//! Whether something intercepts a read: the kernel, a hypervisor, or a vDSO that falls back to the
//! system call.

use super::real::Real;
use crate::engine::RulerKind;
use chronoscope_model::Environment;
use chronoscope_model::trust::Trap;
use chronoscope_probes::clocks::{self, Opening, Reader};

/// A read of the counter that takes longer, in nanoseconds, is intercepted: an exit of a virtual
/// machine takes this long, and no processor's own read does.
const TRAPPED_NS: f64 = 1000.0;
/// A read through the vDSO that takes more than this share of the system call's time makes that
/// call: even with a slow counter, the difference is more than a fifth.
const FALLS_BACK: f64 = 0.8;
/// How often each cost is measured; the smallest counts.
const TRIES: usize = 32;
/// The reads of one measurement.
const READS: u64 = 64;

/// Returns the intercepted reads, before anything else is tested.
pub(super) fn traps(real: &mut Real, env: &Environment) -> Vec<Trap> {
    let mut found = Vec::new();
    if let Some(tsc) = &env.tsc {
        found.push(Trap {
            id: "counter-permitted".into(),
            trapped: tsc.permitted.map(|may| !may),
            evidence: match tsc.permitted {
                Some(true) => "prctl(PR_GET_TSC) returned PR_TSC_ENABLE".into(),
                Some(false) => "prctl(PR_GET_TSC) returned PR_TSC_SIGSEGV".into(),
                None => "the system does not report whether the TSC may be read".into(),
            },
        });
    }
    let (kind, tick_ns) = (real.kind, real.tick_ns);
    if kind != RulerKind::System {
        found.push(trapped("counter-trapped", "a read of the counter", kind, tick_ns, |reads| {
            for _ in 0..reads {
                std::hint::black_box(chronoscope::counter::now());
            }
        }));
    }
    let rdtscp = clocks::find("x86/rdtscp").and_then(|entry| entry.open(Opening::Checked).ok());
    if let Some(mut rdtscp) = rdtscp {
        let read = |reads| rdtscp.throughput(0, reads);
        found.push(trapped("rdtscp-trapped", "rdtscp", kind, tick_ns, read));
    }
    if let Some(vdso) = &env.vdso {
        found.push(Trap {
            id: "vdso-mapped".into(),
            trapped: Some(!vdso.present),
            evidence: if vdso.present {
                "the kernel maps a vDSO (AT_SYSINFO_EHDR)".into()
            } else {
                "the kernel maps no vDSO (AT_SYSINFO_EHDR is absent)".into()
            },
        });
    }
    let cost = |reader: &mut Reader| cost(kind, tick_ns, |reads| reader.throughput(0, reads));
    for (clock, call) in &mut real.sandwiches {
        let (entry, vdso) = &mut real.clocks[*clock];
        let (vdso, call) = (cost(vdso), cost(call));
        found.push(Trap {
            id: "vdso-falls-back".into(),
            trapped: Some(vdso > FALLS_BACK * call),
            evidence: format!(
                "{}: {vdso:.1} ns through the vDSO, {call:.1} ns by the system call",
                entry.id
            ),
        });
    }
    found
}

fn trapped(id: &str, what: &str, kind: RulerKind, tick_ns: f64, read: impl FnMut(u64)) -> Trap {
    let ns = cost(kind, tick_ns, read);
    Trap {
        id: id.into(),
        trapped: Some(ns > TRAPPED_NS),
        evidence: format!("{what} takes {ns:.1} ns"),
    }
}

/// Returns the smallest cost of a read in a short batch, in nanoseconds.
fn cost(kind: RulerKind, tick_ns: f64, mut read: impl FnMut(u64)) -> f64 {
    let tries = (0..TRIES).map(|_| {
        let start = kind.start();
        read(READS);
        kind.stop().wrapping_sub(start) as f64 * tick_ns / READS as f64
    });
    tries.fold(f64::INFINITY, f64::min)
}
