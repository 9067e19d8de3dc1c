//! Mode `direct`: data around the page cache. The file system allocates in each call; delayed allocation is not
//! seen. Ends that are not aligned are rounded outward (what files hold does not matter here), and the file is
//! cut to its size again.

use fsgauge_wire::Stop;
use rustix::fd::BorrowedFd;
use rustix::fs::ftruncate;
use rustix::io::{Errno, pwrite};

use super::{Part, Put, uninterrupted};
use crate::aligned_block::BLOCK_BYTES;
use crate::draw::Random;

/// One call of write(2), at most: between two, a stop is seen.
const PIECE_BYTES: u64 = 1 << 20;

/// Random bytes that begin on a page's border.
pub(crate) struct Direct {
    bytes: Vec<u8>,
    begin: usize,
}

impl Direct {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let words = (PIECE_BYTES + BLOCK_BYTES) / 8;
        let bytes: Vec<u8> = (0..words).flat_map(|_| random.next().to_ne_bytes()).collect();
        let begin = bytes.as_ptr().align_offset(BLOCK_BYTES as usize);
        Direct { bytes, begin }
    }

    pub(crate) fn put(&self, file: BorrowedFd<'_>, part: Part, stop: Stop) -> Put {
        let end_bytes = part.offset_bytes + part.size_bytes;
        let aligned_end = end_bytes.div_ceil(BLOCK_BYTES) * BLOCK_BYTES;
        let mut at = part.offset_bytes / BLOCK_BYTES * BLOCK_BYTES;
        let mut outcome = None;
        // What the file has of the part.
        let done = |at: u64| at.min(end_bytes).saturating_sub(part.offset_bytes);
        while at < aligned_end && outcome.is_none() {
            if stop.is_set() {
                outcome = Some(Put::Stopped(done(at)));
                break;
            }
            let piece = (aligned_end - at).min(PIECE_BYTES) as usize;
            let bytes = &self.bytes[self.begin..self.begin + piece];
            match uninterrupted(stop, || pwrite(file, bytes, at)) {
                Ok(written) if written as u64 >= BLOCK_BYTES => {
                    at += written as u64 / BLOCK_BYTES * BLOCK_BYTES;
                }
                Ok(_) => outcome = Some(Put::Refused(Errno::NOSPC, done(at))),
                Err(Errno::INTR) => outcome = Some(Put::Stopped(done(at))),
                Err(errno) => outcome = Some(Put::Refused(errno, done(at))),
            }
        }
        let size_bytes = part.file_bytes.max(at.min(end_bytes));
        if at > size_bytes
            && let Err(errno) = ftruncate(file, size_bytes)
        {
            return Put::Refused(errno, done(at));
        }
        outcome.unwrap_or(Put::Done)
    }
}
