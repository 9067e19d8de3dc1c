//! Reads from the page cache: tried in the calling thread (RWF_NOWAIT) before io_uring carries them.

use std::io::IoSliceMut;

use fsgauge_net::{Answer, Request};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use super::handle::file_of;

/// Whether cached reads are tried, and which lane had the last one.
#[derive(Debug)]
pub(super) struct CachedReads {
    is_tried: bool,
    lane: Option<u32>,
}

impl CachedReads {
    pub(super) fn new(is_tried: bool) -> Self {
        CachedReads { is_tried, lane: None }
    }

    /// Reads a whole record into `record`, if that needs no wait. None where it would wait, at the end of the file and
    /// after any error: io_uring then gives the answer. Linux 5.9 and 5.10 report an end of file where there is none
    /// (readv(2), BUGS).
    #[inline]
    pub(super) fn read(&mut self, lane: u32, request: &Request<'_>, record: &mut [u8]) -> Option<Answer> {
        let Request::Read { handle, offset_bytes, size_bytes } = *request else { return None };
        if !self.is_tried {
            return None;
        }
        self.lane = None;
        let record = &mut record[..size_bytes as usize];
        let mut records = [IoSliceMut::new(record)];
        match preadv2(file_of(handle), &mut records, offset_bytes, ReadWriteFlags::NOWAIT) {
            Ok(bytes) if bytes > 0 && bytes == size_bytes as usize => {
                self.lane = Some(lane);
                Some(bytes as Answer)
            }
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
                self.is_tried = false;
                None
            }
            _ => None,
        }
    }

    /// Whether a lane's last read was of this kind, and no other lane's since.
    #[inline]
    pub(super) fn served(&self, lane: u32) -> bool {
        self.lane == Some(lane)
    }

    /// Whether reads are tried, as far as is known.
    pub(super) fn are_tried(&self) -> bool {
        self.is_tried
    }
}
