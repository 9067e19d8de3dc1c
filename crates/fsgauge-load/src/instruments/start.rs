//! The start: a moment that all threads of a run know before it comes.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::Clock;

/// The starting line: threads wait here until all of them are ready.
#[derive(Debug, Default)]
pub struct Start {
    zero_ns: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Start {
    /// Starts all threads; the run's first moment is `zero_ns`.
    pub fn give(&self, zero_ns: u64) {
        *self.zero_ns.lock().unwrap_or_else(PoisonError::into_inner) = Some(zero_ns);
        self.changed.notify_all();
    }

    /// Waits for the start, and then for its moment.
    pub fn wait(&self, clock: &Clock) -> u64 {
        let given = self.zero_ns.lock().unwrap_or_else(PoisonError::into_inner);
        let given = self.changed.wait_while(given, |zero_ns| zero_ns.is_none());
        let zero_ns = given.unwrap_or_else(PoisonError::into_inner).unwrap_or(0);
        std::thread::sleep(Duration::from_nanos(zero_ns.saturating_sub(clock.now_ns())));
        zero_ns
    }
}
