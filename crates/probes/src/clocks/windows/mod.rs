//! The clocks of Windows.

clocks! {
    qpc,
    rtl_qpc,
    getsystemtimeasfiletime,
    getsystemtimepreciseasfiletime,
    querythreadcycletime,
    gettickcount64,
    timegettime,
    queryinterrupttime,
    queryinterrupttimeprecise,
    queryunbiasedinterrupttime,
}
