//! What servers answer when they do not do as asked, as error numbers.

/// The error number of a status of NFS version 3 (RFC 1813, 2.6); below 10000 these are the numbers of Unix.
#[cold]
pub(super) fn errno_of(status: u32) -> i32 {
    match status {
        1 => libc::EPERM,
        2 => libc::ENOENT,
        5 => libc::EIO,
        6 => libc::ENXIO,
        13 => libc::EACCES,
        17 => libc::EEXIST,
        18 => libc::EXDEV,
        19 => libc::ENODEV,
        20 => libc::ENOTDIR,
        21 => libc::EISDIR,
        22 => libc::EINVAL,
        27 => libc::EFBIG,
        28 => libc::ENOSPC,
        30 => libc::EROFS,
        31 => libc::EMLINK,
        63 => libc::ENAMETOOLONG,
        66 => libc::ENOTEMPTY,
        69 => libc::EDQUOT,
        // NFS3ERR_STALE, and NFS3ERR_BADHANDLE.
        70 | 10001 => libc::ESTALE,
        // NFS3ERR_BAD_COOKIE: the directory changed while it was listed.
        10003 => libc::ESTALE,
        10004 => libc::EOPNOTSUPP,
        10006 => libc::EIO,
        // NFS3ERR_JUKEBOX: the server asks for patience.
        10008 => libc::EAGAIN,
        _ => libc::EPROTO,
    }
}
