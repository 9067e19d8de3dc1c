//! The gate: only so many clients of all threads are on their way in at a time.
//!
//! A server keeps connections that it has not accepted yet in a queue of, for Samba, 50; what comes beyond is
//! dropped and tried again a second later, which would be measured as the server's own slowness.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Below the listen backlog of Samba (50) and of ganesha.
const AT_A_TIME: u32 = 32;

/// Counts who is on the way in.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Mutex<u32>,
    changed: Condvar,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Gate { free: Mutex::new(AT_A_TIME), changed: Condvar::new() }
    }

    /// Whether one more may go in, within `limit`.
    pub(crate) fn enter(&self, limit: Duration) -> bool {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(free, limit, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let may_go = *free > 0;
        *free -= u32::from(may_go);
        may_go
    }

    /// One is in, or was refused.
    pub(crate) fn leave(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_too_much_waits_for_one_to_leave() {
        let gate = Gate::new();
        assert!((0..AT_A_TIME).all(|_| gate.enter(Duration::ZERO)));
        assert!(!gate.enter(Duration::ZERO) && !gate.enter(Duration::from_millis(2)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.enter(Duration::from_secs(20)));
            gate.leave();
            assert!(waiting.join().unwrap());
        });
        assert!(!gate.enter(Duration::ZERO));
    }
}
