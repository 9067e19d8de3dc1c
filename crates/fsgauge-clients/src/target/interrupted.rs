//! Calls that a signal interrupts are made again.

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
