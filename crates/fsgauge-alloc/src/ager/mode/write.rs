//! Mode `write`: data through the page cache, as programs write it. The file system allocates when it writes back.

use fsgauge_wire::Stop;
use rustix::fd::BorrowedFd;
use rustix::io::{Errno, pwrite};

use super::{Part, Put, uninterrupted};
use crate::draw::Random;

/// One call of write(2), at most: between two, a stop is seen.
pub(crate) const PIECE_BYTES: u64 = 1 << 20;
/// Data begins at one of so many places of the buffer, so that neighbours in a file differ.
const SHIFTS: usize = 4096;

/// Random bytes to write: no file system can compress them.
pub(crate) struct Write {
    bytes: Vec<u8>,
}

impl Write {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let words = (PIECE_BYTES as usize + SHIFTS) / 8;
        Write { bytes: (0..words).flat_map(|_| random.next().to_ne_bytes()).collect() }
    }

    pub(crate) fn put(&self, file: BorrowedFd<'_>, part: Part, stop: Stop) -> Put {
        let mut done_bytes = 0;
        while done_bytes < part.size_bytes {
            if stop.is_set() {
                return Put::Stopped(done_bytes);
            }
            let at = part.offset_bytes + done_bytes;
            let shift = (at >> 12) as usize % SHIFTS;
            let piece = (part.size_bytes - done_bytes).min(PIECE_BYTES) as usize;
            match uninterrupted(stop, || pwrite(file, &self.bytes[shift..shift + piece], at)) {
                // A device that takes nothing and says nothing would keep us for ever.
                Ok(0) => return Put::Refused(Errno::IO, done_bytes),
                Ok(written) => done_bytes += written as u64,
                Err(Errno::INTR) => return Put::Stopped(done_bytes),
                Err(errno) => return Put::Refused(errno, done_bytes),
            }
        }
        Put::Done
    }
}
