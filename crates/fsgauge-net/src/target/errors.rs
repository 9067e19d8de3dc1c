//! Errors of operations: their kind, and the system's words for them.

use std::io;

use fsgauge_wire::ClientErrorKind;

/// The kind of a (positive) error number.
pub fn kind_of(errno: i32) -> ClientErrorKind {
    match errno {
        libc::ENOSPC => ClientErrorKind::NoSpace,
        libc::EDQUOT => ClientErrorKind::Quota,
        libc::EMFILE | libc::ENFILE => ClientErrorKind::TooManyOpenFiles,
        libc::EACCES | libc::EPERM => ClientErrorKind::PermissionDenied,
        libc::EROFS => ClientErrorKind::ReadOnly,
        libc::EEXIST => ClientErrorKind::Exists,
        libc::ENOENT | libc::ENOTDIR => ClientErrorKind::Missing,
        libc::EIO | libc::EUCLEAN | libc::EBADMSG => ClientErrorKind::Io,
        libc::ECONNREFUSED | libc::EHOSTUNREACH | libc::ENETUNREACH => ClientErrorKind::ConnectionRefused,
        libc::ECONNRESET | libc::EPIPE | libc::ENOTCONN | libc::ECONNABORTED => {
            ClientErrorKind::ConnectionLost
        }
        libc::ETIMEDOUT => ClientErrorKind::TimedOut,
        libc::EKEYREJECTED => ClientErrorKind::LoginRefused,
        libc::EPROTO => ClientErrorKind::Protocol,
        _ => ClientErrorKind::Other,
    }
}

/// A (positive) error number in the system's words: "No space left on device (os error 28)".
pub fn message_of(errno: i32) -> String {
    io::Error::from_raw_os_error(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_an_error_of_the_device_and_strangers_are_other() {
        assert_eq!(kind_of(libc::EUCLEAN), ClientErrorKind::Io);
        assert_eq!(kind_of(libc::ENFILE), ClientErrorKind::TooManyOpenFiles);
        assert_eq!(kind_of(libc::EFBIG), ClientErrorKind::Other);
        assert_eq!(message_of(libc::ENOSPC), "No space left on device (os error 28)");
    }
}
