//! Tidying up after the end: what clients have open is closed, and what a mix has just begun is removed.

use std::io;

use fsgauge_net::Target;
use fsgauge_wire::Ended;

use super::{EventLoop, WAIT_LIMIT_NS};

/// How long it may take after the time limit, and after an interrupt.
const TIDY_LIMIT_NS: u64 = 5_000_000_000;
const INTERRUPTED_TIDY_LIMIT_NS: u64 = 200_000_000;

impl<T: Target> EventLoop<'_, T> {
    /// After the end: takes answers that came too late to count, closes what is open and removes what a mix has just
    /// begun. Nothing of it is counted.
    pub(super) fn tidy_up(&mut self) -> io::Result<()> {
        let limit_ns =
            if self.ended == Some(Ended::Interrupted) { INTERRUPTED_TIDY_LIMIT_NS } else { TIDY_LIMIT_NS };
        let mut until_ns = self.around.clock.now_ns() + limit_ns;
        let mut lanes = (0..self.lanes.len()).filter(|lane| !self.lanes[*lane].is_idle());
        if self.pending == 0 && lanes.next().is_none() {
            return Ok(());
        }
        while self.pending > 0 && self.has_time(&mut until_ns) {
            self.take_answers(WAIT_LIMIT_NS)?;
        }
        if self.pending > 0 {
            return Ok(());
        }
        for lane in 0..self.lanes.len() {
            self.lanes[lane].abandon();
            while !self.lanes[lane].is_idle() && self.has_time(&mut until_ns) {
                self.start(lane as u32);
                while self.pending > 0 && self.has_time(&mut until_ns) {
                    self.take_answers(WAIT_LIMIT_NS)?;
                }
            }
        }
        Ok(())
    }

    /// Whether there is time to tidy up; once it is to stop, only a little.
    pub(super) fn has_time(&self, until_ns: &mut u64) -> bool {
        let now_ns = self.around.clock.now_ns();
        if self.around.stop.is_set() {
            *until_ns = (*until_ns).min(now_ns + INTERRUPTED_TIDY_LIMIT_NS);
        }
        now_ns < *until_ns
    }
}
