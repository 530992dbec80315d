//! Waits that read a clock again and again and do not give up the CPU, unless their text says so.

waits! {
    tsc,
    tsc_bare,
    cntvct,
    qpc,
    monotonic,
    instant,
    tpause,
    umwait,
    wfe,
    wfet,
    sched_yield,
}
