//! Reaping: completions are counted; EAGAIN and EINTR are submitted again; what finds no space may be counted too.

use fsgauge_wire::Failure;

use super::{JobLoop, enter_failure};
use crate::full::is_refused;
use crate::group::Group;
use crate::pace::Pace;
use crate::pattern::Order;
use crate::queue::Queue;
use crate::target::describe_io_failure;

/// How often in a row operations are submitted again (EAGAIN, EINTR) before that is an error.
const RETRY_LIMIT: u32 = 1000;
/// How long operations in flight are waited for after the end.
const DRAIN_NS: u64 = 60_000_000_000;
/// The same after an interrupt.
const INTERRUPTED_DRAIN_NS: u64 = 400_000_000;

impl<Q: Queue, O: Order, P: Pace> JobLoop<'_, Q, O, P> {
    /// Reaps everything that has completed.
    #[inline]
    pub(super) fn reap(&mut self) -> Result<(), Failure> {
        self.integrate(self.now_ns);
        let (mut group, mut reaped) = (Group::EMPTY, 0);
        let JobLoop { queue, slots, tallies, failed, now_ns, setup, .. } = self;
        queue.reap(|index, result| {
            let slot = slots.get(index);
            let size_bytes = slot.size_bytes();
            if result != size_bytes as i32 {
                failed.push((index, result));
                return;
            }
            if slot.start_ns != group.start_ns || slot.is_write() != group.write {
                group.record(tallies, *now_ns);
                group = Group { start_ns: slot.start_ns, write: slot.is_write(), ..Group::EMPTY };
            }
            group.operations += 1;
            group.size_bytes += u64::from(size_bytes);
            if P::OPEN {
                let response = &mut tallies[usize::from(slot.is_write())].response;
                response.record(now_ns.saturating_sub(slot.due_ns), 1);
                if slot.is_write() {
                    setup.barriers.written(slot.due_ns);
                }
            }
            slots.release(index);
            reaped += 1;
        });
        group.record(&mut self.tallies, self.now_ns);
        self.in_flight -= reaped;
        if !self.failed.is_empty() {
            return self.retry();
        }
        Ok(())
    }

    /// Submits EAGAIN and EINTR again; every other error ends the load, unless it may be full.
    #[cold]
    fn retry(&mut self) -> Result<(), Failure> {
        while let Some((index, result)) = self.failed.pop() {
            let slot = *self.slots.get(index);
            let operation = slot.operation();
            if self.setup.continue_when_full && operation.write && is_refused(result, operation.size_bytes) {
                self.slots.release(index);
                self.in_flight -= 1;
                self.tallies[1].refused += 1;
                continue;
            }
            let is_passing = matches!(-result, libc::EAGAIN | libc::EINTR);
            if !is_passing || self.retries_in_row == RETRY_LIMIT {
                self.in_flight -= 1 + self.failed.len() as u32;
                return Err(describe_io_failure(self.setup.target, &operation, result));
            }
            self.retries_in_row += 1;
            self.tallies[usize::from(operation.write)].retries += 1;
            self.queue.push(index, &operation, self.buffers.address(index, operation.write));
        }
        Ok(())
    }

    /// Waits for operations in flight and counts them. An error of one still fails the load.
    pub(super) fn drain(&mut self) -> Result<(), Failure> {
        let begin_ns = self.setup.clock.now_ns();
        while self.in_flight > 0 {
            let waited_ns = self.setup.clock.now_ns() - begin_ns;
            if waited_ns > INTERRUPTED_DRAIN_NS && (self.setup.stop.is_set() || waited_ns > DRAIN_NS) {
                break;
            }
            self.queue.enter(1).map_err(|error| enter_failure(&error))?;
            self.now_ns = self.setup.clock.now_ns();
            self.reap()?;
        }
        Ok(())
    }
}
