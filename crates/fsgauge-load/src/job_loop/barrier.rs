//! Barriers: nothing is in flight, and the job makes its writes durable or begins its next pass.

use fsgauge_wire::{Ended, Failure};

use super::JobLoop;
use crate::full::is_full;
use crate::pace::Pace;
use crate::pattern::Order;
use crate::queue::Queue;

impl<Q: Queue, O: Order, P: Pace> JobLoop<'_, Q, O, P> {
    /// Makes the writes durable, lets the next pass begin, or ends.
    #[inline(never)]
    pub(super) fn pass_barrier(&mut self) -> Result<Option<Ended>, Failure> {
        if self.writes_left == 0 {
            if self.sync()? {
                return Ok(Some(Ended::Duration));
            }
            self.writes_left = self.setup.barriers.distance();
            self.writes_allowed = self.writes_allowed.saturating_add(self.writes_left);
        }
        if self.remaining_bytes > 0 {
            return Ok(None);
        }
        self.close(self.now_ns);
        Ok(Some(Ended::SizeLimit))
    }

    /// Makes the writes durable where that is due. True when the time was up meanwhile: the measured part then lasts
    /// until the call has returned, since nothing else was in flight.
    fn sync(&mut self) -> Result<bool, Failure> {
        let begin_ns = self.now_ns;
        let Some(syncs) = self.setup.barriers.reach() else { return Ok(false) };
        let called = syncs.call(self.setup.stop);
        let found_no_space = called.as_ref().is_err_and(|failure| failure.errno.is_some_and(is_full));
        let is_refused = self.setup.continue_when_full && found_no_space;
        if !is_refused && !called? {
            return Ok(false);
        }
        self.now_ns = self.setup.clock.now_ns();
        let is_over = self.now_ns >= self.window.next_ns && self.cross(self.now_ns);
        if is_over {
            self.overrun_ns = self.now_ns - self.end_ns;
        }
        if is_refused {
            self.setup.barriers.refused();
        } else {
            self.setup.barriers.record(self.now_ns, self.now_ns - begin_ns);
        }
        Ok(is_over)
    }
}
