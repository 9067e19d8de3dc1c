//! The memory queue: operations are copies to and from memory. What a load reaches on it is what this machine
//! could do if storage were memory.
//!
//! Each job has a region of its own: jobs that copied into one region would race, which no device does. A
//! target that is larger wraps around in it.
//!
//! Unsafe code: a mapping that is owned here, and copies between it and the slots' buffers.

use std::ffi::c_void;
use std::io;

use fsgauge_wire::Failure;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use super::{NullQueue, Queue};
use crate::medium::Touch;
use crate::operation::Operation;
use crate::target::Geometry;

/// All jobs together take no more, or one block each: beyond most processors' caches, and soon filled.
const TOTAL_BYTES: u64 = 256 << 20;
const PAGE_BYTES: usize = 4096;

/// Completes operations as the null queue does, after it has copied their data.
#[derive(Debug)]
pub(crate) struct MemoryQueue {
    completions: NullQueue,
    base: *mut u8,
    length: usize,
    /// The wrapped part is a power of two; a block may reach beyond it, into the rest of the region.
    mask: u64,
    file_size_bytes: u64,
    touch: Touch,
}

impl MemoryQueue {
    /// A region for one of `jobs`, for blocks of up to `largest_bytes`.
    pub(crate) fn new(
        completions: NullQueue,
        geometry: &Geometry,
        largest_bytes: u32,
        jobs: u32,
        touch: Touch,
    ) -> Result<Self, Failure> {
        let wrapped_bytes = wrapped_bytes(geometry, jobs);
        let length = wrapped_bytes as usize + (largest_bytes as usize).next_multiple_of(PAGE_BYTES);
        let base = map(length)?;
        let file_size_bytes = geometry.file_size_bytes;
        Ok(MemoryQueue { completions, base, length, mask: wrapped_bytes - 1, file_size_bytes, touch })
    }

    #[inline]
    fn copy(&self, operation: &Operation, buffer: *mut u8) {
        let position = operation.offset_bytes + u64::from(operation.file) * self.file_size_bytes;
        let place = self.base.wrapping_add((position & self.mask) as usize);
        let (from, to) = if operation.write { (buffer, place) } else { (place, buffer) };
        let size_bytes = operation.size_bytes as usize;
        match self.touch {
            // SAFETY: the wrapped position plus the largest block lies in the region, which is this queue's
            // own; `push` was promised that the buffer stays mapped and unused by others.
            Touch::Bytes => unsafe { std::ptr::copy_nonoverlapping(from, to, size_bytes) },
            Touch::Words => (0..size_bytes).step_by(PAGE_BYTES).for_each(|offset| {
                let word_bytes = size_of::<u64>().min(size_bytes - offset);
                let (from, to) = (from.wrapping_add(offset), to.wrapping_add(offset));
                // SAFETY: as above; offset plus the word is at most the block's size.
                unsafe { std::ptr::copy_nonoverlapping(from, to, word_bytes) };
            }),
            Touch::Stride(bytes) => (0..size_bytes).step_by(bytes.get() as usize).for_each(|offset| {
                // SAFETY: as above; the offset is below the block's size. Volatile: each of the bytes is
                // read and written, however many of them one instruction could move.
                unsafe { to.add(offset).write_volatile(from.add(offset).read_volatile()) };
            }),
        }
    }
}

impl Queue for MemoryQueue {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        self.copy(operation, address);
        self.completions.push(slot, operation, address);
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        self.completions.enter(wanted)
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u32, i32)) {
        self.completions.reap(each);
    }
}

impl Drop for MemoryQueue {
    fn drop(&mut self) {
        // SAFETY: the region was mapped by `new` with this length and is unmapped once.
        // A failure would only keep the memory until the process ends.
        let _ = unsafe { munmap(self.base.cast::<c_void>(), self.length) };
    }
}

/// The smallest power of two that holds the target, or the largest that all jobs may have.
fn wrapped_bytes(geometry: &Geometry, jobs: u32) -> u64 {
    let target_bytes = geometry.base_bytes + geometry.file_size_bytes * u64::from(geometry.files);
    let share_bytes = (TOTAL_BYTES / u64::from(jobs)).max(PAGE_BYTES as u64);
    let largest = 1 << share_bytes.ilog2();
    target_bytes.min(largest).next_power_of_two()
}

/// Maps memory and touches every page, so that no page fault is measured.
fn map(length: usize) -> Result<*mut u8, Failure> {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice replaces nothing.
    let base = unsafe { mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE) };
    let base = base.map_err(|error| {
        let what = format!("no memory to measure the load's limits: {length} bytes: {error}");
        let cause = "a memory limit, or too little memory in this machine";
        Failure::system("limits", Some(error.raw_os_error()), what, cause, "free -m; or measure_limits=false")
    })?;
    // SAFETY: the advice concerns the mapping made above. Huge pages are an optimisation: refusal is fine.
    let _ = unsafe { madvise(base, length, Advice::LinuxHugepage) };
    let base = base.cast::<u8>();
    // SAFETY: every offset lies in the mapping made above, to which nothing else refers yet.
    (0..length).step_by(PAGE_BYTES).for_each(|offset| unsafe { base.add(offset).write_volatile(1) });
    Ok(base)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    const GEOMETRY: Geometry = Geometry { files: 2, file_size_bytes: 24576, base_bytes: 0 };

    fn operation(write: bool, file: u32, offset_bytes: u64) -> Operation {
        Operation { write, file, size_bytes: 8192, offset_bytes }
    }

    fn queue(touch: Touch) -> MemoryQueue {
        MemoryQueue::new(NullQueue::new(1, 1, false), &GEOMETRY, 8192, 1, touch).unwrap()
    }

    fn pass(queue: &mut MemoryQueue, operation: Operation, buffer: &mut [u8]) -> i32 {
        queue.push(0, &operation, buffer.as_mut_ptr());
        queue.enter(1).unwrap();
        let mut bytes = 0;
        queue.reap(|_, result| bytes = result);
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let mut queue = queue(Touch::Bytes);
        let mut written: Vec<u8> = (0..8192u32).map(|byte| (byte % 251) as u8).collect();
        assert_eq!(pass(&mut queue, operation(true, 1, 16384), &mut written), 8192);
        let mut read = vec![0; 8192];
        assert_eq!(pass(&mut queue, operation(false, 1, 16384), &mut read), 8192);
        assert_eq!(read, written);
        pass(&mut queue, operation(false, 0, 16384), &mut read);
        assert_ne!(read, written);
    }

    #[test]
    fn words_touch_eight_bytes_of_a_page() {
        let mut queue = queue(Touch::Words);
        let mut written = vec![7; 8192];
        pass(&mut queue, operation(true, 0, 0), &mut written);
        let mut read = vec![0; 8192];
        pass(&mut queue, operation(false, 0, 0), &mut read);
        let touched: Vec<usize> = (0..8192).filter(|index| read[*index] == 7).collect();
        assert_eq!(touched, (0..8).chain(4096..4104).collect::<Vec<_>>());
    }

    #[test]
    fn a_stride_touches_one_byte_of_so_many_the_first_among_them() {
        for stride in [1, 3, 64, 8191, 8192, u32::MAX] {
            let mut queue = queue(Touch::Stride(NonZeroU32::new(stride).unwrap()));
            pass(&mut queue, operation(true, 0, 0), &mut [7; 8192]);
            queue.touch = Touch::Bytes;
            let mut read = vec![0; 8192];
            pass(&mut queue, operation(false, 0, 0), &mut read);
            let touched: Vec<usize> = (0..8192).filter(|index| read[*index] == 7).collect();
            let wanted: Vec<usize> = (0..8192).step_by(stride as usize).collect();
            assert_eq!(touched, wanted, "{stride}");
        }
    }

    #[test]
    fn the_region_is_bounded_and_holds_small_targets() {
        let large = Geometry { files: 1, file_size_bytes: 1 << 40, base_bytes: 4096 };
        assert_eq!(wrapped_bytes(&large, 1), TOTAL_BYTES);
        assert_eq!(wrapped_bytes(&large, 3), TOTAL_BYTES / 4);
        assert_eq!(wrapped_bytes(&GEOMETRY, 1), 65536);
        assert_eq!(wrapped_bytes(&GEOMETRY, 1024), 65536);
    }

    #[test]
    fn a_block_at_the_end_of_the_wrapped_part_stays_in_the_region() {
        let large = Geometry { files: 1, file_size_bytes: 1 << 40, base_bytes: 0 };
        let completions = NullQueue::new(1, 1, false);
        let mut queue = MemoryQueue::new(completions, &large, 8192, 65536, Touch::Bytes).unwrap();
        let mut written = vec![5; 8192];
        assert_eq!(pass(&mut queue, operation(true, 0, (1 << 39) + 4095), &mut written), 8192);
    }
}
