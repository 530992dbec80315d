//! A clock for governor's rate limiters.

use chronoscope::Steady;
use governor::clock::{Clock, ReasonablyRealtime};
use governor::nanos::Nanos;

/// [`Steady`] as the clock of a rate limiter: nanoseconds that never go back, also between the
/// threads that share a limiter, at the cost of an ordered read of the counter.
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
