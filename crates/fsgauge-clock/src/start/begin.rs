//! The last 50 ms before a start, in every thread that drives the load.

use serde::{Deserialize, Serialize};

use crate::real_time::RealTime;
use crate::time::{now_ns, sleep_until};

/// How long before a start the threads that wait for it are woken.
pub const LEAD_NS: u64 = 60_000_000;

/// How long before the start a thread asks for real-time priority.
const REAL_TIME_NS: u64 = 50_000_000;
/// How long it spins: a sleep of a busy machine ends so late.
const SPIN_NS: u64 = 300_000;

/// When a thread began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrueStart {
    /// By CLOCK_MONOTONIC.
    pub started_at_ns: u64,
    /// Whether it had real-time priority up to then.
    pub real_time: bool,
    /// Whether it spun.
    pub spun: bool,
}

/// Returns when CLOCK_MONOTONIC is `start_at_ns`, as exactly as this machine can. `spin` is for as many threads as
/// there are processors at most: others would be kept from their start.
pub fn begin_at(start_at_ns: u64, spin: bool) -> TrueStart {
    sleep_until(start_at_ns.saturating_sub(REAL_TIME_NS));
    let real_time = RealTime::ask();
    sleep_until(start_at_ns.saturating_sub(if spin { SPIN_NS } else { 0 }));
    while now_ns() < start_at_ns {
        std::hint::spin_loop();
    }
    // Giving up the priority comes after: from then on the thread shares its processors as in the rest of the run, and
    // what it waits for them is told with all other pauses.
    TrueStart { started_at_ns: now_ns(), real_time: real_time.is_some(), spun: spin }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_begins_at_its_moment_and_never_before() {
        for spin in [true, false] {
            let start_at_ns = now_ns() + 2_000_000;
            assert!(begin_at(start_at_ns, spin).started_at_ns >= start_at_ns);
        }
        // A moment that has passed is now.
        assert!(begin_at(0, true).started_at_ns <= now_ns());
    }
}
