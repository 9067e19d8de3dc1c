//! Time that costs next to nothing to know.

use rustix::time::{ClockId, clock_gettime};

/// Milliseconds of a monotonic clock; some milliseconds old.
#[inline]
pub(crate) fn coarse_ms() -> u64 {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}
