//! The limit on clients that connect at the same time, over all threads.
//!
//! A server queues connections that it has not accepted yet (Samba: 50). The kernel drops further ones and retries a
//! second later, which would be measured as the server's latency.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Below the listen backlog of Samba (50) and of ganesha.
const CONNECTING_LIMIT: u32 = 32;

/// A semaphore.
#[derive(Debug)]
pub(crate) struct ConnectLimit {
    free: Mutex<u32>,
    changed: Condvar,
}

impl ConnectLimit {
    pub(crate) fn new() -> Self {
        ConnectLimit { free: Mutex::new(CONNECTING_LIMIT), changed: Condvar::new() }
    }

    /// Takes a place, within `limit`; false when none was free.
    pub(crate) fn acquire(&self, limit: Duration) -> bool {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(free, limit, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_free = *free > 0;
        *free -= u32::from(is_free);
        is_free
    }

    /// Gives a place back: a client is connected, or was refused.
    pub(crate) fn release(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_above_the_limit_waits_for_a_release() {
        let limit = ConnectLimit::new();
        assert!((0..CONNECTING_LIMIT).all(|_| limit.acquire(Duration::ZERO)));
        assert!(!limit.acquire(Duration::ZERO) && !limit.acquire(Duration::from_millis(2)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| limit.acquire(Duration::from_secs(20)));
            limit.release();
            assert!(waiting.join().unwrap());
        });
        assert!(!limit.acquire(Duration::ZERO));
    }
}
