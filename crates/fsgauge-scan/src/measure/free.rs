//! Free space: how much, in how many pieces, how long they are.

use fsgauge_wire::{FreeAtLeast, FreeSpace, MetadataSpace};

use super::lengths::Lengths;
use crate::extent::Unplaced;

/// Powers of two, an allocation unit of each scale: small files, read-ahead, stripes, block groups.
const AT_LEAST_BYTES: [u64; 4] = [64 << 10, 1 << 20, 8 << 20, 128 << 20];

/// Free pieces, as they come.
#[derive(Debug, Clone)]
pub(crate) struct Free {
    lengths: Lengths,
    largest_bytes: u64,
    copies_bytes: u64,
    unallocated_bytes: u64,
    unread_bytes: u64,
    metadata: Option<MetadataSpace>,
}

impl Free {
    pub(crate) fn new() -> Self {
        Free {
            lengths: Lengths::new(),
            largest_bytes: 0,
            copies_bytes: 0,
            unallocated_bytes: 0,
            unread_bytes: 0,
            metadata: None,
        }
    }

    /// What is in no free piece.
    pub(crate) fn add_unplaced(&mut self, what: Unplaced, length_bytes: u64) {
        let sum = match what {
            Unplaced::Unallocated => &mut self.unallocated_bytes,
            Unplaced::Copies => &mut self.copies_bytes,
            Unplaced::Unread => &mut self.unread_bytes,
        };
        *sum = sum.saturating_add(length_bytes);
    }

    /// One more chunk, or all of them, that hold no data of files.
    pub(crate) fn add_metadata(&mut self, chunk: &MetadataSpace) {
        let sum = self.metadata.get_or_insert_default();
        sum.size_bytes = sum.size_bytes.saturating_add(chunk.size_bytes);
        sum.free_bytes = sum.free_bytes.saturating_add(chunk.free_bytes);
        sum.free_device_bytes = sum.free_device_bytes.saturating_add(chunk.free_device_bytes);
        sum.system_bytes = sum.system_bytes.saturating_add(chunk.system_bytes);
        sum.system_free_bytes = sum.system_free_bytes.saturating_add(chunk.system_free_bytes);
    }

    pub(crate) fn add(&mut self, length_bytes: u64) {
        self.lengths.add(length_bytes);
        self.largest_bytes = self.largest_bytes.max(length_bytes);
    }

    /// All pieces were seen.
    pub(crate) fn space(&self) -> FreeSpace {
        let at_least = |at_least_bytes| FreeAtLeast {
            at_least_bytes,
            size_bytes: self.lengths.size_bytes_from(at_least_bytes),
        };
        FreeSpace {
            size_bytes: self.lengths.size_bytes(),
            device_bytes: Some(self.lengths.size_bytes().saturating_add(self.copies_bytes)),
            unallocated_bytes: Some(self.unallocated_bytes),
            unread_bytes: Some(self.unread_bytes),
            metadata: self.metadata.filter(|_| self.unread_bytes == 0),
            extents: Some(self.lengths.pieces()),
            largest_bytes: Some(self.largest_bytes),
            lengths: self.lengths.list(),
            at_least: AT_LEAST_BYTES.into_iter().map(at_least).collect(),
        }
    }
}

/// Only the sum is known.
pub(crate) fn sum_only(size_bytes: u64) -> FreeSpace {
    FreeSpace {
        size_bytes,
        device_bytes: None,
        unallocated_bytes: None,
        unread_bytes: Some(0),
        metadata: None,
        extents: None,
        largest_bytes: None,
        lengths: Vec::new(),
        at_least: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_counts_pieces_that_just_reach_it() {
        let mut free = Free::new();
        [4096, 64 << 10, (1 << 20) - 1, 1 << 20, 200 << 20].into_iter().for_each(|length| free.add(length));
        let space = free.space();
        let at_least: Vec<u64> = space.at_least.iter().map(|bin| bin.size_bytes).collect();
        let large = 200 << 20;
        let (one, nearly, small) = (1 << 20, (1 << 20) - 1, 64 << 10);
        assert_eq!(at_least, [small + nearly + one + large, one + large, large, large]);
        assert_eq!((space.extents, space.largest_bytes), (Some(5), Some(large)));
        assert_eq!(space.size_bytes, 4096 + small + nearly + one + large);
    }

    #[test]
    fn what_is_in_no_piece_is_summed_beside_them() {
        let mut free = Free::new();
        free.add(4096);
        for (what, bytes) in [
            (Unplaced::Unallocated, 5),
            (Unplaced::Copies, 4096),
            (Unplaced::Unread, 7),
            (Unplaced::Unread, 1),
        ] {
            free.add_unplaced(what, bytes);
        }
        let space = free.space();
        assert_eq!((space.size_bytes, space.device_bytes), (4096, Some(8192)));
        assert_eq!((space.unallocated_bytes, space.unread_bytes), (Some(5), Some(8)));
    }

    #[test]
    fn a_full_file_system_has_no_free_pieces() {
        let space = Free::new().space();
        assert_eq!((space.size_bytes, space.extents, space.largest_bytes), (0, Some(0), Some(0)));
    }
}
