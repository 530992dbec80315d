//! What makes waits end late: a page for each cause, what to do about it, and the rows that it
//! dominates.

use chronoscope_model::units::{percent, plural, short_ns};
use chronoscope_model::waits::{Load, Wait};
use chronoscope_model::why::{Cause, Later, Why};
use chronoscope_model::{Page, Report};

/// What the ids begin with.
const PREFIX: &str = "cause/";

/// The page with this id, such as `cause/run-queue`, or of the name that screens print: `run
/// queue`.
pub fn find(name: &str) -> Option<&'static Page> {
    let bare = |name: &str| {
        let name = name.to_lowercase();
        name.strip_prefix(PREFIX).unwrap_or(&name).replace('-', " ")
    };
    let wanted = bare(name);
    ALL.iter().find(|page| bare(page.name()) == wanted || bare(page.title) == wanted)
}

const WAITS: &str = "docs/waits.md, Why a wait ended late";

/// Every cause, in the order in which they come after a deadline.
pub const ALL: &[Page] = &[
    Page {
        names: &["cause/timer-slack"],
        title: Cause::TimerSlack.words(),
        about: "The kernel may delay a timer by the slack of its thread, so that one interrupt \
                serves several timers. Linux gives each thread 50 us, and an idle machine uses \
                all of them. poll and select take 0.1 % of the duration if that is more. On \
                Windows, the period of the clock interrupt has the same effect.",
        how: "The time from the deadline to the start of the thread, less the run queue and less \
              the shortest such time of the row, up to the slack in effect.",
        act: "prctl(PR_SET_TIMERSLACK, 1) in the waiting thread; a real-time thread has no slack. \
              On Windows, timeBeginPeriod(1) or a high-resolution timer.",
        references: &[
            "prctl(2), PR_SET_TIMERSLACK",
            "Linux fs/select.c, select_estimate_accuracy",
            WAITS,
        ],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/idle-exit"],
        title: Cause::IdleExit.words(),
        about: "From the expiry of the timer until the thread was switched in: the CPU left its \
                idle state, took the interrupt, and the kernel woke and switched to the thread. \
                In a virtual machine the host must first run the virtual CPU again, which is most \
                of it.",
        how: "The kernel records when it switched to the thread. From the time between the \
              deadline and that, the run queue (/proc/thread-self/schedstat) and the timer slack \
              are subtracted. If the CPU entered no idle state, the same time is called \
              interrupts. The host's share cannot be seen from inside; with root and tracefs, \
              timerlat (Linux 6.5) times the interrupt and the thread separately.",
        act: "Spin for the last part of the wait, as chronoscope::wait does; or keep the CPU \
              awake (--keep-awake, /dev/cpu_dma_latency) or out of deep states \
              (cpuidle/state*/disable). In a virtual machine: the guest's haltpoll governor, or \
              halt_poll_ns on the host.",
        references: &[
            "Linux Documentation/admin-guide/pm/cpuidle.rst",
            "Linux Documentation/trace/timerlat-tracer.rst",
            WAITS,
        ],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/interrupt"],
        title: Cause::Interrupt.words(),
        about: "The kernel used the CPU for interrupts: in a spin, one came while the thread ran; \
                after a sleep, the timer's own interrupt was late although the CPU was not idle, \
                as when interrupts are masked. Time that the host took in the same wait counts \
                here, too.",
        how: "In a spin, an interrupt clears a null selector in ES, which the tool sets before \
              the wait (x86-64 under Linux). After a sleep, no idle state's count grew. A spin of \
              more than 1 ms meets the kernel's tick anyway, and is counted under cause/on-cpu.",
        act: "Move interrupts to other CPUs (/proc/irq/*/smp_affinity), and stop the tick on the \
              CPU (isolcpus, nohz_full). /proc/interrupts shows which ones come.",
        references: &["Linux Documentation/core-api/irq/irq-affinity.rst", WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/run-queue"],
        title: Cause::RunQueue.words(),
        about: "The thread was awake and ready, and other threads had its CPU. Next to busy \
                threads of the same priority that is up to a time slice for each of them, about 3 \
                ms.",
        how: "The second figure of /proc/thread-self/schedstat before and after the wait, less \
              the preemptions that the kernel recorded.",
        act: "Ask for a short slice (Linux 6.12 or later, no privilege: sched_setattr with \
              SCHED_OTHER and sched_runtime = 100 us), give the thread a CPU of its own, or a \
              real-time priority (--priority).",
        references: &[
            "Linux Documentation/scheduler/sched-stats.rst",
            "Linux Documentation/scheduler/sched-eevdf.rst",
            WAITS,
        ],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/preempted"],
        title: Cause::Preempted.words(),
        about: "The thread ran, and was taken off its CPU for another one before the wait ended: \
                after it had woken, or while it was spinning.",
        how: "The kernel records each switch, and whether the thread gave up its CPU or lost it.",
        act: "Sleep instead of spinning next to other threads: a thread that has used up its slice \
              is the first to be preempted. Otherwise, give the thread a CPU of its own or a \
              real-time priority.",
        references: &["perf_event_open(2), PERF_RECORD_MISC_SWITCH_OUT_PREEMPT", WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/throttled"],
        title: Cause::Throttled.words(),
        about: "The process's control group had used up its CPU quota, so none of its threads ran \
                until the next period (100 ms by default).",
        how: "The growth of throttled_usec in cpu.stat (throttled_time in version 1), as far as \
              the thread was ready to run and did not.",
        act: "Raise the quota (cpu.max; limits.cpu in Kubernetes) or remove it, use fewer busy \
              threads in the group, or allow bursts (cpu.max.burst).",
        references: &["Linux Documentation/scheduler/sched-bwc.rst", WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/steal"],
        title: Cause::Steal.words(),
        about: "The thread had its CPU, but the time is missing from its CPU time: the hypervisor \
                ran something else on the processor and reported it, or the kernel accounts for \
                interrupts separately (CONFIG_IRQ_TIME_ACCOUNTING).",
        how: "The time between the recorded switches, less the thread's CPU time \
              (CLOCK_THREAD_CPUTIME_ID).",
        act: "Use dedicated CPUs, or a host with less load. Short exits to the host do not count \
              as steal: see cause/below-kernel.",
        references: &["Linux kernel/sched/core.c, update_rq_clock_task", WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/below-kernel"],
        title: Cause::BelowKernel.words(),
        about: "The thread spun and lost time, although the kernel did not interrupt it: the \
                hypervisor took the CPU, or a system management interrupt of the firmware did. \
                Nothing inside the machine accounts for it.",
        how: "A null selector in ES survives an exit to the hypervisor and a system management \
              interrupt, and no interrupt of the kernel (x86-64 under Linux; tested in each run). \
              Where perf may count them (msr/smi/, Intel, perf_event_paranoid at most 1), the \
              JSON has the number of system management interrupts.",
        act: "In a virtual machine only the host can change it: dedicated CPUs, fewer neighbours. \
              On bare metal, look for power and memory functions in the firmware's setup.",
        references: &["Zhang and others 2024, SegScope, HPCA", WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/return"],
        title: Cause::Return.words(),
        about: "From the switch to the thread until its wait had ended: the kernel's way back to \
                the program, cold caches, and the method's own code. Every wait has it.",
        how: "From the recorded switch to the read of the clock after the wait, up to twice the \
              least of the row and 2 us.",
        act: "Use a method with less code after the system call, and shorter waits, which keep \
              the cache warm.",
        references: &[WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/off-cpu"],
        title: Cause::OffCpu.words(),
        about: "The thread did not run. How much of that was the timer, an idle exit or the run \
                queue is not known on this system.",
        how: "The overshoot itself, or for a spin the time less the thread's CPU time (Windows: \
              QueryThreadCycleTime).",
        act: "On Linux, the sources in the notes separate it: perf_event_paranoid at most 2, and \
              a kernel with CONFIG_SCHED_INFO. On Windows, an event trace of context switches, as \
              an administrator.",
        references: &[WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/on-cpu"],
        title: Cause::OnCpu.words(),
        about: "The thread had its CPU, and more time passed than its code takes. Whether \
                interrupts took it or something below the kernel is not known for this wait.",
        how: "What is left of the time after the switch to the thread. A sleep ends in the \
              kernel, where interrupts leave no trace, and a long spin always meets the kernel's \
              tick.",
        act: "Spins of at most 1 ms (busy methods, --wait 1ms) separate the two on x86-64 under \
              Linux.",
        references: &[WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/stopped"],
        title: Cause::Stopped.words(),
        about: "The whole process was stopped (SIGSTOP, Ctrl-Z, a debugger), or the machine was \
                suspended. It did not wait, so this is a gap and not a sample.",
        how: "SIGCONT is kept pending, and CLOCK_BOOTTIME is compared with CLOCK_MONOTONIC.",
        act: "There is nothing to do in the program: find out who stopped it.",
        references: &[WAITS],
        ..Page::EMPTY
    },
    Page {
        names: &["cause/unknown"],
        title: Cause::Unknown.words(),
        about: "The sources contradict each other for this wait, or a later version of the tool \
                knows a cause that this one does not.",
        how: "The recorded switches leave no room for the overshoot.",
        references: &[WAITS],
        ..Page::EMPTY
    },
];

/// A cause of this share of the lateness dominates it.
const DOMINANT: f64 = 0.5;

/// A row whose late wake-ups one cause dominates.
#[derive(Clone, Copy)]
pub(crate) struct Late<'a> {
    pub(crate) wait: &'a Wait,
    pub(crate) why: &'a Why,
    pub(crate) later: &'a Later,
    cause: Cause,
}

impl Late<'_> {
    /// The mean time that the cause took from one of these wake-ups, in nanoseconds.
    pub(crate) fn mean_ns(&self) -> f64 {
        self.later.mean_ns() * self.later.share(self.cause)
    }

    pub(crate) fn line(&self) -> String {
        let wait = self.wait;
        let asked =
            wait.requested_ns.map_or(String::new(), |ns| format!(" of {}", short_ns(ns as f64)));
        let slack =
            wait.slack_ns.map_or(String::new(), |ns| format!(", slack {}", short_ns(ns as f64)));
        let load = match wait.load {
            Load::None => String::new(),
            load => format!(" next to the {} load", load.name()),
        };
        format!(
            "{}{asked}{slack}{load}: {} of {} later than {}, {} on average, {} of it {}",
            wait.id,
            self.later.waits,
            plural(self.why.all().map_or(0, |all| all.waits), "wake-up", "wake-ups"),
            short_ns(self.later.than_ns as f64),
            short_ns(self.later.mean_ns()),
            percent(self.later.share(self.cause)),
            self.cause.words()
        )
    }
}

/// The rows whose latest wake-ups this cause dominates and delays by more than `least_ns`, the
/// worst first. Rows with too few waits prove nothing.
pub(crate) fn late_by(report: &Report, cause: Cause, least_ns: f64) -> Vec<Late<'_>> {
    const ENOUGH: u64 = 5;
    let rows = report.waits.iter().filter_map(|wait| {
        let why = wait.why.as_ref()?;
        let later = why.tail()?;
        Some(Late { wait, why, later, cause })
    });
    let mut rows: Vec<Late> = rows
        .filter(|late| late.later.waits >= ENOUGH && late.later.share(cause) >= DOMINANT)
        .filter(|late| late.mean_ns() >= least_ns)
        .collect();
    rows.sort_by(|a, b| b.mean_ns().total_cmp(&a.mean_ns()));
    rows
}

pub(crate) fn late_lines(rows: &[Late]) -> Vec<String> {
    const MOST: usize = 3;
    let mut lines: Vec<String> = rows.iter().take(MOST).map(Late::line).collect();
    if let Some(more) = rows.len().checked_sub(MOST).filter(|more| *more > 0) {
        lines.push(plural(more as u64, "more row", "more rows"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_one_page_with_whole_sentences() {
        let ids = Cause::ALL.iter().map(|cause| format!("cause/{}", cause.name()));
        assert!(ids.eq(ALL.iter().map(Page::name)));
        for (page, cause) in ALL.iter().zip(Cause::ALL) {
            assert_eq!(page.title, cause.words());
            for text in [page.about, page.how, page.act] {
                assert!(text.is_empty() || text.ends_with('.'), "{}: {text}", page.name());
            }
        }
        for cause in Cause::ALL {
            let id = format!("cause/{}", cause.name());
            for name in [cause.name(), cause.words(), &format!("Cause/{}", cause.words())] {
                assert_eq!(find(name).map(Page::name), Some(&*id), "{name}");
            }
        }
        assert!(find("cause/").is_none() && find("").is_none());
    }
}
