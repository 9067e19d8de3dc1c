//! Targets: what carries the clients' operations out.
//!
//! A lane is one operation at a time: client times outstanding. Every target gives the same answers; a client
//! cannot tell which serves it.

use std::io;
use std::time::Duration;

use fsgauge_wire::OperationCall;

use super::request::Request;

/// The answer of an operation: what its [`Request`] says, or a negative error number.
pub(crate) type Answer = i64;

/// What became of an operation that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Started {
    /// It is done.
    Done(Answer),
    /// [`Target::wait`] will tell.
    Pending,
}

/// One thread's way to the files; lanes are numbered from 0 in each.
pub(crate) trait Target {
    /// The record of a lane, at least the file set's record size long: filled before a write is started, and
    /// read after a read has been answered, before anything else is started. Targets that answer at once may
    /// give all lanes the same memory.
    fn record(&mut self, lane: u32) -> &mut [u8];

    /// Starts an operation. The lane has none under way. The request's paths are copied if they are needed
    /// after the return.
    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started;

    /// Hands the pending operations that were answered to `each`: lane and answer. Waits for one of them, no
    /// longer than `limit`; with a limit of zero it only looks. A signal ends the wait early.
    fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()>;

    /// Which calls carried the operations that were started, in the order of the operations.
    fn calls(&self) -> Vec<OperationCall>;
}
