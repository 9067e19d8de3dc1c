//! A piece of memory for each lane, which the kernel fills and empties while an operation is pending.
//!
//! Unsafe code: one mapping; whether a piece is the kernel's is known to the caller ([`lanes`](super::lanes)).

use std::ffi::c_void;

use fsgauge_wire::{Failure, Outcome};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Pieces share no cache line.
const LINE_BYTES: usize = 64;

/// Equal pieces in one mapping. Memory that no lane has touched is not there yet.
#[derive(Debug)]
pub(super) struct LaneMemory {
    base: *mut u8,
    length: usize,
    stride: usize,
    pieces: usize,
    piece_bytes: usize,
    is_leaked: bool,
}

impl LaneMemory {
    pub(super) fn new(lanes: u32, size_bytes: usize) -> Outcome<Self> {
        let (pieces, piece_bytes) = (lanes as usize, size_bytes);
        let stride = size_bytes.next_multiple_of(LINE_BYTES);
        let length = (stride * pieces).max(LINE_BYTES);
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice replaces nothing.
        let base = unsafe { mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE) };
        let base = base.map_err(|errno| {
            let what = format!("no memory for {lanes} operations of {size_bytes} bytes: {errno}");
            let cause = "clients times record size is more than this machine has";
            let next = "choose fewer clients, a smaller record_size, or interface=plain";
            Failure::system("buffers", Some(errno.raw_os_error()), what, cause, next)
        })?;
        Ok(LaneMemory { base: base.cast(), length, stride, pieces, piece_bytes, is_leaked: false })
    }

    /// Where a lane's piece begins.
    #[inline]
    pub(super) fn address(&self, lane: u32) -> *mut u8 {
        assert!((lane as usize) < self.pieces, "lane {lane} of {}", self.pieces);
        self.base.wrapping_add(lane as usize * self.stride)
    }

    /// A lane's piece.
    ///
    /// # Safety
    /// The kernel has no pending operation with it.
    #[inline]
    pub(super) unsafe fn piece(&self, lane: u32) -> &[u8] {
        // SAFETY: the piece lies in the mapping, which was zeroed; the caller says that nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.address(lane), self.piece_bytes) }
    }

    /// A lane's piece.
    ///
    /// # Safety
    /// The kernel has no pending operation with it.
    #[inline]
    pub(super) unsafe fn piece_mut(&mut self, lane: u32) -> &mut [u8] {
        // SAFETY: as above; nothing else of this process refers to it while `self` is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.address(lane), self.piece_bytes) }
    }

    /// Leaves the memory until the process ends: the kernel may still write to it.
    pub(super) fn leak(&mut self) {
        self.is_leaked = true;
    }
}

impl Drop for LaneMemory {
    fn drop(&mut self) {
        if !self.is_leaked {
            // SAFETY: the region was mapped by `new` with this length and is unmapped once.
            // A failure would only keep the memory until the process ends.
            let _ = unsafe { munmap(self.base.cast::<c_void>(), self.length) };
        }
    }
}
