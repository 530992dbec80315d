//! Boards with Arm's processors.

use super::super::scenario::{INTEL, Machine, Place, RASPBERRY, SCENARIO, Scenario, VIRT, evident};

/// A machine on one of these boards.
const ARM: Machine =
    Machine { board: &VIRT, cpu: &["-cpu", "cortex-a72", "-smp", "2"], append: "", ..INTEL };

const MODEL: &str = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource\n\
                     tr -d '\\0' < /proc/device-tree/model";

scenarios! {
    "arm-virt" Place::Machine(ARM) =>
        "nothing: two Cortex-A72 with the architecture's counter",
        proof MODEL => "arch_sys_counter\n";
    "arm-erratum" Place::Machine(Machine { timer: "fsl,erratum-a008585", ..ARM }) =>
        "a device tree with `fsl,erratum-a008585`: the kernel works around a counter that \
         sometimes reads wrong values",
        proof "dmesg" => "workaround for Freescale erratum",
        finds: &[evident("arm-counter-erratum", "info", &["workaround for Freescale erratum"])],
        // The workaround takes the counter from programs and from the vDSO, and QEMU takes 0.1 ms
        // for each of the traps, which a sleep needs several of.
        may: &["clock-not-in-vdso", "coarse-tick"];
    "raspberry-pi-3" Place::Machine(Machine { board: &RASPBERRY, cpu: &[], ..ARM }) =>
        "nothing: a Raspberry Pi 3, whose counter runs at 62.5 MHz in QEMU",
        proof MODEL => "Raspberry Pi 3 Model B";
}
