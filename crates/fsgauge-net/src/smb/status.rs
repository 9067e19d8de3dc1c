//! What servers say went wrong (MS-ERREF 2.3.1), as error numbers of this system.

/// The status of a reply.
pub(super) type Status = u32;

pub(super) const SUCCESS: Status = 0;
/// The server works on it, and answers once more.
pub(super) const PENDING: Status = 0x0000_0103;
pub(super) const NO_MORE_FILES: Status = 0x8000_0006;
pub(super) const END_OF_FILE: Status = 0xC000_0011;
pub(super) const MORE_PROCESSING_REQUIRED: Status = 0xC000_0016;
pub(super) const ACCESS_DENIED: Status = 0xC000_0022;
pub(super) const NOT_SUPPORTED: Status = 0xC000_00BB;
pub(super) const BAD_NETWORK_NAME: Status = 0xC000_00CC;
const NETWORK_NAME_DELETED: Status = 0xC000_00C9;
const USER_SESSION_DELETED: Status = 0xC000_0203;
const NETWORK_SESSION_EXPIRED: Status = 0xC000_035C;
const CONNECTION_DISCONNECTED: Status = 0xC000_020C;
const CONNECTION_RESET: Status = 0xC000_020D;

/// The (positive) error number of a status that is no success.
pub(super) fn errno_of(status: Status) -> i32 {
    match status {
        // OBJECT_NAME_NOT_FOUND, OBJECT_PATH_NOT_FOUND, NO_SUCH_FILE, DELETE_PENDING, OBJECT_PATH_INVALID.
        0xC000_0034 | 0xC000_003A | 0xC000_000F | 0xC000_0056 | 0xC000_0039 => libc::ENOENT,
        BAD_NETWORK_NAME => libc::ENOENT,
        // NOT_A_DIRECTORY.
        0xC000_0103 => libc::ENOTDIR,
        // OBJECT_NAME_COLLISION.
        0xC000_0035 => libc::EEXIST,
        // DISK_FULL.
        0xC000_007F => libc::ENOSPC,
        // QUOTA_EXCEEDED, DISK_QUOTA_EXCEEDED.
        0xC000_0044 | 0xC000_0802 => libc::EDQUOT,
        // TOO_MANY_OPENED_FILES, INSUFFICIENT_RESOURCES.
        0xC000_011F => libc::EMFILE,
        0xC000_009A => libc::ENOBUFS,
        // CANNOT_DELETE, PRIVILEGE_NOT_HELD, NETWORK_ACCESS_DENIED.
        ACCESS_DENIED | 0xC000_0121 | 0xC000_0061 | 0xC000_00CA => libc::EACCES,
        // MEDIA_WRITE_PROTECTED.
        0xC000_00A2 => libc::EROFS,
        // SHARING_VIOLATION, FILE_LOCK_CONFLICT.
        0xC000_0043 | 0xC000_0054 => libc::EBUSY,
        // DIRECTORY_NOT_EMPTY.
        0xC000_0101 => libc::ENOTEMPTY,
        // FILE_IS_A_DIRECTORY, INVALID_DEVICE_REQUEST: what reading a directory gives.
        0xC000_00BA | 0xC000_0010 => libc::EISDIR,
        // INVALID_HANDLE, FILE_CLOSED.
        0xC000_0008 | 0xC000_0128 => libc::EBADF,
        // IO_TIMEOUT.
        0xC000_00B5 => libc::ETIMEDOUT,
        // UNEXPECTED_IO_ERROR, DATA_ERROR, CRC_ERROR, IO_DEVICE_ERROR, DISK_CORRUPT_ERROR, FILE_CORRUPT_ERROR.
        0xC000_00E9 | 0xC000_003E | 0xC000_003F | 0xC000_0185 | 0xC000_0032 | 0xC000_0102 => libc::EIO,
        // INVALID_PARAMETER, OBJECT_NAME_INVALID.
        0xC000_000D | 0xC000_0033 => libc::EINVAL,
        NOT_SUPPORTED => libc::EOPNOTSUPP,
        NETWORK_NAME_DELETED
        | USER_SESSION_DELETED
        | NETWORK_SESSION_EXPIRED
        | CONNECTION_DISCONNECTED
        | CONNECTION_RESET => libc::ECONNRESET,
        status if is_login(status) => libc::EKEYREJECTED,
        _ => libc::EREMOTEIO,
    }
}

/// Whether a status says that this user does not get in.
pub(super) fn is_login(status: Status) -> bool {
    // NO_SUCH_USER, WRONG_PASSWORD, LOGON_FAILURE, ACCOUNT_RESTRICTION, INVALID_LOGON_HOURS, INVALID_WORKSTATION,
    // PASSWORD_EXPIRED, ACCOUNT_DISABLED, LOGON_TYPE_NOT_GRANTED, ACCOUNT_EXPIRED, PASSWORD_MUST_CHANGE,
    // ACCOUNT_LOCKED_OUT.
    matches!(
        status,
        0xC000_0064 | 0xC000_006A | 0xC000_006D
            ..=0xC000_0072 | 0xC000_015B | 0xC000_0193 | 0xC000_0224 | 0xC000_0234
    )
}

/// Whether a status says that the session or the tree is gone, and every handle with it.
pub(super) fn is_session_gone(status: Status) -> bool {
    matches!(status, USER_SESSION_DELETED | NETWORK_SESSION_EXPIRED | NETWORK_NAME_DELETED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::kind_of;
    use fsgauge_wire::ClientErrorKind;

    #[test]
    fn what_a_server_says_has_the_kind_that_a_path_would_have() {
        let expected = [
            (0xC000_007F, ClientErrorKind::NoSpace),
            (0xC000_0044, ClientErrorKind::Quota),
            (0xC000_0035, ClientErrorKind::Exists),
            (0xC000_0034, ClientErrorKind::Missing),
            (ACCESS_DENIED, ClientErrorKind::PermissionDenied),
            (0xC000_00A2, ClientErrorKind::ReadOnly),
            (0xC000_011F, ClientErrorKind::TooManyOpenFiles),
            (0xC000_006D, ClientErrorKind::LoginRefused),
            (USER_SESSION_DELETED, ClientErrorKind::ConnectionLost),
            (0xC000_00B5, ClientErrorKind::TimedOut),
            (0xC000_0185, ClientErrorKind::Io),
            (0xC0FF_EE00, ClientErrorKind::Other),
        ];
        for (status, kind) in expected {
            assert_eq!(kind_of(errno_of(status)), kind, "{status:#x}");
        }
    }
}
