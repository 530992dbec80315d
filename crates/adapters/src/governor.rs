//! A clock for governor's rate limiters.

use chronoscope::Steady;
use governor::clock::{Clock, ReasonablyRealtime};
use governor::nanos::Nanos;

/// [`Steady`] as the clock of a rate limiter: nanoseconds that never go back, at the cost of the
/// counter.
///
/// It is the same for every thread, except that a thread may read it up to some hundred nanoseconds
/// early (see [`Clock::now`](chronoscope::Clock::now)). A limiter then allows a request that much
/// too late, never too early.
///
/// ```
/// use chronoscope_adapters::governor::SteadyClock;
/// use governor::{Quota, RateLimiter};
/// use std::num::NonZeroU32;
/// let quota = Quota::per_second(NonZeroU32::MIN);
/// let limiter = RateLimiter::direct_with_clock(quota, SteadyClock);
/// assert!(limiter.check().is_ok());
/// assert!(limiter.check().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SteadyClock;

impl Clock for SteadyClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::new(Steady::now())
    }
}

/// Lets tasks wait for a limiter, as in `until_ready`.
impl ReasonablyRealtime for SteadyClock {}
