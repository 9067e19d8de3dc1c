//! A file system or quota that is full: what tells it from other failures.

/// Whether this error number says that there is no space left.
pub(crate) fn is_full(errno: i32) -> bool {
    matches!(errno, libc::ENOSPC | libc::EDQUOT)
}

/// Whether the result of a write says so: its negative error number, or fewer bytes than were given.
pub(crate) fn is_refused(result: i32, size_bytes: u32) -> bool {
    is_full(-result) || (0..size_bytes as i32).contains(&result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_found_no_space_is_told_from_what_failed() {
        assert!([-libc::ENOSPC, -libc::EDQUOT, 0, 4095].into_iter().all(|result| is_refused(result, 4096)));
        assert!([-libc::EIO, -libc::EAGAIN, 4096].into_iter().all(|result| !is_refused(result, 4096)));
    }
}
