//! Blocks that several files share, from the reference counts of each group.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 22; `struct xfs_refcount_rec` and
//! `xfs_reflink_trim_around_shared` in fs/xfs of Linux 6.12.

use std::sync::OnceLock;

use super::tree::{REFERENCES, Walk};
use super::{Xfs, group};
use crate::bytes::Bytes;
use crate::extent::FILE_EXTENTS_LIMIT;
use crate::visited_blocks::VisitedBlocks;
use crate::{Extent, Kinds, Problems, Window};

/// Records of copies that are only being made have this bit in their block number.
const COPY_IN_PROGRESS: u32 = 1 << 31;

/// Ranges of bytes of the device from the first to before the second, ascending, not touching.
type Ranges = Vec<(u64, u64)>;

/// The shared ranges of each group, read when a file first needs them.
#[derive(Debug)]
pub(super) struct Shared(Vec<OnceLock<Ranges>>);

impl Shared {
    pub(super) fn new(groups: u64) -> Shared {
        Shared((0..groups).map(|_| OnceLock::new()).collect())
    }

    /// Cuts extents where sharing begins and ends, as the kernel shows them, and marks those that are shared.
    pub(super) fn mark<'a>(
        &self,
        xfs: &'a Xfs<'a>,
        extents: &mut Vec<Extent>,
        stop: &dyn Fn() -> bool,
        problems: &mut Problems,
    ) {
        let group_bytes = xfs.superblock.group_blocks * u64::from(xfs.superblock.block_size);
        let whole = std::mem::take(extents);
        for extent in whole {
            // A file that shares thousands of pieces with itself, thousands of times.
            if extents.len() >= FILE_EXTENTS_LIMIT {
                return problems
                    .add_too_many_extents(format_args!("group {}", extent.physical_bytes / group_bytes));
            }
            let group = extent.physical_bytes / group_bytes;
            let Some(cell) = usize::try_from(group).ok().and_then(|group| self.0.get(group)) else {
                extents.push(extent);
                continue;
            };
            cut(&extent, cell.get_or_init(|| read(xfs, group, stop, problems)), extents);
        }
    }
}

fn cut(extent: &Extent, shared: &Ranges, pieces: &mut Vec<Extent>) {
    let end = extent.physical_bytes + extent.length_bytes;
    let mut at = extent.physical_bytes;
    let mut push = |start: u64, end: u64, kinds: Kinds| {
        if end > start {
            pieces.push(Extent::plain(
                extent.logical_bytes + (start - extent.physical_bytes),
                start,
                end - start,
                extent.kinds.with(kinds),
            ));
        }
    };
    let first = shared.partition_point(|range| range.1 <= at);
    for &(from, to) in shared.get(first..).unwrap_or(&[]).iter().take_while(|range| range.0 < end) {
        let from = from.max(at);
        push(at, from, Kinds::default());
        at = to.min(end);
        push(from, at, Kinds::SHARED);
    }
    push(at, end, Kinds::default());
}

fn read<'a>(xfs: &'a Xfs<'a>, group: u64, stop: &dyn Fn() -> bool, problems: &mut Problems) -> Ranges {
    let mut window = Window::new(xfs.image);
    let mut ranges: Ranges = Vec::new();
    let block_size = u64::from(xfs.superblock.block_size);
    let header = group::free_space(xfs, &mut window, group, problems);
    let Some(root) = header.and_then(|header| header.references) else { return ranges };
    let mut walk =
        Walk { xfs, window: &mut window, group, kind: REFERENCES, met: &VisitedBlocks::default(), stop };
    walk.records(root, problems, &mut |_| {}, &mut |record, problems| {
        let Some(record) = record else { return };
        let (Some(start), Some(length), Some(references)) = (record.be32(0), record.be32(4), record.be32(8))
        else {
            return;
        };
        if references < 2 || start & COPY_IN_PROGRESS != 0 {
            return;
        }
        let offset = xfs.superblock.group_offset(group, u64::from(start));
        let end_before = ranges.last().map_or(0, |range| range.1);
        match offset.filter(|&offset| offset >= end_before) {
            Some(offset) => {
                let end = offset + u64::from(length) * block_size;
                match ranges.last_mut() {
                    Some(last) if last.1 == offset => last.1 = end,
                    _ => ranges.push((offset, end)),
                }
            }
            None => problems.add_damage(format_args!("reference counts of group {group}: block {start}")),
        }
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_cut_where_sharing_begins_and_ends() {
        let extent = Extent::plain(100, 1000, 50, Kinds(0));
        let shared = vec![(0, 10), (990, 1005), (1010, 1020), (1045, 1060), (2000, 2001)];
        let mut pieces = Vec::new();
        cut(&extent, &shared, &mut pieces);
        let seen: Vec<_> =
            pieces.iter().map(|p| (p.logical_bytes, p.physical_bytes, p.length_bytes, p.kinds.0)).collect();
        assert_eq!(
            seen,
            [
                (100, 1000, 5, 32),
                (105, 1005, 5, 0),
                (110, 1010, 10, 32),
                (120, 1020, 25, 0),
                (145, 1045, 5, 32)
            ]
        );
        pieces.clear();
        cut(&extent, &vec![(900, 1000), (1050, 1100)], &mut pieces);
        assert_eq!(pieces, [extent]);
    }
}
