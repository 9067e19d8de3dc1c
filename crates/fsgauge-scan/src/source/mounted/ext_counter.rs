//! How much of a mounted ext2, ext3 or ext4 is free, by the file system's own counter.

use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::fstatvfs;

use super::geometry::Geometry;
use super::mount::{self, Mount};

/// Free bytes: what statfs(2) says, and what it has taken off already for data that is still in the cache
/// (`ext4_statfs` in fs/ext4/super.c, Linux 6.18), which is not known without /sys. `None` where it shows the quota of a
/// project (`ext4_statfs_project`): less than the file system has, and all of it for everybody.
pub(super) fn free_bytes(open: BorrowedFd<'_>, mount: &Mount, geometry: &Geometry) -> Option<u64> {
    let statistics = fstatvfs(open).ok()?;
    let counted_bytes = statistics.f_blocks.checked_mul(statistics.f_frsize)?;
    if statistics.f_bfree == statistics.f_bavail && counted_bytes < geometry.size_bytes / 4 * 3 {
        return None;
    }
    let block_bytes = u64::from(geometry.block_bytes);
    let free = statistics.f_bfree.checked_mul(statistics.f_frsize)?;
    free.checked_add(delayed_blocks(mount).unwrap_or(0).checked_mul(block_bytes)?)
}

fn delayed_blocks(mount: &Mount) -> Option<u64> {
    let name = mount::kernel_name(mount.device_number)?;
    let file = Path::new("/sys/fs/ext4").join(name).join("delayed_allocation_blocks");
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}
