//! Requests and answers of clients: the same for every target, on a server or not.
//!
//! A lane is one operation at a time. Every target gives the same answers; a client cannot tell which serves it.

mod ask;
mod control_session;
mod errors;
mod listed_names;
mod opening;
mod request;
mod started_calls;
mod traffic;
mod waiting;

pub use ask::{admit, ask, ask_for, wait_failure};
pub use control_session::ControlSession;
pub use errors::{kind_of, message_of};
pub(crate) use listed_names::{ListedNames, NAME_LIMIT_BYTES, NAMES_LIMIT, TooManyNames};
pub use opening::Opening;
pub use request::{Handle, Request};
pub use started_calls::{Action, Actions};
pub use traffic::Traffic;
pub use waiting::{BESIDE_LIMIT, Waiting};

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use fsgauge_wire::OperationCall;

/// The answer of an operation: what its [`Request`] says, or a negative error number.
pub type Answer = i64;

/// The answer of a client's connection that was lost and could not be made again in time; every later one is the
/// same.
pub const OUT_OF_REACH: Answer = -(libc::ENOTCONN as Answer);

/// What became of an operation that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// It is done.
    Done(Answer),
    /// [`Target::wait`] will tell.
    Pending,
}

/// No wait is longer: the caller looks at its clock and waits again.
pub const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// One thread's way to the files; lanes are numbered from 0 in each.
pub trait Target {
    /// What a lane's last read gave, at least as long as its answer says: looked at after its answer and before
    /// anything else is started or waited for, on any lane. A connection that has ended since keeps it.
    fn incoming(&self, lane: u32) -> &[u8];

    /// Starts an operation. The lane has none under way. What the request refers to is copied if
    /// it is needed after the return.
    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started;

    /// Hands the pending operations that were answered to `each`: lane and answer. Waits for one of them, no
    /// longer than `limit`, also where none is pending; with a limit of zero it only looks. A signal ends the
    /// wait early.
    fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()>;

    /// What is asked for from now on lies in this directory: paths may be looked up from there, as by a program that has
    /// changed into it. They are given as before.
    fn enter(&mut self, _directory: &CStr) {}

    /// Opens a directory, to read its names. Only for directories of this machine; the error is an answer.
    fn open_directory(&mut self, _path: &CStr) -> Result<OwnedFd, Answer> {
        Err(-Answer::from(libc::EOPNOTSUPP))
    }

    /// Hands the next names of an open directory to `each`, but "." and "..", as many as one call gives. The answer is how
    /// many there were, or none at the directory's end.
    fn read_names(
        &mut self,
        _directory: &OwnedFd,
        _each: &mut dyn FnMut(&CStr),
    ) -> Result<Option<u32>, Answer> {
        Err(-Answer::from(libc::EOPNOTSUPP))
    }

    /// Which calls carried the operations that were started, in the order of the operations.
    fn calls(&self) -> Vec<OperationCall>;

    /// Begins to let a client in, numbered from 0 as the loop has them: makes its connection and session. The
    /// answer, 0 or an error, is that of the client's first lane, which has nothing under way. A client that
    /// was refused is let in with its next operation.
    fn admit(&mut self, _client: u32) -> Started {
        Started::Done(0)
    }

    /// The time is up. Operations that wait for a connection that is gone are answered as lost: no server has been
    /// asked for them, and one that stays away must not hold the end for as long as connections are tried.
    fn time_is_up(&mut self) {}

    /// What went over the network so far; none where there is none.
    fn traffic(&self) -> Option<Traffic> {
        None
    }
}
