//! What whole runs differ by that does not show within one, because it lasts longer than a run:
//! where the kernel's data lies, what the hypervisor does at an exit, which of two states a core is
//! in. It depends on what a read does, on the processor and on the hypervisor.

use crate::Environment;
use crate::clock::{BuiltOn, Facts, Orders, Reads};
use crate::packed::{self, packed};
use std::sync::LazyLock;

/// What a read does, as far as runs differ by it.
#[record(Names, PartialOrd, Ord)]
pub enum Does {
    /// Reads in user space, back to back. The same goes for those of which nothing is known.
    BackToBack,
    /// Reads in user space, each ordered after the one before.
    Ordered,
    /// Only loads a value, back to back.
    Loads,
    /// Waits until earlier stores have left the core.
    AfterStores,
    /// Goes through the kernel, whose data keeps its place for longer than a run.
    Kernel,
    /// Asks the kernel for CPU time.
    CpuTime,
    /// Is intercepted by the hypervisor, whose work the cost is.
    LeavesGuest,
}

impl Does {
    /// What a read of a clock with these facts does, ordered after the one before or not.
    pub fn of(facts: Option<Facts>, ordered: bool) -> Self {
        let Some(Facts { reads, orders, built_on, exits_guest, .. }) = facts else {
            return Self::BackToBack;
        };
        match (reads, orders) {
            _ if exits_guest => Self::LeavesGuest,
            (Reads::SystemCall, _) if built_on == BuiltOn::CpuTime => Self::CpuTime,
            (Reads::SystemCall | Reads::File, _) => Self::Kernel,
            (_, Orders::Memory) => Self::AfterStores,
            _ if ordered => Self::Ordered,
            _ if built_on == BuiltOn::Tick => Self::Loads,
            _ => Self::BackToBack,
        }
    }
}

/// Half the 95 % interval of what whole runs differ by, as a share of the cost, in addition to
/// the runs' own intervals.
#[record(Copy)]
pub struct Shares {
    /// Reads in user space, back to back.
    pub back_to_back: f64,
    /// Reads in user space, each ordered after the one before.
    pub ordered: f64,
    /// Reads that only load a value, back to back.
    pub loads: f64,
    /// Reads that wait until earlier stores have left the core.
    pub after_stores: f64,
    /// Reads that go through the kernel.
    pub kernel: f64,
    /// Reads of the kernel's CPU time.
    pub cpu_time: f64,
    /// Reads that the hypervisor intercepts.
    pub leaves_guest: f64,
    /// Half the 95 % interval of the frequency that another run may find, in standard deviations of
    /// those of the processes of one run: not a share. Absent from reports of versions that did not
    /// distinguish machines by it, and if it is zero.
    #[absent]
    pub frequencies: f64,
}

impl Shares {
    /// The share for what a read does.
    pub const fn by(&self, does: Does) -> f64 {
        match does {
            Does::BackToBack => self.back_to_back,
            Does::Ordered => self.ordered,
            Does::Loads => self.loads,
            Does::AfterStores => self.after_stores,
            Does::Kernel => self.kernel,
            Does::CpuTime => self.cpu_time,
            Does::LeavesGuest => self.leaves_guest,
        }
    }

    /// What `of` makes of each pair of numbers.
    fn with(self, other: Self, of: fn(f64, f64) -> f64) -> Self {
        Self {
            back_to_back: of(self.back_to_back, other.back_to_back),
            ordered: of(self.ordered, other.ordered),
            loads: of(self.loads, other.loads),
            after_stores: of(self.after_stores, other.after_stores),
            kernel: of(self.kernel, other.kernel),
            cpu_time: of(self.cpu_time, other.cpu_time),
            leaves_guest: of(self.leaves_guest, other.leaves_guest),
            frequencies: of(self.frequencies, other.frequencies),
        }
    }
}

/// What runs differ by in a clock that is steadier or less steady than others of its kind.
#[record(!Default)]
pub struct OfClock {
    /// The clock's id.
    pub id: String,
    /// What these reads of it do.
    pub does: Does,
    /// In place of the share of all that do this.
    pub share: f64,
    /// In place of how many deviations of the frequency count for all.
    pub frequencies: f64,
}

/// The runs of one kind of machine, and what they need, which is negative if no run tells.
#[record]
pub struct Row {
    /// The processor's vendor.
    pub vendor: String,
    /// The processor's family.
    pub family: u32,
    /// The hypervisor's name; empty without one.
    pub hypervisor: String,
    /// How many runs there are.
    pub runs: u32,
    /// What they differ by.
    pub shares: Shares,
    /// The largest standard deviation of the frequencies in one of them, as a share.
    pub spread: f64,
    /// The clocks to which that does not apply.
    pub clocks: Vec<OfClock>,
}

/// The rows of `between.json`, which `cargo research between` makes from the runs in
/// `research/between`.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    serde_json::from_slice(&packed::bytes(packed!("between.json"))).expect("our own file")
});

/// What [`Shares::frequencies`] is unless the runs of a machine tell. The frequency also moves over
/// minutes, which a run does not see, and eight processes know their spread only roughly, so this
/// is more than Student's 2.36. On an AMD EPYC (family 26) whose core moved by 4 % from run to run,
/// neighbouring runs of `clocks` were apart in 1 of 19 pairs with 3, and in 2 with 2; of all 190
/// pairs, over four minutes, 2 and 13 % were. In 24 runs of another day, 0 and 2.5 % of all pairs
/// were apart with these, 0.4 % with 2.5.
const FREQUENCIES: f64 = 2.5;

/// What versions before `run.between` widened their intervals by on every machine. They come from
/// runs that were not kept, on an AMD EPYC (family 26), whose reads in user space had two states
/// 0.2 to 0.6 % apart.
pub const EARLIER: Shares = Shares {
    back_to_back: 0.003,
    ordered: 0.004,
    loads: 0.2,
    after_stores: 0.02,
    kernel: 0.04,
    cpu_time: 0.04,
    leaves_guest: 0.12,
    frequencies: FREQUENCIES,
};

/// The shares where nothing is known: the widest of any machine, and of [`EARLIER`].
static WIDEST: LazyLock<Shares> =
    LazyLock::new(|| ROWS.iter().fold(EARLIER, |widest, row| widest.with(row.shares, f64::max)));

/// The machine whose runs tell what runs of this one differ by.
#[record(!Default)]
pub struct Between {
    /// Its processor's vendor and family, and its hypervisor; absent if none is like this one, and
    /// the shares are the widest of any.
    pub machine: Option<String>,
    /// How many runs it made.
    pub runs: u32,
    /// What they differed by.
    pub shares: Shares,
    /// The clocks to which that does not apply.
    pub clocks: Vec<OfClock>,
    /// The largest standard deviation, in one of the runs, of its processes' frequencies, as a
    /// share. If it is larger in another run, no clock counts as steadier than the others.
    pub spread: Option<f64>,
}

impl Between {
    /// The same for all clocks, of no machine that is known.
    pub const fn plain(shares: Shares) -> Self {
        Self { machine: None, runs: 0, shares, clocks: Vec::new(), spread: None }
    }

    /// What runs differ by where nothing is known.
    pub fn unknown() -> Self {
        Self::plain(*WIDEST)
    }

    /// What runs of this machine differ by.
    pub fn of(environment: &Environment) -> Self {
        let (vendor, family, hypervisor) = kind_of(environment);
        let alike = |row: &&Row| {
            row.vendor == vendor && Some(row.family) == family && row.hypervisor == hypervisor
        };
        let Some(row) = ROWS.iter().find(alike) else {
            return Self::unknown();
        };
        let known = |own: f64, widest: f64| if own >= 0.0 { own } else { widest };
        let shares = row.shares.with(*WIDEST, known);
        let mut clocks = row.clocks.clone();
        for clock in &mut clocks {
            clock.frequencies = known(clock.frequencies, shares.frequencies);
        }
        let under = if hypervisor.is_empty() { "no hypervisor" } else { hypervisor };
        Self {
            machine: Some(format!("{vendor} family {}, {under}", row.family)),
            runs: row.runs,
            shares,
            clocks,
            spread: (row.spread >= 0.0).then_some(row.spread),
        }
    }

    /// The share for a clock with this id and these facts, for reads that are each ordered after
    /// the one before, or for others, and the number of standard deviations of the frequency, which
    /// are each so large in this run, as a share.
    pub fn parts(
        &self,
        id: &str,
        facts: Option<Facts>,
        ordered: bool,
        deviation: f64,
    ) -> (f64, f64) {
        let does = Does::of(facts, ordered);
        let (share, frequencies) = (self.shares.by(does), self.shares.frequencies);
        let Some(own) = self.clocks.iter().find(|it| it.id == id && it.does == does) else {
            return (share, frequencies);
        };
        // A core that moves more than in the stored runs shows what they could not.
        match self.spread.is_some_and(|it| deviation > it) {
            true => (own.share.max(share), own.frequencies.max(frequencies)),
            false => (own.share, own.frequencies),
        }
    }

    /// Half the 95 % interval of what runs differ by, as a share of the cost of such a clock.
    pub fn half(&self, id: &str, facts: Option<Facts>, ordered: bool, deviation: f64) -> f64 {
        let (share, frequencies) = self.parts(id, facts, ordered, deviation);
        share.hypot(frequencies * deviation)
    }

    /// Whose runs they are, in a few words.
    pub fn text(&self) -> String {
        match &self.machine {
            Some(machine) => format!("as {} runs on {machine}", self.runs),
            None => "not known for this processor and hypervisor: the widest of any".into(),
        }
    }
}

/// The vendor and family of a machine's processor, and its hypervisor: what runs differ by depends
/// on them.
pub fn kind_of(environment: &Environment) -> (&str, Option<u32>, &str) {
    let cpu = &environment.cpu;
    let family = cpu.family_model_stepping().map(|[family, ..]| family);
    let hypervisor = environment.hypervisor.as_ref().map_or("", |it| it.name.as_str());
    let vendor = cpu.vendor.as_deref().unwrap_or_default();
    (vendor, family, hypervisor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Hypervisor;

    fn machine(row: &Row) -> Environment {
        let mut environment = Environment::default();
        environment.cpu.vendor = Some(row.vendor.clone());
        environment.cpu.signature = Some(format!("family {} model 9 stepping 1", row.family));
        let named = || Hypervisor { name: row.hypervisor.clone(), ..Hypervisor::default() };
        environment.hypervisor = (!row.hypervisor.is_empty()).then(named);
        environment
    }

    #[test]
    fn what_a_read_does_decides_what_runs_differ_by() {
        let known = Facts { reads: Reads::Vdso, ..Facts::default() };
        let does = |facts| Does::of(Some(facts), false);
        assert_eq!(does(known), Does::of(None, true));
        assert_eq!(Does::of(Some(known), true), Does::Ordered);
        let kernel = Facts { reads: Reads::SystemCall, ..known };
        assert_eq!(does(kernel), does(Facts { reads: Reads::File, ..known }));
        assert_eq!(does(Facts { built_on: BuiltOn::CpuTime, ..kernel }), Does::CpuTime);
        assert_eq!(does(Facts { orders: Orders::Memory, ..known }), Does::AfterStores);
        assert_eq!(does(Facts { exits_guest: true, ..kernel }), Does::LeavesGuest);
        // A coarse clock only loads a value, unless it is read through the kernel.
        let coarse = Facts { built_on: BuiltOn::Tick, ..known };
        assert_eq!((does(coarse), Does::of(Some(coarse), true)), (Does::Loads, Does::Ordered));
        assert_eq!(does(Facts { reads: Reads::SystemCall, ..coarse }), Does::Kernel);
    }

    #[test]
    fn the_runs_of_a_machine_decide_and_what_is_not_known_is_the_widest() {
        for row in ROWS.iter() {
            let found = Between::of(&machine(row));
            assert_eq!(found.runs, row.runs);
            assert!(found.text().contains(&row.hypervisor), "{}", found.text());
            for does in Does::ALL {
                assert!((0.0..=WIDEST.by(does)).contains(&found.shares.by(does)), "{does:?}");
            }
            assert_eq!(found.clocks.len(), row.clocks.len());
            assert!(found.clocks.iter().all(|it| it.share >= 0.0 && it.frequencies >= 0.0));
            let deviations = found.shares.frequencies;
            assert!((0.0..=WIDEST.frequencies).contains(&deviations), "{deviations}");
        }
        let row = &ROWS[0];
        let other = Row { family: row.family + 1000, ..row.clone() };
        let bare = Row { hypervisor: "another".into(), ..row.clone() };
        for unknown in [machine(&other), machine(&bare), Environment::default()] {
            assert_eq!(Between::of(&unknown), Between::unknown());
        }
    }

    #[test]
    fn a_clock_counts_as_steadier_only_while_the_core_is_as_steady_as_in_the_stored_runs() {
        let kernel = Some(Facts { reads: Reads::SystemCall, ..Facts::default() });
        let shares = Shares { kernel: 0.04, frequencies: 1.5, ..Shares::default() };
        let of = |id: &str, share, frequencies| OfClock {
            id: id.into(),
            does: Does::Kernel,
            share,
            frequencies,
        };
        let clocks = vec![of("steady", 0.01, 0.5), of("unsteady", 0.05, 3.0)];
        let between = Between { clocks, spread: Some(0.001), ..Between::plain(shares) };
        let parts = |id, deviation| between.parts(id, kernel, false, deviation);
        assert_eq!([parts("steady", 0.001), parts("steady", 0.002)], [(0.01, 0.5), (0.04, 1.5)]);
        assert_eq!([parts("unsteady", 0.0), parts("unsteady", 0.002)], [(0.05, 3.0); 2]);
        assert_eq!(parts("another", 0.001), (0.04, 1.5));
        // It is listed for what its reads do: a read of it in user space is of another kind.
        assert_eq!(between.parts("steady", None, false, 0.0), (0.0, 1.5));
        assert!((between.half("steady", kernel, true, 0.02) - 0.04_f64.hypot(0.03)).abs() < 1e-12);
    }

    /// One processor's two states, 20 to 30 % apart, say nothing about another's.
    #[test]
    fn a_stored_time_repeats_on_one_processor_and_not_on_another() {
        let loads = |family| {
            let row = ROWS.iter().find(|it| it.vendor == "AuthenticAMD" && it.family == family);
            row.expect("stored runs").shares.loads
        };
        assert!(loads(25) < 0.02 && loads(26) > 0.1, "{} {}", loads(25), loads(26));
    }
}
