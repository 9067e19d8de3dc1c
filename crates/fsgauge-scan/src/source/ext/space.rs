//! Free space from the block bitmaps, and the places of the groups' own structures.
//!
//! Source: Documentation/filesystems/ext4/{bitmaps,blockgroup,bigalloc}.rst, fs/ext4/balloc.c of Linux 6.12.

use super::Ext;
use super::bitmap::zero_runs;
use super::bitmap_fault::bitmap_fault;
use super::descriptors::Descriptor;
use super::superblock::Superblock;
use crate::{Piece, PieceKind, Problems, Sink, Unplaced, Window};

/// Blocks from the first to before the second.
type Range = (u64, u64);

/// Pours metadata pieces, then free pieces, ascending.
pub(super) fn read(ext: &Ext, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
    let superblock = &ext.superblock;
    let block_size = u64::from(superblock.block_size);
    let is_clean = superblock.is_clean();
    let own = own_ranges(superblock, &ext.groups, problems);
    for &(start, end) in &own {
        let (offset_bytes, length_bytes) = (start * block_size, (end - start) * block_size);
        sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
    }
    let mut window = Window::new(ext.image);
    let mut free = FreeRun { sink, block_size, start: 0, end: 0 };
    for (group, descriptor) in ext.groups.iter().enumerate() {
        if stop() {
            break;
        }
        let range = superblock.group_blocks(group as u64);
        let Some(descriptor) = descriptor else {
            free.unread(&own, range);
            continue;
        };
        if descriptor.block_uninit {
            for (start, end) in gaps(&own, range, superblock.cluster_blocks) {
                free.add(start, end);
            }
            continue;
        }
        if !superblock_holds(superblock, descriptor.block_bitmap, 1) {
            damaged(problems, group, "block bitmap", descriptor.block_bitmap);
            free.unread(&own, range);
            continue;
        }
        let bitmap = window.get(
            descriptor.block_bitmap * block_size,
            superblock.block_size as usize,
            problems,
            format_args!("block bitmap of group {group}"),
        );
        let Some(bitmap) = bitmap else {
            free.unread(&own, range);
            continue;
        };
        let cluster = superblock.cluster_blocks;
        let clusters = (range.1 - range.0).div_ceil(cluster);
        let fault = is_clean.then(|| bitmap_fault(superblock, descriptor, bitmap, clusters)).flatten();
        if let Some(fault) = fault {
            problems.add_damage(format_args!("block bitmap of group {group}: {fault}"));
            free.unread(&own, range);
            continue;
        }
        zero_runs(bitmap, clusters, |bit, bits| {
            let start = range.0 + bit * cluster;
            free.add(start, (start + bits * cluster).min(range.1));
        });
    }
    if ext.groups.len() as u64 != superblock.groups {
        // Groups behind the end of the image.
        free.unread(&own, (superblock.group_blocks(ext.groups.len() as u64).0, superblock.blocks));
    }
    free.flush();
}

/// Joins free runs that touch across groups.
struct FreeRun<'a> {
    sink: &'a mut dyn Sink,
    block_size: u64,
    start: u64,
    end: u64,
}

impl FreeRun<'_> {
    fn add(&mut self, start: u64, end: u64) {
        if start != self.end {
            self.flush();
            self.start = start;
        }
        self.end = end;
    }

    /// What of a range is not the file system's own may be free or not.
    fn unread(&mut self, own: &[Range], range: Range) {
        let blocks: u64 = gaps(own, range, 1).into_iter().map(|(start, end)| end - start).sum();
        self.sink.unplaced(Unplaced::Unread, blocks.saturating_mul(self.block_size));
    }

    fn flush(&mut self) {
        if self.end > self.start {
            let offset_bytes = self.start * self.block_size;
            let length_bytes = (self.end - self.start) * self.block_size;
            self.sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Free });
        }
        self.start = self.end;
    }
}

/// Superblock copies, descriptors, bitmaps and tables, sorted and merged.
fn own_ranges(superblock: &Superblock, groups: &[Option<Descriptor>], problems: &mut Problems) -> Vec<Range> {
    let mut ranges = Vec::new();
    // The boot block lies before the first group when blocks are of 1 KiB.
    ranges.push((0, superblock.first_data_block));
    if superblock.block_size == 1024 && superblock.first_data_block == 0 {
        ranges.push((0, 2));
    }
    if superblock_holds(superblock, superblock.mmp_block, 1) {
        ranges.push((superblock.mmp_block, superblock.mmp_block + 1));
    }
    for (group, descriptor) in groups.iter().enumerate() {
        let (first, end) = superblock.group_blocks(group as u64);
        ranges.push((first, (first + superblock.base_blocks(group as u64)).min(end)));
        let Some(descriptor) = descriptor else { continue };
        let tables = [
            ("block bitmap", descriptor.block_bitmap, 1),
            ("inode bitmap", descriptor.inode_bitmap, 1),
            ("inode table", descriptor.inode_table, superblock.table_blocks()),
        ];
        for (name, start, length) in tables {
            if superblock_holds(superblock, start, length) {
                ranges.push((start, start + length));
            } else {
                damaged(problems, group, name, start);
            }
        }
        // Descriptors can lie about a group only, but all of them together must stay small.
        if ranges.len() > 1 << 16 && ranges.len().is_power_of_two() {
            merge(&mut ranges);
        }
    }
    merge(&mut ranges);
    ranges
}

fn merge(ranges: &mut Vec<Range>) {
    ranges.retain(|&(start, end)| end > start);
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let touches = next.0 <= kept.1;
        if touches {
            kept.1 = kept.1.max(next.1);
        }
        touches
    });
}

/// What of `range` is in none of `own`, in whole clusters.
fn gaps(own: &[Range], range: Range, cluster: u64) -> Vec<Range> {
    let first = own.partition_point(|&(_, end)| end <= range.0);
    let mut gaps = Vec::new();
    let mut at = range.0;
    let up = |block: u64| range.0 + (block - range.0).next_multiple_of(cluster);
    let down = |block: u64| range.0 + (block - range.0) / cluster * cluster;
    for &(start, end) in own.get(first..).unwrap_or(&[]).iter().take_while(|own| own.0 < range.1) {
        let until = down(start.max(range.0));
        if until > at {
            gaps.push((at, until));
        }
        at = at.max(up(end.min(range.1)));
    }
    if at < range.1 {
        gaps.push((at, range.1));
    }
    gaps
}

fn superblock_holds(superblock: &Superblock, start: u64, length: u64) -> bool {
    start > superblock.first_data_block
        && start.checked_add(length).is_some_and(|end| end <= superblock.blocks)
}

fn damaged(problems: &mut Problems, group: usize, what: &str, block: u64) {
    problems.add(
        "damaged",
        "A structure of the file system is not valid and was skipped",
        format_args!("{what} of group {group}: block {block} is not in the file system"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_what_is_left_of_a_group() {
        let own = [(0, 3), (10, 12), (30, 50)];
        assert_eq!(gaps(&own, (0, 40), 1), [(3, 10), (12, 30)]);
        assert_eq!(gaps(&own, (11, 20), 1), [(12, 20)]);
        assert_eq!(gaps(&own, (31, 49), 1), []);
        assert_eq!(gaps(&own, (60, 70), 1), [(60, 70)]);
        assert_eq!(gaps(&own, (0, 64), 4), [(4, 8), (12, 28), (52, 64)]);
    }

    #[test]
    fn ranges_that_touch_or_overlap_become_one() {
        let mut ranges = vec![(5, 6), (0, 0), (6, 9), (1, 3), (7, 8), (20, 21)];
        merge(&mut ranges);
        assert_eq!(ranges, [(1, 3), (5, 9), (20, 21)]);
    }
}
