//! What is said when a server does not do what a load asks of it.

use std::io;

use fsgauge_net::{Answer, message_of};
use fsgauge_wire::{Failure, ShareTarget, Target};

use super::path::shown;

/// Cause and next step of an operation that a server did not do.
pub(crate) fn io_advice(errno: i32) -> (&'static str, &'static str) {
    match errno {
        libc::ENOSPC | libc::EDQUOT => {
            ("the server's file system or the quota is full", "make room there; choose a smaller target")
        }
        libc::ECONNRESET | libc::ENOTCONN | libc::EPIPE => (
            "the connection or the session ended; a load does not come back, for it would be another one",
            "look into the server's log",
        ),
        libc::ETIMEDOUT => {
            ("the server, or the way to it, gave no answer in time", "look into the server's log; ping it")
        }
        libc::EACCES | libc::EPERM => ("this user may not", "give the user access to the share's files"),
        libc::EROFS => ("it can only be read", "choose a share that can be written"),
        libc::ENOENT => ("it is not there", "run a job of kind layout on this target first"),
        libc::EPROTO => ("the server speaks otherwise than was asked for", "look into the server's log"),
        _ => ("the server refused it", "look into the server's log"),
    }
}

/// A file of a share that cannot be had: `done` says what was tried, "opened".
pub(super) fn file_failure(
    share: &ShareTarget,
    target: &Target,
    number: u32,
    (done, answer): (&str, Answer),
) -> Failure {
    let errno = -answer as i32;
    let path = shown(share, target, number);
    let what = format!("{} cannot be {done}: {}", path.display(), message_of(errno));
    let (cause, next) = io_advice(errno);
    Failure::system("target.open", Some(errno), what, cause, next)
}

/// Sockets cannot be waited for: an error that carries what is said of it.
pub(crate) fn wait_error(error: &io::Error) -> io::Error {
    io::Error::other(fsgauge_net::wait_failure(error))
}

/// Who has an access has its target on a share.
pub(super) fn no_share() -> Failure {
    let next = "report it with the job";
    Failure::system("target", None, "the target is on no share", "a mistake in fsgauge", next)
}
