//! Waits that read a clock again and again and never give up the processor, unless they say so.

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
