//! The clocks of Mach.

pub(crate) mod absolute_time;
pub(crate) mod approximate_time;
pub(crate) mod clock_get_time_calendar;
pub(crate) mod clock_get_time_system;
pub(crate) mod continuous_time;
