//! Which of two clocks is wrong, if the kernel saw that they ran apart, and what to do about that.

use super::fault::page;
use crate::reading::{known, linux_version, short, source};
use chronoscope_model::Report;
use chronoscope_model::clock_source;
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::kernel_log::Known;
use chronoscope_model::units::count;

/// What the TSC and the timer that checks it counted between two checks.
pub(super) struct Compared {
    watchdog: String,
    watchdog_ns: f64,
    clock_ns: f64,
    /// How long the watchdog counts before it starts again.
    wraps_ns: Option<f64>,
    /// What both counted in ticks, if the log does not have both rates.
    ticks: Option<[u64; 2]>,
    /// Whether the verdict depends on those rates.
    open: bool,
}

/// A check that comes this late is not rare.
const SOON_NS: f64 = 60e9;

/// Processors of family 6 whose HPET stops in deep idle states, by the model and the least stepping
/// (Linux arch/x86/kernel/early-quirks.c, `force_disable_hpet`; hpet.c, `hpet_is_pc10_damaged`).
const HPET_STOPS: &[(u32, u32, &str)] = &[
    (55, 0, "Bay Trail"),
    (126, 0, "Ice Lake"),
    (140, 0, "Tiger Lake"),
    (142, 10, "Coffee Lake"),
    (158, 10, "Coffee Lake"),
    (165, 0, "Comet Lake"),
    (166, 0, "Comet Lake"),
];

/// The name of this processor, if its HPET stops in deep idle states.
fn hpet_stops(env: &Environment) -> Option<&'static str> {
    let [family, model, stepping] = env.cpu.family_model_stepping()?;
    let is = |it: &&(u32, u32, &str)| family == 6 && it.0 == model && stepping >= it.1;
    (env.cpu.vendor.as_deref() == Some("GenuineIntel") && env.hypervisor.is_none())
        .then(|| HPET_STOPS.iter().find(is).map(|it| it.2))?
}

/// The two intervals that the kernel logged when it gave the TSC up, in nanoseconds. Before Linux
/// 5.13 the log has what both counted, and the rates follow from other lines. If it has not, any
/// rate that such a clock has may be right.
pub(super) fn compared(env: &Environment) -> Option<Compared> {
    known(env).find(|(_, it)| it.proves("tsc-skew", false))?;
    let counted =
        |it: &Known, fields: [&str; 2]| fields.iter().any(|field| it.get(field).is_some());
    let (mut watchdog, mut clock) = (None, None);
    for (_, it) in known(env) {
        let of = |name: &str| it.get(name).unwrap_or_default().to_owned();
        if counted(&it, ["wd_ns", "0xwd_now"]) && it.get("watchdog").is_some() {
            watchdog = Some(it);
        } else if counted(&it, ["cs_ns", "0xcs_now"]) && of("clock").starts_with("tsc") {
            clock = Some(it);
            break;
        }
    }
    let (watchdog, clock) = watchdog.zip(clock)?;
    // A counter may have wrapped in between.
    let ticks = |it: &Known, now: &str, last: &str| {
        let range = it.number("0xmask")? + 1.0;
        Some((it.number(now)? - it.number(last)?).rem_euclid(range))
    };
    // Each interval that it may have been.
    let intervals = |it: &Known, ns: &str, now: &str, last: &str, name: &str| -> Vec<f64> {
        let counted = || ticks(it, now, last).map(|ticks| (ticks, rates(env, name)));
        match (it.number(ns), counted()) {
            (Some(ns), _) => vec![ns],
            (None, Some((ticks, rates))) => rates.iter().map(|hz| ticks / hz * 1e9).collect(),
            (None, None) => Vec::new(),
        }
    };
    let name = watchdog.get("watchdog")?;
    let of_watchdog = intervals(&watchdog, "wd_ns", "0xwd_now", "0xwd_last", name);
    let of_clock = intervals(&clock, "cs_ns", "0xcs_now", "0xcs_last", "tsc");
    // ACPI has timers of 24 and of 32 bits; the kernel uses the lower 24.
    let range = watchdog.number("0xmask").or((name == "acpi_pm").then_some(16_777_215.0));
    let wraps_ns = range.and_then(|mask| Some((mask + 1.0) / hz(env, name)? * 1e9));
    let sane = |ns: &f64| ns.is_finite() && *ns > 0.0;
    let all = of_watchdog.iter().filter(|ns| sane(ns)).flat_map(|watchdog_ns| {
        of_clock.iter().filter(|ns| sane(ns)).map(|clock_ns| Compared {
            watchdog: name.into(),
            watchdog_ns: *watchdog_ns,
            clock_ns: *clock_ns,
            wraps_ns,
            ticks: None,
            open: false,
        })
    });
    let mut all: Vec<Compared> = all.collect();
    if all.len() > 1 {
        let watchdog = ticks(&watchdog, "0xwd_now", "0xwd_last").unwrap_or_default();
        let clock = ticks(&clock, "0xcs_now", "0xcs_last").unwrap_or_default();
        let verdict = all[0].wrong(env);
        // A timer that starts again soon may have done so meanwhile.
        let soon = wraps_ns.is_some_and(|ns| ns < SOON_NS) && verdict == Wrong::Unknown;
        let open = soon || all.iter().any(|it| it.wrong(env) != verdict);
        let first = &mut all[0];
        (first.ticks, first.open) = (Some([clock as u64, watchdog as u64]), open);
    }
    all.into_iter().next()
}

/// The rates that a clock source may have: the one that is known, or those that such clocks have.
fn rates(env: &Environment, name: &str) -> Vec<f64> {
    /// Between those of the slowest and the fastest processors with a 64-bit counter.
    const OF_TSC: [f64; 5] = [0.4e9, 0.8e9, 1.6e9, 3.2e9, 6.5e9];
    match (hz(env, name), name) {
        (Some(hz), _) => vec![hz],
        (None, "tsc") => OF_TSC.to_vec(),
        (None, "hpet") => HPET_HZ.to_vec(),
        // HZ of kernels.
        (None, "jiffies" | "refined-jiffies") => vec![100.0, 250.0, 300.0, 1000.0],
        (None, _) => Vec::new(),
    }
}

/// The rates of the HPETs of chipsets.
const HPET_HZ: [f64; 5] = [14_318_180.0, 19.2e6, 24e6, 25e6, 100e6];

/// The rate of a clock source, by its own nature or by the log.
fn hz(env: &Environment, name: &str) -> Option<f64> {
    let mhz = known(env).filter_map(|(_, known)| Some((known.message.text, known.number("mhz")?)));
    if name.starts_with("tsc") {
        return mhz.filter(|(text, _)| !text.contains("hpet")).last().map(|(_, mhz)| mhz * 1e6);
    }
    if name != "hpet" {
        return clock_source::by_name(name)?.hz;
    }
    let stated = mhz.filter(|(text, _)| text.contains("hpet")).last().map(|(_, mhz)| mhz * 1e6);
    stated.or_else(|| {
        /// The share of a wrap of 32 bits that the kernel dares to sleep: it keeps a reserve for
        /// adjustments (kernel/time/clocksource.c, `clocks_calc_max_nsecs`).
        const SHARE: f64 = 0.445;
        let mut lines = known(env).filter(|(_, it)| it.get("clock") == Some("hpet"));
        let idle_ns = lines.find_map(|(_, known)| known.number("idle_ns"))?;
        let hz = SHARE * 2f64.powi(32) / idle_ns * 1e9;
        HPET_HZ.into_iter().find(|rate| (rate / hz - 1.0).abs() < 0.02)
    })
}

/// What the intervals say.
#[derive(PartialEq, Eq)]
enum Wrong {
    Watchdog,
    Tsc,
    /// The TSC was set to a later value.
    Set,
    /// The check was so late that the watchdog had started again.
    Neither,
    Unknown,
}

impl Compared {
    /// Whether the TSC was compared with the tick interrupt, of which the kernel loses some if it
    /// is kept from running.
    fn by_ticks(&self) -> bool {
        matches!(&*self.watchdog, "jiffies" | "refined-jiffies")
    }

    fn wrong(&self, env: &Environment) -> Wrong {
        /// No oscillator is off by this share: one of the two stood still for a while, or was set.
        const STOOD: f64 = 0.05;
        /// The check is due after half a second.
        const DUE_NS: std::ops::Range<f64> = 0.4e9..0.8e9;
        /// No rate explains that a counter advanced by as much more than the other one.
        const FAR: f64 = 100.0;
        if self.open {
            return Wrong::Unknown;
        }
        let ratio = self.clock_ns / self.watchdog_ns;
        if self.by_ticks() && ratio > 1.0 {
            return Wrong::Watchdog;
        }
        let missing_ns = self.clock_ns - self.watchdog_ns;
        let starts = self.wraps_ns.map_or(0.0, |ns| (missing_ns / ns).round());
        let left_ns = missing_ns - starts * self.wraps_ns.unwrap_or_default();
        if (1.0..8.0).contains(&starts) && left_ns.abs() < 0.01 * self.clock_ns {
            return Wrong::Neither;
        }
        if starts >= 1.0 && self.watchdog == "acpi_pm" {
            return Wrong::Unknown;
        }
        let pc10 = self.watchdog == "hpet" && hpet_stops(env).is_some();
        let due = DUE_NS.contains(&self.watchdog_ns) || (ratio > FAR && self.watchdog_ns < 1e9);
        if ratio > 4.0 && due && env.hypervisor.is_none() && !pc10 {
            return Wrong::Set;
        }
        // A virtual machine that was paused stops one of them, or both, as the host likes.
        match ratio {
            _ if env.hypervisor.is_some() => Wrong::Unknown,
            _ if ratio > 1.0 + STOOD => Wrong::Watchdog,
            _ if ratio < 1.0 - STOOD => Wrong::Tsc,
            _ => Wrong::Unknown,
        }
    }

    /// What they counted, and which of the two is wrong, in lines of evidence.
    pub(super) fn words(&self, env: &Environment) -> Vec<String> {
        let Self { watchdog, watchdog_ns, clock_ns, .. } = self;
        let [tsc, other] = [clock_ns, watchdog_ns].map(|ns| short(ns.round()));
        let ratio = clock_ns / watchdog_ns;
        let by = match (ratio - 1.0).abs() {
            off if off < 0.05 => format!("{:+.0} ppm", (ratio - 1.0) * 1e6),
            _ => format!("{ratio:.1} times as much"),
        };
        let seen = match self.ticks {
            Some([tsc, other]) => format!(
                "between two checks the TSC counted {} and the {watchdog} {}; the log does not \
                 have both rates (`tsc: Detected … MHz` in its first lines)",
                count(tsc),
                count(other)
            ),
            None => format!(
                "between two checks the TSC advanced by {tsc} and the {watchdog} by {other}: {by}"
            ),
        };
        if self.open {
            let judged = match self.wraps_ns.filter(|ns| *ns < SOON_NS).map(|ns| short(ns.round()))
            {
                Some(wraps) => format!(
                    "it does not say which of the two was wrong: the {watchdog} starts again every \
                     {wraps}, so a check that came late looks the same"
                ),
                None if self.by_ticks() => "it does not say which of the two was wrong, but the \
                                            kernel had no better timer than its tick interrupt to \
                                            check the TSC with, and loses some of those"
                    .into(),
                None => "it does not say which of the two was wrong".into(),
            };
            return vec![seen, judged];
        }
        let invariant = env.tsc.as_ref().is_some_and(|tsc| tsc.kind == TscKind::Invariant);
        let judged = match (self.wrong(env), hpet_stops(env)) {
            (Wrong::Watchdog, _) if self.by_ticks() => {
                "the tick interrupt is at fault: the kernel lost some of them, and had no better \
                 timer to check the TSC with"
                    .into()
            }
            (Wrong::Watchdog, Some(name)) if watchdog == "hpet" => format!(
                "the HPET is at fault: on {name} it stops in the package idle state PC10, and the \
                 TSC is sound"
            ),
            (Wrong::Watchdog, _) => format!("the {watchdog} lost time; a TSC does not gain any"),
            (Wrong::Tsc, _) => "the TSC lost time: the firmware set it, or it stood still".into(),
            (Wrong::Set, _) => format!(
                "the check was on time by the {watchdog}, so something set the TSC to a later value"
            ),
            (Wrong::Neither, _) => {
                let wraps = short(self.wraps_ns.unwrap_or_default().round());
                format!(
                    "neither is wrong: the {watchdog} starts again every {wraps}, and the check, \
                     which is due after 500 ms, came {tsc} after the one before"
                )
            }
            (Wrong::Unknown, _) if env.hypervisor.is_some() => {
                "a virtual machine that was paused looks the same, so the log does not say which \
                 of the two was wrong"
                    .into()
            }
            (Wrong::Unknown, _) if invariant => format!(
                "the log does not say which of the two is off; the TSC is invariant, so the \
                 {watchdog} is the likelier one"
            ),
            (Wrong::Unknown, _) => "the log does not say which of the two is off".into(),
        };
        vec![seen, judged]
    }
}

/// What to do about two clocks that ran apart.
pub(super) fn fix(report: &Report, compared: Option<&Compared>) -> String {
    let env = &report.environment;
    let watchdog = compared.map_or("other timer", |it| it.watchdog.as_str());
    let xen = source(env) == Some("xen");
    if xen || env.hypervisor.as_ref().is_some_and(|it| it.name.contains("Xen")) {
        return page("tsc-skew/xen").act.into();
    }
    if compared.is_some_and(Compared::by_ticks) {
        let give = match (&env.hypervisor, &env.cpu.vendor) {
            (Some(_), _) => "Give the guest",
            (None, None) => "Give the machine",
            (None, Some(_)) => "In the firmware's setup, switch on",
        };
        let until = match env.unchecked_tsc() {
            Some(told) => {
                format!("`{told}`, which is set, has no effect on tsc-early in Linux 4.19.")
            }
            None => keep_unchecked(env).map_or_else(String::new, |ways| {
                format!("Until then {ways} keeps the TSC, which need not be wrong.")
            }),
        };
        return format!(
            "{give} an HPET or an ACPI timer, with which the kernel can check the TSC. {until}"
        );
    }
    if let Some(act) = by_design(report) {
        return act.into();
    }
    match (compared.map(|it| it.wrong(env)), hpet_stops(env)) {
        // From 5.15 on the kernel looks for PC10 by itself, but not if the firmware hides it.
        (Some(Wrong::Watchdog), Some(_))
            if watchdog == "hpet" && linux_version(env).is_some_and(|it| it >= (5, 15)) =>
        {
            page("tsc-skew/hpet-of-5.15").act.into()
        }
        (Some(Wrong::Watchdog), Some(_)) if watchdog == "hpet" => page("tsc-skew/hpet").act.into(),
        (Some(Wrong::Watchdog), _) => format!(
            "Let the kernel check the TSC with another timer, or not at all: {}. Compare with NTP \
             first.",
            without(env, watchdog)
        ),
        (Some(Wrong::Neither), _) => format!(
            "The machine did not run the kernel for that long: look for pauses (the host, a \
             debugger, interrupts that are off). A restart brings the TSC back, and an HPET in \
             place of the {watchdog} survives such pauses."
        ),
        (Some(Wrong::Set), _) => page("tsc-skew/set").act.into(),
        (Some(Wrong::Tsc), _) => page("tsc-skew/tsc").act.into(),
        _ if env.hypervisor.is_some() => page("tsc-skew/guest").act.into(),
        _ => format!(
            "{}Compare the clock with NTP or `chronoscope trust`. If the TSC is wrong, only the \
             firmware can mend it; until then live with the slower clock. If the TSC is right, the \
             {watchdog} is at fault: {}.",
            maybe_paused(env),
            without(env, watchdog)
        ),
    }
}

/// What to ask first if nothing says whether this is a virtual machine.
fn maybe_paused(env: &Environment) -> &'static str {
    match env.cpu.vendor {
        None => {
            "If this is a virtual machine, ask first whether it, or its host, was paused then. "
        }
        Some(_) => "",
    }
}

/// The parameters with which this kernel does not check the TSC; `None` if one is set.
pub(super) fn keep_unchecked(env: &Environment) -> Option<&'static str> {
    if env.unchecked_tsc().is_some() {
        return None;
    }
    Some(match linux_version(env) {
        None => "`tsc=nowatchdog` (Linux 5.10) or `tsc=reliable`",
        Some(version) if version < (5, 10) => "`tsc=reliable`",
        Some(_) => "`tsc=nowatchdog` or `tsc=reliable`",
    })
}

/// What to do about a TSC that the kernel gave up by design, if it did.
pub(super) fn by_design(report: &Report) -> Option<&'static str> {
    let mut lines = known(&report.environment);
    let given_up = lines.find(|(_, it)| it.proves("tsc-given-up", false))?.1.message;
    Some(if given_up.act.is_empty() { "Nothing has to be done." } else { given_up.act })
}

/// The parameters that keep this timer from checking the TSC.
fn without(env: &Environment, watchdog: &str) -> String {
    let set = |word: &str| env.parameters.iter().any(|it| it == word);
    if let Some(told) = env.unchecked_tsc() {
        return format!(
            "`{told}` is set and did not keep the kernel from checking (Linux 4.19 checks \
             tsc-early all the same), so let it have a better timer, such as an HPET"
        );
    }
    let mut ways: Vec<&str> = keep_unchecked(env).into_iter().collect();
    if watchdog == "hpet" && !set("hpet=disable") && !set("nohpet") {
        ways.push("`hpet=disable`, so that another timer is used");
    }
    ways.join(", or ")
}

/// What to do about counters that differ from CPU to CPU.
pub(super) fn fix_of_warp(report: &Report) -> String {
    let env = &report.environment;
    if env.hypervisor.is_some() {
        return "Have the host's TSC checked; its firmware must start all counters together."
            .into();
    }
    let mut fix = match env.cpu.vendor {
        None => "If this is a virtual machine, have the host's TSC checked. Otherwise update ",
        Some(_) => "Update ",
    }
    .to_owned();
    fix += "the firmware: it must start the counters of all CPUs together";
    let has_adjust = env.tsc.as_ref().is_none_or(|tsc| tsc.tsc_adjust);
    fix += if has_adjust { " and leave IA32_TSC_ADJUST alone." } else { "." };
    fix += " After that, or where there is no update, try a cold start (power off).";
    if env.cpu.vendor.as_deref() == Some("AuthenticAMD") && !has_adjust {
        fix += " This processor has no IA32_TSC_ADJUST, so the kernel cannot repair it.";
    }
    fix + &ineffective(env)
}

/// Parameters that are set and do nothing for a TSC that was given up, as sentences.
fn ineffective(env: &Environment) -> String {
    /// Values of `tsc=` (Linux Documentation/admin-guide/kernel-parameters.txt).
    const KNOWN: [&str; 6] =
        ["reliable", "noirqtime", "unstable", "nowatchdog", "recalibrate", "watchdog"];
    let words = env.parameters.iter().filter_map(|word| {
        let (name, value) = word.split_once('=')?;
        match name {
            "clocksource" if value == "tsc" => Some(format!(
                " `{word}` on the command line has no effect: a TSC that is unstable cannot be \
                 forced."
            )),
            "tsc" if !value.split(',').all(|value| KNOWN.contains(&value)) => Some(format!(
                " `{word}` on the command line has no effect: Linux has no such value unless it is \
                 patched."
            )),
            _ => None,
        }
    });
    words.collect()
}
