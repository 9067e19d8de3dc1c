//! Cleaning up after the end: open files are closed, and files that a mix has just begun are removed.

use std::io;

use fsgauge_net::Target;
use fsgauge_wire::Ended;

use super::{EventLoop, WAIT_LIMIT_NS};

/// How long it may take after the time limit, and after an interrupt.
const CLEAN_UP_LIMIT_NS: u64 = 5_000_000_000;
const INTERRUPTED_CLEAN_UP_LIMIT_NS: u64 = 200_000_000;

impl<T: Target> EventLoop<'_, T> {
    /// Takes answers that came too late to count, closes open files and removes files that a mix has just begun.
    /// None of it is counted.
    pub(super) fn clean_up(&mut self) -> io::Result<()> {
        let limit_ns = if self.ended == Some(Ended::Interrupted) {
            INTERRUPTED_CLEAN_UP_LIMIT_NS
        } else {
            CLEAN_UP_LIMIT_NS
        };
        let mut until_ns = self.context.clock.now_ns() + limit_ns;
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

    /// Whether there is time left to clean up; after a stop request, only a little.
    pub(super) fn has_time(&self, until_ns: &mut u64) -> bool {
        let now_ns = self.context.clock.now_ns();
        if self.context.stop.is_set() {
            *until_ns = (*until_ns).min(now_ns + INTERRUPTED_CLEAN_UP_LIMIT_NS);
        }
        now_ns < *until_ns
    }
}
