//! Paths on their way to the kernel: it copies them when it takes an entry, so they stay only until then.

use std::ffi::{CStr, c_char};

/// One stretch of memory, given out from its start and taken back as a whole.
#[derive(Debug)]
pub(super) struct Paths {
    bytes: Box<[u8]>,
    used: usize,
}

impl Paths {
    pub(super) fn new(size_bytes: usize) -> Self {
        Paths { bytes: vec![0; size_bytes].into_boxed_slice(), used: 0 }
    }

    /// Copies a path; none when there is no room.
    #[inline]
    pub(super) fn keep(&mut self, path: &CStr) -> Option<*const c_char> {
        let path = path.to_bytes_with_nul();
        let room = self.bytes.get_mut(self.used..self.used + path.len())?;
        room.copy_from_slice(path);
        self.used += path.len();
        Some(room.as_ptr().cast())
    }

    /// The kernel has taken every entry.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_until_there_is_none() {
        let mut paths = Paths::new(10);
        let first = paths.keep(c"abcd").unwrap();
        let second = paths.keep(c"efgh").unwrap();
        assert_eq!(second.addr() - first.addr(), 5);
        assert_eq!(paths.keep(c""), None);
        paths.clear();
        assert_eq!(paths.keep(c"abcdefghi"), Some(first));
        assert_eq!(&*paths.bytes, b"abcdefghi\0");
    }
}
