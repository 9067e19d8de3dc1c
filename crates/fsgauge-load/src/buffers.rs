//! The memory that operations read into and write from: one region, a piece of it per slot.
//!
//! Unsafe code: a mapping that outlives every pointer handed out. The kernel writes into it while operations
//! are in flight, so no reference to it is ever made; only addresses leave this file.

use std::ffi::c_void;

use fsgauge_wire::Failure;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::contents::Contents;
use crate::operation::Operation;

/// Pieces begin on page boundaries, which satisfies the memory alignment of all direct I/O.
const PAGE_BYTES: usize = 4096;

/// Buffers of `slots` operations, apart for reads and writes where a load has both.
#[derive(Debug)]
pub(crate) struct Buffers {
    base: *mut u8,
    length: usize,
    stride: usize,
    /// Distance from a slot's read buffer to its write buffer; 0 when a load has one kind only.
    write_distance: usize,
    contents: Contents,
}

// SAFETY: the region belongs to its owner alone; the raw pointer is only an address of it.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Maps and fills buffers of `size_bytes` each. `reads` and `writes` say which kinds the load has.
    pub(crate) fn new(
        slots: u32,
        size_bytes: u32,
        (reads, writes): (bool, bool),
        contents: impl Into<Contents>,
    ) -> Result<Self, Failure> {
        let stride = (size_bytes as usize).next_multiple_of(PAGE_BYTES);
        let kinds = usize::from(reads) + usize::from(writes);
        let length = stride * slots as usize * kinds.max(1);
        let base = map(length)?;
        let write_distance = if kinds == 2 { stride * slots as usize } else { 0 };
        let mut buffers = Buffers { base, length, stride, write_distance, contents: contents.into() };
        buffers.fill(slots, writes);
        Ok(buffers)
    }

    fn fill(&mut self, slots: u32, writes: bool) {
        // SAFETY: the whole region was mapped above and nothing else refers to it yet.
        let region = unsafe { std::slice::from_raw_parts_mut(self.base, self.length) };
        region.fill(0);
        if writes {
            let begin = self.write_distance;
            let end = begin + self.stride * slots as usize;
            self.contents.fill(&mut region[begin..end], self.stride);
        }
    }

    /// Where an operation of this slot reads or writes.
    #[inline]
    pub(crate) fn address(&self, slot: u32, write: bool) -> *mut u8 {
        let kind = if write { self.write_distance } else { 0 };
        self.base.wrapping_add(slot as usize * self.stride + kind)
    }

    /// Makes the data of a slot's next write unlike all before. The slot must not be in flight.
    #[inline]
    pub(crate) fn refresh(&mut self, slot: u32, operation: &Operation) {
        let buffer = self.address(slot, true);
        self.contents.stamp(operation, |offset, word| {
            // SAFETY: offset + 8 <= size_bytes <= stride, so the word lies in the slot's own write buffer,
            // which is not in flight; offsets are multiples of 8 and buffers begin on pages, so it is aligned.
            unsafe { buffer.wrapping_add(offset).cast::<u64>().write(word) };
        });
    }

    /// The whole region, to register with the kernel.
    pub(crate) fn as_iovec(&self) -> libc::iovec {
        libc::iovec { iov_base: self.base.cast::<c_void>(), iov_len: self.length }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: the region was mapped by `new` with this length and is unmapped once.
        // A failure would only keep the memory until the process ends.
        let _ = unsafe { munmap(self.base.cast::<c_void>(), self.length) };
    }
}

fn map(length: usize) -> Result<*mut u8, Failure> {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice replaces nothing.
    let base = unsafe { mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE) };
    let base = base.map_err(|error| {
        let what = format!("no memory for I/O buffers of {length} bytes: {error}");
        let cause = "queue depth times block size is more than this machine has";
        Failure::system(
            "buffers",
            Some(error.raw_os_error()),
            what,
            cause,
            "choose a smaller queue_depth or block size",
        )
    })?;
    // SAFETY: the advice concerns the mapping made above. Huge pages are an optimisation: refusal is fine.
    let _ = unsafe { madvise(base, length, Advice::LinuxHugepage) };
    Ok(base.cast::<u8>())
}
