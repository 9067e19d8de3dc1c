//! What is said when a server does not do what a load asks of it.

use std::io;

use fsgauge_net::{Answer, message_of};
use fsgauge_wire::{Failure, ShareTarget, Target};

use crate::target::{io_advice, shown};

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
