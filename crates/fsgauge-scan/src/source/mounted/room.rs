//! What a mounted file system and its kernel say of the use of space, beside free pieces.

use std::os::fd::BorrowedFd;

use fsgauge_wire::{Counted, InodeChunk, Inodes, Room};
use rustix::fs::fstatvfs;

use super::geometry::Geometry;
use super::mount::{self, Mount};
use super::{btrfs_counters, kernel, quotas};
use crate::measure::Measure;
use crate::source::host_file::host_file;
use crate::source::rotational::is_rotational;

/// `measure` has read the free pieces.
pub(super) fn read(
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    measure: &Measure,
    pieces_are_known: bool,
) -> Room {
    let found = fstatvfs(open).ok();
    let counted = found.as_ref().map(|found| Counted {
        size_bytes: found.f_blocks.saturating_mul(found.f_frsize),
        free_bytes: found.f_bfree.saturating_mul(found.f_frsize),
        available_bytes: found.f_bavail.saturating_mul(found.f_frsize),
    });
    // Of a folder whose new files lie on the real-time device, statfs(2) counts that device (xfs_fs_statfs in
    // fs/xfs/xfs_super.c of Linux 6.12).
    let counted = counted.filter(|it| it.size_bytes == 0 || it.size_bytes != geometry.realtime_bytes);
    let inodes = found.filter(|found| found.f_files > 0);
    let reserved =
        counted.filter(|_| mount.is_ext()).map(|it| it.free_bytes.saturating_sub(it.available_bytes));
    let counters = (mount.file_system == "btrfs").then(|| btrfs_counters::read(open)).flatten();
    Room {
        counted,
        reserved_bytes: reserved,
        metadata_reserve_bytes: counters.and_then(|counters| counters.reserve_bytes),
        unpaired_bytes: counters.and_then(|counters| counters.unpaired_bytes),
        inodes: inodes.map(|found| Inodes { total: found.f_files, free: found.f_ffree }),
        cluster_bytes: geometry.cluster_bytes,
        device_bytes: geometry.device_bytes,
        host_file: geometry
            .device_bytes
            .and_then(|size_bytes| host_file(&mount::file_behind(mount::block_device(mount)?)?, size_bytes)),
        inode_chunk: geometry.inode_place.and_then(|place| {
            Some(InodeChunk {
                least_bytes: place.length_bytes,
                align_bytes: place.align_bytes,
                below_bytes: place.below_bytes,
                places: measure.inode_places().filter(|_| pieces_are_known),
                free_inodes: kernel::xfs_free_inodes(open).ok()?,
            })
        }),
        full_quotas: quotas::full(open, mount),
        taken_bytes: None,
        full_folders: Vec::new(),
        emptied_folders: Vec::new(),
        deleted: None,
        is_rotational: mount::block_device(mount).and_then(is_rotational),
    }
}
