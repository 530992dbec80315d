//! What the columns of the batches behind an estimate mean.

use crate::term::{METHOD, STATISTICS, Term};

pub(super) static SD: Term = Term {
    names: &["SD"],
    place: "column of clocks -v",
    unit: "ns",
    about: "The standard deviation of the batches, per read.",
    how: "Over all undisturbed batches, with n - 1 in the denominator. A few interrupts dominate \
          it; MAD they hardly change.",
    act: "Use it to compare with tools that report one.",
    references: &[METHOD],
};

pub(super) static RAW: Term = Term {
    names: &["raw"],
    place: "column of clocks -v",
    unit: "ns",
    about: "The cost of one read with that of the loop still in it.",
    how: "The robust mode of the batches, with the ruler's cost subtracted.",
    act: "raw minus read is the cost of the empty loop.",
    references: &[METHOD, STATISTICS],
};

pub(super) static MIN: Term = Term {
    names: &["min"],
    place: "column of clocks -v",
    unit: "ns",
    about: "The cheapest batch, per read, with the loop still in it.",
    how: "Over all undisturbed batches.",
    act: "",
    references: &[METHOD],
};

pub(super) static MEDIAN: Term = Term {
    names: &["median"],
    place: "column of clocks -v",
    unit: "ns",
    about: "Half of the batches were cheaper, per read, with the loop still in it.",
    how: "Over all undisturbed batches.",
    act: "If it is far above raw, more than half of the batches were slowed down.",
    references: &[METHOD],
};

pub(super) static MAD: Term = Term {
    names: &["MAD"],
    place: "column of clocks -v",
    unit: "ns",
    about: "How much the batches scatter: the median of their distances from their median.",
    how: "Over all undisturbed batches. For Gaussian noise it is 0.67 standard deviations.",
    act: "",
    references: &["Rousseeuw and Croux 1993"],
};

pub(super) static P99: Term = Term {
    names: &["p99"],
    place: "column of clocks -v",
    unit: "ns",
    about: "99 % of the batches cost no more than this, per read, with the loop still in it.",
    how: "Over all undisturbed batches.",
    act: "",
    references: &[METHOD],
};

pub(super) static MAX: Term = Term {
    names: &["max"],
    place: "column of clocks -v",
    unit: "ns",
    about: "The most expensive batch, per read, with the loop still in it.",
    how: "Over all undisturbed batches.",
    act: "",
    references: &[METHOD],
};

pub(super) static BATCHES: Term = Term {
    names: &["batches"],
    place: "column of clocks -v",
    unit: "",
    about: "The batches behind the figure. The ruler was started and stopped once for each.",
    how: "One per round: at least 200 rounds, at most 3000, as precision and budget allow.",
    act: "",
    references: &[METHOD],
};

pub(super) static READS: Term = Term {
    names: &["reads"],
    place: "column of clocks -v",
    unit: "",
    about: "The reads in one batch, a power of two.",
    how: "A batch lasts 12 us, or a hundred times the ruler's cost if that is longer.",
    act: "",
    references: &[METHOD],
};

pub(super) static DISTURBED: Term = Term {
    names: &["disturbed"],
    place: "column of clocks -v",
    unit: "",
    about: "Batches that a context switch, a migration or steal disturbed. They are counted as \
            noise, and no figure includes them.",
    how: "See noise.",
    act: "",
    references: &[METHOD],
};

pub(super) static PROCESSES: Term = Term {
    names: &["processes"],
    place: "column of clocks -v",
    unit: "",
    about: "How many processes the batches come from. Each is placed elsewhere in memory, which \
            alone can change a cheap read by several percent, so the interval of several processes \
            covers what another run would report, and that of one process does not.",
    how: "The tool starts itself up to seven times and divides the rounds equally. The interval is \
          a bootstrap over processes, then over rounds.",
    act: "",
    references: &[METHOD],
};

pub(super) static SHARED: Term = Term {
    names: &["shared"],
    place: "column of clocks -v",
    unit: "ns",
    about: "The cost while something else used the core's other hardware thread: another program, \
            or another virtual machine, which shows up neither as steal nor as load. The empty \
            loop is subtracted.",
    how: "See core: the rounds in which independent additions took at least 6 % longer than on an \
          unshared core.",
    act: "Expect this cost on a busy host.",
    references: &[METHOD],
};

pub(super) static SECOND: Term = Term {
    names: &["second"],
    place: "column of clocks -v",
    unit: "ns",
    about: "The other place where the costs of batches gather, with its share of the batches. The \
            lower of the two is the estimate if at least 20 % of the batches are there; tables \
            mark it with *.",
    how: "A place is a tenth of the batches or more, within a few times the scatter of the \
          estimate, and more than 3 % away from it.",
    act: "Two placements in memory, or two rhythms of the loop: both costs are real.",
    references: &[METHOD],
};

pub(super) static STOPPED: Term = Term {
    names: &["stopped"],
    place: "column of clocks -v",
    unit: "",
    about: "Why sampling ended. precise: the interval became narrower than 0.5 % of the value, or \
            than 0.02 ns. time: the budget ran out first.",
    how: "All series are examined after 200 rounds, and again each time their number has grown by \
          half.",
    act: "time: give more --budget, or name fewer clocks, if the ± is too wide for you.",
    references: &[METHOD],
};
