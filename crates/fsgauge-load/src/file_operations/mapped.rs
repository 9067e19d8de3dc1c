//! A read by mapping: a piece of a file is mapped, copied out and unmapped.
//!
//! Unsafe code: mmap(2), and reading what is mapped. The job alone changes the file's length, and does not meanwhile;
//! where the storage cannot give a page, the kernel ends the process (SIGBUS).

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

const PAGE_BYTES: u64 = 4096;

/// Copies `buffer.len()` bytes from `offset`; they lie inside the file.
pub(crate) fn read(file: BorrowedFd<'_>, offset: u64, buffer: &mut [u8]) -> Result<(), Errno> {
    let begin = offset / PAGE_BYTES * PAGE_BYTES;
    let inside = (offset - begin) as usize;
    let length = inside + buffer.len();
    // SAFETY: a fresh mapping at an address of the kernel's choice replaces nothing.
    let base = unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, begin)? };
    // SAFETY: `length` bytes are mapped from `base` on, and the buffer is no part of the mapping.
    unsafe {
        let from = base.cast::<u8>().wrapping_add(inside);
        std::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), buffer.len());
        munmap(base, length)
    }
}
