//! Free space of a mounted file system, by the best way that this user and this kernel have.

use std::os::fd::BorrowedFd;

use fsgauge_wire::{FreeSpace, ScanStage};
use rustix::fs::{StatVfs, fstatvfs};
use rustix::io::Errno;

use super::btrfs_counters::Counters;
use super::geometry::Geometry;
use super::mount::Mount;
use super::space::{Space, none};
use super::{btrfs_counters, ext_bitmaps, getfsmap, mb_groups, refusal};
use crate::error_text::error_text;
use crate::extent::{Sink, Unplaced};
use crate::measure::{Measure, Wanted, sum_only};
use crate::problems::Problems;
use crate::reader_threads::{IsStopped, ReaderThreads};
use crate::source::note;

pub(super) fn read(
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    wanted: &Wanted,
    readers: &mut ReaderThreads<'_>,
) -> Space {
    readers.stage = ScanStage::FreeSpace;
    let mut space = readers.run_here(|_, is_stopped| best(open, mount, geometry, wanted, is_stopped));
    if readers.stop().is_set() {
        (space.free, space.groups) = (None, Vec::new());
        space.notes.push(note("space_incomplete", "the scan was stopped before all free space was read"));
    }
    space
}

fn best(
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    wanted: &Wanted,
    is_stopped: IsStopped<'_>,
) -> Space {
    let by_pieces = match mount.file_system.as_str() {
        "btrfs" => by_chunks(open, geometry, wanted, is_stopped),
        _ => by_getfsmap(open, mount, geometry, wanted, is_stopped),
    };
    let refused = by_pieces.as_ref().err().copied();
    let listed = by_pieces.or_else(|errno| by_mb_groups(mount, geometry, wanted).ok_or(errno));
    let mut space = match listed {
        Ok(listed) if mount.is_ext() => {
            ext_bitmaps::in_place_of(listed, open, mount, geometry, wanted, is_stopped)
        }
        Ok(listed) => listed,
        Err(errno) => match by_counters(open, mount, wanted) {
            Some(space) => space,
            None => by_statfs(open, mount, geometry, wanted, errno),
        },
    };
    // What the device did not return is no way that this user lacks.
    if refused == Some(Errno::IO) {
        refusal::add(&mut space.problems, Errno::IO, "free space");
    }
    space
}

fn by_getfsmap(
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    wanted: &Wanted,
    is_stopped: IsStopped<'_>,
) -> Result<Space, Errno> {
    let mut measure = Measure::with_groups(wanted.clone(), &geometry.groups);
    let mut problems = Problems::new();
    let end = getfsmap::read(open, mount.device_number, &mut measure, is_stopped, &mut problems)?;
    if !problems.is_empty() {
        measure.unplaced(Unplaced::Unread, wanted.size_bytes.saturating_sub(end));
    }
    Ok(Space::all_known(measure, "getfsmap", problems))
}

fn by_chunks(
    open: BorrowedFd<'_>,
    geometry: &Geometry,
    wanted: &Wanted,
    is_stopped: IsStopped<'_>,
) -> Result<Space, Errno> {
    let chunks = geometry.chunks.as_ref().ok_or(Errno::PERM)?;
    let mut measure = Measure::with_groups(wanted.clone(), &geometry.groups);
    chunks.read(open, &mut measure, is_stopped)?;
    if let Some(Counters { metadata, .. }) = btrfs_counters::read(open) {
        measure.metadata(&metadata);
    }
    Ok(Space::all_known(measure, "free space trees", Problems::new()))
}

/// Sums and numbers of pieces, without their lengths.
fn by_mb_groups(mount: &Mount, geometry: &Geometry, wanted: &Wanted) -> Option<Space> {
    let found = mb_groups::read(mount).ok().filter(|found| !found.is_empty())?;
    let cluster_bytes = geometry.cluster_bytes.unwrap_or(geometry.block_bytes.into());
    let (free, groups) = mb_groups::space(&found, &geometry.groups, cluster_bytes);
    let text = "free space is known by the numbers of pieces in each block group alone: pieces are cut at the \
                groups' borders, their lengths are not known, and a group's largest is at least what is shown";
    Some(Space {
        by: "mb_groups",
        free: Some(free),
        groups,
        notes: vec![note("free_pieces_unknown", text)],
        ..none(wanted)
    })
}

/// Sums of btrfs, for those who may not read its trees.
fn by_counters(open: BorrowedFd<'_>, mount: &Mount, wanted: &Wanted) -> Option<Space> {
    let counters = (mount.file_system == "btrfs").then(|| btrfs_counters::read(open)).flatten()?;
    let free = FreeSpace {
        device_bytes: Some(counters.data.free_device_bytes),
        unallocated_bytes: Some(counters.unallocated_bytes?),
        metadata: Some(counters.metadata),
        ..sum_only(counters.data.free_bytes)
    };
    let text =
        format!("only sums of free space are known: {} may not read the trees of btrfs", super::who().0);
    Some(Space {
        by: "counters",
        free: Some(free),
        notes: vec![note("free_pieces_unknown", text)],
        ..none(wanted)
    })
}

fn by_statfs(
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    wanted: &Wanted,
    errno: Errno,
) -> Space {
    let sum = |found: StatVfs| {
        let free = sum_only(found.f_bfree.saturating_mul(found.f_frsize));
        // btrfs counts what files may take; with their copies it is as much more as all of it is (btrfs_statfs in
        // fs/btrfs/super.c of Linux 6.12).
        let counted_bytes = u128::from(found.f_blocks) * u128::from(found.f_frsize);
        let on_devices = u128::from(free.size_bytes) * u128::from(geometry.size_bytes);
        let device_bytes = on_devices.checked_div(counted_bytes).and_then(|bytes| u64::try_from(bytes).ok());
        FreeSpace { device_bytes: device_bytes.filter(|_| mount.file_system == "btrfs"), ..free }
    };
    let free = fstatvfs(open).ok().map(sum);
    let why = error_text(errno);
    let text = format!("only total free space is known: free extents may not be read ({why})");
    Space { by: "statfs", free, notes: vec![note("free_pieces_unknown", text)], ..none(wanted) }
}
