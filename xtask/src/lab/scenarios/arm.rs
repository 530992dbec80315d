//! Boards with Arm's processors.

use super::super::scenario::{INTEL, Machine, Place, RASPBERRY, SCENARIO, Scenario, VIRT, evident};

/// A machine on one of these boards.
const ARM: Machine =
    Machine { board: &VIRT, cpu: &["-cpu", "cortex-a72", "-smp", "2"], append: "", ..INTEL };

/// What the kernel found.
const MODEL: &str = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource\n\
                     tr -d '\\0' < /proc/device-tree/model";

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "arm-virt",
        plants: "nothing: two Cortex-A72 with the architecture's counter",
        place: Place::Machine(ARM),
        proof: MODEL,
        proves: "arch_sys_counter\n",
        ..SCENARIO
    },
    Scenario {
        name: "arm-erratum",
        plants: "a device tree with `fsl,erratum-a008585`: the kernel works around a counter that \
                 sometimes reads wrong values",
        place: Place::Machine(Machine { timer: "fsl,erratum-a008585", ..ARM }),
        proof: "dmesg",
        proves: "workaround for Freescale erratum",
        finds: &[evident("arm-counter-erratum", "info", &["workaround for Freescale erratum"])],
        // The workaround takes the counter from programs and from the vDSO, and QEMU takes 0.1 ms
        // for each of the traps, which a sleep needs several of.
        may: &["clock-not-in-vdso", "coarse-tick"],
        ..SCENARIO
    },
    Scenario {
        name: "raspberry-pi-3",
        plants: "nothing: a Raspberry Pi 3, whose counter runs at 62.5 MHz in QEMU",
        place: Place::Machine(Machine { board: &RASPBERRY, cpu: &[], ..ARM }),
        proof: MODEL,
        proves: "Raspberry Pi 3 Model B",
        ..SCENARIO
    },
];
