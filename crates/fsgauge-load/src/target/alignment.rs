//! The alignment that direct I/O needs on a file or device.

use std::os::fd::AsFd;

use rustix::fs::{AtFlags, StatxFlags, statx};

/// STATX_DIOALIGN (Linux 6.1, commit 825cf206ed51).
const STATX_DIOALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);
/// What is assumed where the file system does not say: the smallest sector there is.
const SECTOR_BYTES: u32 = 512;

/// The alignment of offsets and sizes, in bytes. `None` when the file system says that it has no direct I/O.
pub(crate) fn required_alignment(file: impl AsFd) -> Option<u32> {
    match statx(file, "", AtFlags::EMPTY_PATH, STATX_DIOALIGN) {
        Ok(status) if status.stx_mask & STATX_DIOALIGN.bits() != 0 => (status.stx_dio_offset_align > 0)
            .then(|| status.stx_dio_offset_align.max(status.stx_dio_mem_align)),
        _ => Some(SECTOR_BYTES),
    }
}
