//! Free space of ext4 by the buddy allocator's own numbers: /proc/fs/ext4/DEVICE/mb_groups.
//!
//! `ext4_mb_seq_groups_show` (fs/ext4/mballoc.c, Linux 6.18) writes a line a group: free clusters, free pieces,
//! first free cluster, and how many free buddies there are of each order. Sums and numbers of pieces are exact,
//! cut at the borders of groups. A piece may be of several buddies, so lengths of pieces cannot be told.

use std::io;
use std::path::Path;

use fsgauge_wire::{FreeSpace, Group};

use super::mount::Mount;
use crate::file_system_info::GroupPlace;
use crate::measure::sum_only;

/// One group, in clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BuddyGroup {
    free: u64,
    pieces: u64,
    /// The largest free buddy: a free piece is at least as long.
    largest_buddy: u64,
}

pub(super) fn read(mount: &Mount) -> io::Result<Vec<BuddyGroup>> {
    // The kernel's name of the device is the last part of where the source's links lead to.
    let device = mount.source.canonicalize()?;
    let name = device.file_name().ok_or(io::ErrorKind::NotFound)?;
    let text = std::fs::read_to_string(Path::new("/proc/fs/ext4").join(name).join("mb_groups"))?;
    Ok(text.lines().filter_map(parse).collect())
}

/// `#0    : 64    8     1788  [ 6     5     2     1     2     0 ]`
fn parse(line: &str) -> Option<BuddyGroup> {
    let (_, numbers) = line.strip_prefix('#')?.split_once(':')?;
    let (sums, orders) = numbers.split_once('[')?;
    let mut sums = sums.split_whitespace().map_while(|word| word.parse::<u64>().ok());
    let orders = orders.split_whitespace().map_while(|word| word.parse::<u64>().ok());
    let largest = orders.enumerate().filter(|(order, count)| *count > 0 && *order < 64).last();
    let (free, pieces) = (sums.next()?, sums.next()?);
    Some(BuddyGroup { free, pieces, largest_buddy: largest.map_or(0, |(order, _)| 1 << order) })
}

/// All that are free.
pub(super) fn free_clusters(found: &[BuddyGroup]) -> u64 {
    found.iter().map(|group| group.free).fold(0, u64::saturating_add)
}

/// What can be told: the sum, the pieces cut at groups, and each group.
pub(super) fn space(
    found: &[BuddyGroup],
    places: &[GroupPlace],
    cluster_bytes: u64,
) -> (FreeSpace, Vec<Group>) {
    let free = FreeSpace {
        extents: Some(found.iter().map(|group| group.pieces).fold(0, u64::saturating_add)),
        ..sum_only(free_clusters(found).saturating_mul(cluster_bytes))
    };
    let group = |(place, found): (&GroupPlace, &BuddyGroup)| Group {
        offset_bytes: place.offset_bytes,
        size_bytes: place.size_bytes,
        free_bytes: found.free.saturating_mul(cluster_bytes),
        free_extents: found.pieces,
        largest_free_bytes: largest(found).saturating_mul(cluster_bytes),
    };
    (free, places.iter().zip(found).map(group).collect())
}

/// Exact where there is one piece, else at least that.
fn largest(group: &BuddyGroup) -> u64 {
    if group.pieces == 1 { group.free } else { group.largest_buddy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_is_read() {
        let line = "#0    : 64    8     1788  [ 6     5     2     1     2     0     0     0     0     0     0     0     0     0     ]";
        assert_eq!(parse(line), Some(BuddyGroup { free: 64, pieces: 8, largest_buddy: 16 }));
        let with_averages = "#12   : 32768 1     0     [ 0     0     0     0     0     0     0     0     0     0     0     0     0     4     ]  bbitmap";
        assert_eq!(parse(with_averages), Some(BuddyGroup { free: 32768, pieces: 1, largest_buddy: 8192 }));
        assert_eq!(parse("#group: free  frags first [ 2^0   2^1   ]"), None);
        assert_eq!(parse("#0    : I/O error"), None);
    }

    #[test]
    fn only_a_single_piece_is_known_exactly() {
        let found = [
            BuddyGroup { free: 100, pieces: 1, largest_buddy: 64 },
            BuddyGroup { free: 100, pieces: 3, largest_buddy: 64 },
        ];
        let places = [0, 1000].map(|offset_bytes| GroupPlace { offset_bytes, size_bytes: 1000 });
        let (free, groups) = space(&found, &places, 4);
        assert_eq!((free.size_bytes, free.extents, free.largest_bytes), (800, Some(4), None));
        assert_eq!((groups[0].largest_free_bytes, groups[1].largest_free_bytes), (400, 256));
    }
}
