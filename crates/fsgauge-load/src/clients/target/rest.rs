//! A wait for nothing but time.

use std::time::Duration;

use rustix::thread::nanosleep;
use rustix::time::Timespec;

/// No wait is longer: the caller looks at its clock and waits again.
pub(super) const LONGEST: Duration = Duration::from_secs(3600);

/// Sleeps for `limit`, or until a signal comes.
pub(super) fn rest(limit: Duration) {
    let limit = limit.min(LONGEST);
    if !limit.is_zero() {
        let _ = nanosleep(&Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() });
    }
}
