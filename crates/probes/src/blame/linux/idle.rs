//! The idle states that a CPU enters (`/sys/devices/system/cpu/cpu*/cpuidle/state*`: Linux
//! Documentation/admin-guide/pm/cpuidle.rst).

use super::super::IdleState;
use super::{Counter, read};
use crate::machine::noise;
use std::fs::{self, File};

/// No driver has more states (Linux include/linux/cpuidle.h, CPUIDLE_STATE_MAX).
const MOST: usize = 10;

#[derive(Debug)]
struct State {
    about: IdleState,
    file: File,
    usage: Counter,
}

/// The states of one CPU, shallowest first.
#[derive(Debug)]
pub(super) struct Idle {
    cpu: usize,
    states: Vec<State>,
}

impl Idle {
    pub(super) fn open() -> Result<Self, String> {
        let cpu = noise::current_cpu().ok_or("the system does not name the CPU")?;
        let states = states(cpu);
        if states.is_empty() {
            return Err(
                "the kernel has no idle states (/sys/devices/system/cpu/cpu*/cpuidle): it halts \
                 the CPU without a driver, and in a virtual machine the host chooses"
                    .into(),
            );
        }
        Ok(Self { cpu, states })
    }

    /// The deepest state that the thread's CPU entered since the last call, if asked to look
    /// closely; `None` if that is not known.
    pub(super) fn look(&mut self, cpu: Option<usize>) -> Option<Option<&IdleState>> {
        let cpu = cpu?;
        if cpu != self.cpu {
            // What the other CPU did before is not known.
            (self.cpu, self.states) = (cpu, states(cpu));
        }
        let (mut known, mut deepest) = (!self.states.is_empty(), None);
        for state in &mut self.states {
            let mut text = [0; 32];
            let usage = read(&state.file, &mut text).and_then(|text| text.trim().parse().ok());
            let grown = state.usage.look(usage);
            known &= grown.is_some();
            if grown > Some(0) {
                deepest = Some(&state.about);
            }
        }
        known.then_some(deepest)
    }
}

/// The states of a CPU; empty if there are none.
fn states(cpu: usize) -> Vec<State> {
    let state = |nth: usize| {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{nth}");
        let text = |name: &str| {
            let text = fs::read_to_string(format!("{folder}/{name}")).ok()?;
            Some(text.trim().to_owned())
        };
        let us: u64 = text("latency")?.parse().ok()?;
        Some(State {
            about: IdleState {
                name: text("name")?.chars().filter(|c| !c.is_control()).take(32).collect(),
                exit_ns: us.saturating_mul(1000),
            },
            file: File::open(format!("{folder}/usage")).ok()?,
            usage: Counter::default(),
        })
    };
    (0..MOST).map_while(state).collect()
}
