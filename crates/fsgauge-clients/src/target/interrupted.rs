//! Calls that a signal interrupts are made again, and what they answer.

use fsgauge_net::Answer;
use rustix::io::Errno;

/// So often in a row, and then the interruption is the answer.
pub(super) const INTERRUPT_LIMIT: u32 = 1000;

/// Makes a call again that a signal interrupted.
#[inline]
pub(super) fn uninterrupted_call<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    for _ in 0..INTERRUPT_LIMIT {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::INTR)
}

/// The answer of a call that a signal may interrupt: what it gives, or its negative error number.
#[inline]
pub(super) fn uninterrupted(call: impl FnMut() -> Result<Answer, Errno>) -> Answer {
    uninterrupted_call(call).unwrap_or_else(negative)
}

pub(super) fn negative(errno: Errno) -> Answer {
    -Answer::from(errno.raw_os_error())
}

/// The answer to making what is there.
pub(super) const EXISTS: Answer = -(libc::EEXIST as Answer);
