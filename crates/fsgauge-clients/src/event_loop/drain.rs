//! The end of the time: requests made by then are carried out and count until they are answered.
//!
//! With a server or io_uring, a lane waits for its answer. With plain calls it may also wait for the loop, which is in
//! another lane's call: its request was made all the same, and a call that stalls at the end is in the response time
//! of all of them. Each lane counts until its own answer: one late answer does not make the others idle.

use std::io;
use std::time::Duration;

use fsgauge_net::Target;
use fsgauge_wire::Ended;

use super::{EventLoop, WAIT_LIMIT_NS};

/// How long answers are waited for after the time limit, and after an interrupt.
pub(super) const DRAIN_LIMIT_NS: u64 = 60_000_000_000;
const INTERRUPTED_DRAIN_LIMIT_NS: u64 = 200_000_000;

/// What was answered after the time was up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Drained {
    /// Operations.
    pub(crate) operations: u64,
    /// From the end of the time to each lane's answer, all lanes together.
    pub(crate) lanes_ns: u64,
    /// To the last answer.
    pub(crate) elapsed_ns: u64,
    /// Operations that were given up without an answer.
    pub(crate) unanswered: u64,
}

impl<T: Target> EventLoop<'_, T> {
    /// A server has only so long for answers after the time limit.
    pub(crate) fn drains_within(&mut self, limit: Duration) {
        self.drain_limit_ns = DRAIN_LIMIT_NS.min(limit.as_nanos() as u64);
    }

    /// Carries out the requests made before the end; after an interrupt, takes only the answers that come within a moment.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        let Some(ended) = self.ended else { return Ok(()) };
        let mut limit_ns = self.drain_limit_ns;
        if ended == Ended::Interrupted {
            self.interrupted();
            self.ready.clear();
            limit_ns = INTERRUPTED_DRAIN_LIMIT_NS;
        }
        self.target.time_is_up();
        let mut until_ns = self.context.clock.now_ns() + limit_ns;
        while (self.pending > 0 || !self.ready.is_empty()) && self.has_time(&mut until_ns) {
            for _ in 0..self.ready.len() {
                if let Some(lane) = self.ready.pop_front() {
                    self.start(lane);
                }
            }
            if self.pending > 0 {
                self.take_answers(if self.ready.is_empty() { WAIT_LIMIT_NS } else { 0 })?;
            }
        }
        self.drained.unanswered = u64::from(self.pending);
        Ok(())
    }

    /// Whether the time is up and answers still count.
    #[inline]
    pub(super) fn is_draining(&self) -> bool {
        self.ended.is_some() && !self.is_cleaning_up
    }

    /// A lane has its last answer, or gets none: its time ends here.
    pub(super) fn lane_ended(&mut self, lane: u32, at_ns: u64) {
        let times = &mut self.times[lane as usize];
        self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        times.since_ns = u64::MAX;
        let late_ns = at_ns.saturating_sub(self.time_up_ns);
        self.drained.lanes_ns += late_ns;
        self.drained.elapsed_ns = self.drained.elapsed_ns.max(late_ns);
    }
}
