//! Closing with an answer, which dropping a descriptor does not give.
//!
//! Unsafe code: close(2).

use std::os::fd::{IntoRawFd, OwnedFd};

use rustix::io::Errno;

/// Closes a file. It is closed whatever the answer is (Linux, close(2)).
pub(super) fn close(file: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the descriptor was owned and is given away here: nothing else uses or closes it.
    let answer = unsafe { libc::close(file.into_raw_fd()) };
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}

fn last_error() -> Errno {
    let error = std::io::Error::last_os_error();
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    #[test]
    fn an_answer_is_given() {
        let file: OwnedFd = std::fs::File::open("/dev/null").unwrap().into();
        assert_eq!(close(file), Ok(()));
        // SAFETY: no file has this number, which is above every limit: nobody else's is closed.
        let nothing = unsafe { OwnedFd::from_raw_fd(i32::MAX) };
        assert_eq!(close(nothing), Err(Errno::BADF));
    }
}
