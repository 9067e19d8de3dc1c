//! Submitting: operations are prepared, stamped and handed to the queue.

use std::time::Duration;

use fsgauge_wire::Failure;

use super::{JobLoop, enter_failure};
use crate::pace::{BACKLOG_LIMIT_NS, Pace};
use crate::pattern::Order;
use crate::queue::Queue;
use crate::slots::Slot;

/// A paced wait sleeps up to this long before the next start, and polls the rest: waking up takes time.
const POLL_NS: u64 = 20_000;

impl<Q: Queue, O: Order, P: Pace> JobLoop<'_, Q, O, P> {
    /// Prepares as many operations as are due, free and allowed in one batch. Gives their number.
    #[inline]
    pub(super) fn fill(&mut self) -> usize {
        let room = self.slots.free_count().min(self.setup.batch as usize);
        if P::PACED {
            self.now_ns = self.setup.clock.now_ns();
            if room > 0 {
                self.pace.has_room(self.now_ns);
            }
            if P::OPEN {
                self.drop_backlog();
            }
        }
        for taken in 0..room {
            if self.is_held() || (P::PACED && self.pace.due_ns() > self.now_ns) {
                return taken;
            }
            let operation = self.pattern.next();
            self.remaining_bytes = self.remaining_bytes.saturating_sub(u64::from(operation.size_bytes));
            let index = self.slots.take(Slot::new(&operation, self.pace.due_ns()));
            if operation.write {
                self.writes_left -= 1;
                self.buffers.refresh(index, &operation);
            }
            self.queue.push(index, &operation, self.buffers.address(index, operation.write));
            self.pace.advance();
        }
        room
    }

    /// Drops operations that are overdue beyond the limit of the backlog.
    fn drop_backlog(&mut self) {
        while self.pace.due_ns() + BACKLOG_LIMIT_NS < self.now_ns {
            self.backlog_dropped += 1;
            self.pace.advance();
        }
    }

    /// Stamps and submits the prepared operations, and waits if there is nothing else to do.
    #[inline]
    pub(super) fn enter(&mut self, taken: usize, start_ns: u64) -> Result<(), Failure> {
        self.slots.stamp_taken(taken, start_ns);
        self.integrate(start_ns);
        self.in_flight += taken as u32;
        let is_full = self.slots.free_count() == 0 || self.is_held();
        let entered = if P::PACED && taken == 0 && !is_full {
            self.wait_for_due(start_ns)
        } else {
            self.queue.enter(if is_full { self.setup.wanted.min(self.in_flight) } else { 0 })
        };
        self.now_ns = self.setup.clock.now_ns();
        entered.map_err(|error| enter_failure(&error))
    }

    /// Waits for a completion, the next due operation or the next boundary, whichever comes first.
    fn wait_for_due(&mut self, now_ns: u64) -> std::io::Result<()> {
        let until_ns = self.pace.due_ns().min(self.window.next_ns);
        let distance_ns = until_ns.saturating_sub(now_ns);
        if distance_ns <= POLL_NS {
            return self.queue.enter(0);
        }
        self.queue.enter_for(Duration::from_nanos(distance_ns - POLL_NS), self.in_flight == 0)
    }
}
