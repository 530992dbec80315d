//! What a read costs.

use super::{METHOD, Term};

const STATISTICS: &str = "docs/method-statistics.md";

pub(super) const TERMS: &[Term] = &[
    Term {
        names: &["clock", "id"],
        place: "column of clocks and of list",
        unit: "",
        about: "The name of a clock, family/variant; it is fixed, and every command takes it. ▸ stands before the cheapest of \
                its kind that nothing speaks against; where something speaks against all, before the cheapest that is fine \
                enough and good within limits. Of those within 5 % it is the one that is advised.",
        how: "",
        act: "chronoscope explain ID tells what it is; chronoscope list clocks shows the calls and what is not there.",
        references: &[],
    },
    Term {
        names: &["read", "throughput"],
        place: "column of clocks and of the first screen",
        unit: "ns",
        about: "The cost of one read among many back to back that do not depend on each other. This is what a program pays \
                that stamps many events.",
        how: "Batches of reads are timed by the ruler, eight reads to a turn of the loop; the figure is the place of the core \
              of the batches' cost per read, less that of the same loop without a read, with a 95 % interval.",
        act: "Of two clocks that are both good take the cheaper. A read above 100 ns is a system call or leaves to the \
              hypervisor: chronoscope's findings say why.",
        references: &[METHOD, STATISTICS],
    },
    Term {
        names: &["ordered", "latency"],
        place: "column of clocks and of the first screen",
        unit: "ns",
        about: "The cost of one read when the next may begin only after it has completed. This is how long a program waits \
                for the value.",
        how: "As read, with a fence behind each (lfence on x86, isb on Arm), whose own cost is taken off with the empty loop, \
              which has it too.",
        act: "For intervals of less than a microsecond this is the figure that counts: two such reads are the least that can \
              be timed.",
        references: &[METHOD, "Intel SDM vol. 2B, RDTSC", "Arm ARM, CNTVCT_EL0"],
    },
    Term {
        names: &["±"],
        place: "column beside a figure",
        unit: "that of the figure",
        about: "Half the 95 % interval, of this run: 95 of 100 such intervals hold what a longer run in the same process \
                would find. Another process finds code and data in other places, and may differ by more.",
        how: "For costs a bootstrap over the rounds, widened for the order of batches, with the bound of the ruler's rate \
              added; for overhead the order statistics of the median. It is rounded up. Below six samples there is none.",
        act: "Two figures whose difference is below the root of the sum of the squares of their ± are not known to differ. \
              More --budget narrows it.",
        references: &[METHOD, STATISTICS, "Goldstein and Healy 1995"],
    },
    Term {
        names: &["core cycles", "core-cycles", "core_cycles"],
        place: "column of clocks and of the first screen",
        unit: "cycles of the core",
        about: "What a read costs in cycles of the core, at the frequency it had while this was measured. Nanoseconds change \
                with that frequency from run to run; cycles hardly do.",
        how: "The cost times the core's frequency, which a chain of dependent additions tells once a round. Absent on an \
              emulated processor, which has no frequency.",
        act: "Compare runs and machines by this.",
        references: &[METHOD],
    },
    Term {
        names: &["cold"],
        place: "column of clocks",
        unit: "ns",
        about: "The cost of one read after caches and branch history have been displaced. This is what a program pays that \
                reads the clock seldom.",
        how: "4 MiB of memory are walked and 2048 branches taken before each of up to 101 reads; the same for an empty loop, \
              which is taken off. What the empty loops of the languages differ by is in the interval. < is a bound: it seemed \
              no dearer than a warm read.",
        act: "Where a clock is read once in a millisecond, choose by this and not by read. Its interval is wide.",
        references: &[METHOD],
    },
    Term {
        names: &["first"],
        place: "column of clocks",
        unit: "ns",
        about: "The first read in a new process, page faults and the resolution of symbols included; the start of the process \
                is not.",
        how: "The tool starts itself five times for each clock, and reads it once. - where the budget was too short for that.",
        act: "Read a clock once at the start, where the first stamp must not be late. Five tell the order of magnitude and no \
              more.",
        references: &[METHOD],
    },
    Term {
        names: &["verdict"],
        place: "column of clocks and of the first screen",
        unit: "",
        about: "What to think of the clock for measuring on this machine: good, limited in the way that the text says, or \
                better avoided (red).\n\nThe first of these that holds is told: it went backwards; it stood still; it is off over \
                100 ms; its counter cannot be trusted; it counts something else than elapsed time; it is coarse (a tick of 1 us \
                or more); it was not watched for long enough to move; it is slow (above 100 ns); it wraps within an hour; it may be read early; it may be stepped.",
        how: "From what this run measured and what the machine says of itself; nothing is taken from elsewhere.",
        act: "`may be read early`: the processor may execute the read before what stands before it has finished, so it fits \
              stamps, not short intervals. `may be stepped`: never subtract two of its values to measure.",
        references: &["crates/diagnose/src/verdict.rs", METHOD],
    },
    Term {
        names: &["raw"],
        place: "column of clocks -v",
        unit: "ns",
        about: "The cost of one read with that of the loop still in it.",
        how: "The place of the batches' core, the ruler taken off.",
        act: "raw less read is what the empty loop costs.",
        references: &[METHOD, STATISTICS],
    },
    Term {
        names: &["MAD"],
        place: "column of clocks -v",
        unit: "ns",
        about: "How far the batches scatter: the median of their distances from their median.",
        how: "Over all batches that nothing disturbed. For Gaussian noise it is 0.67 standard deviations.",
        act: "",
        references: &["Rousseeuw and Croux 1993"],
    },
    Term {
        names: &["batches"],
        place: "column of clocks -v",
        unit: "",
        about: "Batches behind the figure, in each of which the ruler was started and stopped once.",
        how: "One a round: at least 200 rounds, at most 3000, as the precision and the budget allow.",
        act: "",
        references: &[METHOD],
    },
    Term {
        names: &["reads"],
        place: "column of clocks -v, and line of deltas",
        unit: "",
        about: "Of clocks: the reads in one batch, a power of two. Of deltas: the reads that were made in a row, between \
                which the differences lie, and what one unit of the clock's count stands for.",
        how: "A batch lasts 12 us and a hundred times the ruler's cost, if that is more. Of deltas: as --reads says.",
        act: "",
        references: &[METHOD],
    },
    Term {
        names: &["left out"],
        place: "column of clocks -v",
        unit: "",
        about: "Batches that something disturbed; they count under noise, and stand in no figure.",
        how: "See noise.",
        act: "",
        references: &[METHOD],
    },
    Term {
        names: &["stopped"],
        place: "column of clocks -v",
        unit: "",
        about: "Why sampling ended. precise: the interval became narrower than 0.5 % of the value, or 0.02 ns. time: the \
                budget was spent before.",
        how: "All series are looked at after 200 rounds, and then each time their number has grown by half.",
        act: "time: give more --budget, or name fewer clocks, if the ± is too wide for you.",
        references: &[METHOD],
    },
];
