//! Where those that write meet at the stonewall, as IO500 has it: when the time is up, each goes on until it has done as
//! much as the one that had done most then.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fsgauge_wire::Stop;

/// A run lasts so many times its limit at most, with what is done beyond the stonewall.
pub const WEAR_OUT_TIMES: u64 = 10;
/// How long calls may last that were made before the stonewall.
const LONGEST_CALL: Duration = Duration::from_secs(60);
/// The longest wait; then the stop flag is checked.
const LOOK: Duration = Duration::from_millis(20);

/// The stonewall as one job of a load has it, whose writes are of one size.
#[derive(Debug)]
pub(crate) struct Stonewall {
    pub(crate) meeting: Arc<WearOut>,
    pub(crate) write_bytes: u64,
}

/// Where the threads of a run meet.
#[derive(Debug)]
pub struct WearOut {
    threads: u32,
    /// Threads that have come, and the most that one of them has done.
    come: Mutex<(u32, u64)>,
    changed: Condvar,
}

impl WearOut {
    /// Of so many threads.
    pub fn new(threads: u32) -> Self {
        WearOut { threads, come: Mutex::default(), changed: Condvar::new() }
    }

    /// A thread has come, or needs to come no more: the most that it has done is `most`.
    pub fn come(&self, most: u64) {
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        *come = (come.0 + 1, come.1.max(most));
        self.changed.notify_all();
    }

    /// Waits for all threads, as long as calls may last that were made before the stonewall; gives the most of all.
    pub fn most(&self, stop: &Stop) -> u64 {
        let until = Instant::now() + LONGEST_CALL;
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        while come.0 < self.threads && !stop.is_set() && Instant::now() < until {
            let waited = self.changed.wait_timeout(come, LOOK);
            come = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        come.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_learn_the_most_of_all() {
        let wear_out = WearOut::new(3);
        std::thread::scope(|scope| {
            let threads = [4, 9, 2].map(|most| {
                let wear_out = &wear_out;
                scope.spawn(move || {
                    wear_out.come(most);
                    wear_out.most(&Stop::never())
                })
            });
            threads.into_iter().for_each(|each| assert_eq!(each.join().unwrap(), 9));
        });
    }

    #[test]
    fn a_stop_ends_the_wait_for_others() {
        let (wear_out, stop) = (WearOut::new(2), Stop::new());
        stop.set();
        wear_out.come(1);
        assert_eq!(wear_out.most(&stop), 1);
    }
}
