//! The clocks of Windows.

pub(crate) mod getsystemtimeasfiletime;
pub(crate) mod getsystemtimepreciseasfiletime;
pub(crate) mod gettickcount64;
pub(crate) mod qpc;
pub(crate) mod queryinterrupttime;
pub(crate) mod queryinterrupttimeprecise;
pub(crate) mod querythreadcycletime;
pub(crate) mod queryunbiasedinterrupttime;
pub(crate) mod rtl_qpc;
pub(crate) mod timegettime;
