//! The disconnect barrier: clients stay connected until all have finished, and a moment longer, so that the server's
//! CPU time can be read before its sessions close, which is expensive.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long all stay connected after the last one has finished.
pub(crate) const DISCONNECT_DELAY: Duration = Duration::from_millis(300);

/// Opened once, for all.
#[derive(Debug, Default)]
pub(crate) struct DisconnectBarrier {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl DisconnectBarrier {
    /// Waits until it is opened, at most `limit`.
    pub(crate) fn wait(&self, limit: Duration) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_timeout_while(is_over, limit, |is_over| !*is_over));
    }

    /// Lets all disconnect.
    pub(crate) fn open(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_leave_when_it_is_opened_or_the_limit_has_passed() {
        let disconnects = DisconnectBarrier::default();
        disconnects.wait(Duration::from_millis(2));
        std::thread::scope(|scope| {
            let waiting: Vec<_> =
                (0..3).map(|_| scope.spawn(|| disconnects.wait(Duration::from_secs(600)))).collect();
            disconnects.open();
            waiting.into_iter().for_each(|thread| thread.join().unwrap());
        });
        disconnects.wait(Duration::from_secs(600));
    }
}
