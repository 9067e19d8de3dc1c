//! The queue: how operations go out and come back. io_uring, libaio, pread/pwrite, messages to a server, or nothing at all.

mod aio;
mod chunked;
mod log;
mod memory;
mod null;
mod ring;
mod share;
mod sync;
mod transfer;

pub(crate) use aio::AioQueue;
pub(crate) use chunked::{ChunkedQueue, Chunks};
pub(crate) use log::LogQueue;
pub(crate) use memory::MemoryQueue;
pub(crate) use null::NullQueue;
pub(crate) use ring::RingQueue;
pub(crate) use share::ShareQueue;
pub(crate) use sync::SyncQueue;
pub(crate) use transfer::{Bytes, Characters, Compared, Durable, Mover, Rewrite, Whole};

use std::io;
use std::time::Duration;

use fsgauge_wire::Failure;

use crate::operation::Operation;

/// A queue of operations, each known by its slot.
pub(crate) trait Queue {
    /// Takes an operation; it starts at the next `enter`. The buffer at `address` must stay mapped and
    /// untouched until the slot is reaped.
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8);

    /// Starts everything pushed and waits until `wanted` operations have completed or a signal came.
    fn enter(&mut self, wanted: u32) -> io::Result<()>;

    /// As `enter`, and waits no longer than `limit`. `idle` says that nothing is in flight.
    /// Queues whose operations complete while they are entered have nothing to wait for but time.
    fn enter_for(&mut self, limit: Duration, idle: bool) -> io::Result<()> {
        if idle {
            std::thread::sleep(limit);
        }
        self.enter(1)
    }

    /// Hands over every completed operation: its slot, and its bytes or its negative error number.
    fn reap(&mut self, each: impl FnMut(u32, i32));
}

/// The failure that an error of `enter` carries, where the kernel did not simply refuse the call.
pub(crate) fn carried_failure(error: &io::Error) -> Option<Failure> {
    error.get_ref()?.downcast_ref::<Failure>().cloned()
}
