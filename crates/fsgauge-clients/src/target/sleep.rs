//! Sleeping, until a signal.

use std::time::Duration;

use fsgauge_net::LONGEST_WAIT;
use rustix::thread::nanosleep;
use rustix::time::Timespec;

/// Sleeps for `limit`, or until a signal comes.
pub(super) fn sleep(limit: Duration) {
    let limit = limit.min(LONGEST_WAIT);
    if !limit.is_zero() {
        let _ = nanosleep(&Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() });
    }
}
