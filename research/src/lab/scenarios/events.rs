//! What happens to a machine while the tool runs.

use super::super::scenario::{
    Host, INTEL, Machine, Place, SCENARIO, SOURCE, Scenario, WATCH, during, evident, happens,
    measured,
};

/// A machine that is stopped for five seconds as soon as the tool starts. Before that, it must have
/// had the time to write its clock to the real-time clock, as the kernel does in the first seconds
/// in which it is synchronised (kernel/time/ntp.c, `sync_hw_clock`): later, that would hide the
/// stop.
const STOPPED: Place = Place::Machine(Machine {
    host: Host::Pause(5),
    before: "sleep 4",
    during: "echo '@@ watching' >&3",
    ..INTEL
});

scenarios! {
    "cpu-offline" during(
            "sleep 3\n\
             echo 0 > /sys/devices/system/cpu/cpu1/online\n\
             cat /sys/devices/system/cpu/online",
        ) =>
        "CPU 1 is taken offline during the run",
        proof "cat /sys/devices/system/cpu/online" => "0-1\n0\n",
        finds: &[evident("changed-during-run", "warning", &["CPU"])];
    "suspended" during(
            "sleep 3\n\
             echo +10 > /sys/class/rtc/rtc0/wakealarm\n\
             echo mem > /sys/power/state && echo resumed",
        ) =>
        "the machine suspends to memory during the run, until its real-time clock wakes it \
         after ten seconds",
        proof "" => "resumed",
        finds: &[measured("suspended", "warning", &["CLOCK_BOOTTIME advanced"])],
        may: &["vm-paused", "clock-stepped"];
    "frozen" happens(Host::Freeze(3)) =>
        "the emulator is stopped for three seconds, and the machine's clocks go on, as on \
         a host that suspends or overcommits its CPUs: from inside, nothing shows whether \
         a debugger held the process",
        proof SOURCE => "tsc",
        run: WATCH;
    "paused" happens(Host::Pause(5)) =>
        "the machine is stopped for five seconds with its clocks, except its real-time \
         clock",
        proof SOURCE => "tsc",
        run: WATCH,
        finds: &[measured("vm-paused", "warning", &["linux/rtc advanced by"])];
    "behind" STOPPED =>
        "the machine is stopped for five seconds before the tool looks, so that its wall clock is \
         behind the host's",
        proof SOURCE => "tsc",
        finds: &[measured(
            "guest-behind",
            "warning",
            &["behind rtc:/dev/rtc0", "nothing has set it since the kernel did when it booted"],
        )],
        may: &["vm-paused"];
    "restored" happens(Host::Restore { seconds: 5, skewed: None }) =>
        "the machine is saved, ended, and restored by another emulator five seconds later",
        proof SOURCE => "tsc",
        // Debian's kernel for clouds has no driver for the generation id, which would tell a
        // restore from a pause.
        run: WATCH,
        finds: &[measured("vm-paused", "warning", &["linux/rtc advanced by"])];
}
