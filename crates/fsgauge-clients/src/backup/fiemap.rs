//! Where a file begins on its storage and how many extents it has, by FIEMAP.
//!
//! Unsafe code: ioctl(2) on a buffer that is sized here, as linux/fiemap.h of Linux 6.18 lays it out. Head and
//! extents are multiples of eight bytes long and aligned to eight, so they are kept as words.

use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

const FS_IOC_FIEMAP: u32 = 0xC020_660B;
const HEAD_WORDS: usize = 4;
const EXTENT_WORDS: usize = 7;
/// Extents of one call: enough for nearly every file; of others only the number is asked for.
const CAPACITY: u32 = 512;

/// Flags of an extent.
const UNKNOWN: u32 = 0x2;
const INLINE: u32 = 0x200;

/// Little endian, as on x86 and ARM.
const _: () = assert!(cfg!(target_endian = "little"));

/// What FIEMAP says of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DirectoryState {
    /// Where its first extent that has a place lies.
    pub(super) first_bytes: Option<u64>,
    /// As the file system gives them; contents within the inode are none.
    pub(super) extents: u64,
    /// Its first extent is only in the cache.
    pub(super) is_delayed: bool,
}

/// Room for one call, used again and again.
#[derive(Debug)]
pub(super) struct Fiemap {
    words: Vec<u64>,
}

impl Fiemap {
    pub(super) fn new() -> Self {
        Fiemap { words: vec![0; HEAD_WORDS + CAPACITY as usize * EXTENT_WORDS] }
    }

    /// Asks for a file's extents, in two calls at most; nothing is written out for it.
    pub(super) fn place(&mut self, file: BorrowedFd<'_>) -> Result<DirectoryState, Errno> {
        let mapped = self.ask(file, CAPACITY)?.min(CAPACITY);
        let given = self.words[HEAD_WORDS..].chunks_exact(EXTENT_WORDS).take(mapped as usize);
        let mut place = DirectoryState { extents: mapped.into(), ..DirectoryState::default() };
        for (number, extent) in given.enumerate() {
            let flags = extent[5] as u32;
            if flags & INLINE != 0 {
                place.extents -= 1;
            } else if flags & UNKNOWN != 0 {
                place.is_delayed |= number == 0;
            } else if place.first_bytes.is_none() {
                place.first_bytes = Some(extent[1]);
            }
        }
        if mapped == CAPACITY {
            place.extents = self.ask(file, 0)?.into();
        }
        Ok(place)
    }

    /// One call; gives the number of extents. With a capacity of 0 all are counted and none is given.
    fn ask(&mut self, file: BorrowedFd<'_>, capacity: u32) -> Result<u32, Errno> {
        // Start, length, flags and extents mapped, room and reserved.
        self.words[..HEAD_WORDS].copy_from_slice(&[0, u64::MAX, 0, capacity.into()]);
        let words = self.words.as_mut_ptr();
        // SAFETY: the kernel reads and writes the head, and at most `capacity` extents behind it, which is the
        // room that `words` has (CAPACITY) or none.
        let answer = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP.into(), words) };
        if answer < 0 {
            let error = std::io::Error::last_os_error();
            return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        }
        Ok((self.words[2] >> 32) as u32)
    }
}

/// Whether an error says that this file system has no FIEMAP at all.
pub(super) fn is_missing(errno: Errno) -> bool {
    matches!(errno, Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS | Errno::INVAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileExt;

    /// Files with holes have as many extents as islands, where the file system tells.
    #[test]
    fn islands_are_counted_beyond_one_call() {
        let directory = tempfile::tempdir().unwrap();
        for islands in [0, 1, 3, u64::from(CAPACITY), u64::from(CAPACITY) + 90] {
            let file = std::fs::File::create(directory.path().join(islands.to_string())).unwrap();
            (0..islands).for_each(|at| file.write_all_at(&[1; 4096], at * 131_072).unwrap());
            file.sync_all().unwrap();
            match Fiemap::new().place(file.as_fd()) {
                Err(errno) => assert!(is_missing(errno), "{errno}"),
                Ok(place) => {
                    assert_eq!((place.extents, place.first_bytes.is_some()), (islands, islands > 0));
                    assert!(!place.is_delayed);
                }
            }
        }
    }
}
