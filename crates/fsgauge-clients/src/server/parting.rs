//! Parting: clients that are through stay connected until all are, and a moment longer, so that who counts what
//! the server used can do so before its sessions end, which costs it much.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long all stay after the last one is through.
pub(crate) const MOMENT: Duration = Duration::from_millis(300);

/// Opened once, for all.
#[derive(Debug, Default)]
pub(crate) struct Parting {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Parting {
    /// Waits until everybody may go, no longer than `limit`.
    pub(crate) fn wait(&self, limit: Duration) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_timeout_while(is_over, limit, |is_over| !*is_over));
    }

    /// Everybody may go.
    pub(crate) fn open(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_go_when_it_is_opened_and_nobody_waits_for_ever() {
        let parting = Parting::default();
        parting.wait(Duration::from_millis(2));
        std::thread::scope(|scope| {
            let waiting: Vec<_> =
                (0..3).map(|_| scope.spawn(|| parting.wait(Duration::from_secs(600)))).collect();
            parting.open();
            waiting.into_iter().for_each(|thread| thread.join().unwrap());
        });
        parting.wait(Duration::from_secs(600));
    }
}
