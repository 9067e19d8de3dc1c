//! How long compressed extents of a mounted btrfs are on the device. FIEMAP gives the length of their contents alone; the
//! tree of the file's subvolume has both, and root may search it.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use super::kernel::TreeSearch;
use crate::extent::{Extent, Kinds};
use crate::source::btrfs::items::{FileExtent, FileExtentPlace, Key, kind};

/// Room for the items of one search: of a file of some 25 MiB.
const ROOM_BYTES: usize = 16 << 10;
/// The tree in which the file itself lies.
const OWN_TREE: u64 = 0;

/// Asks for one file after the other. Each thread has its own.
#[derive(Debug)]
pub(super) struct DeviceLengths {
    search: TreeSearch,
    is_allowed: bool,
    items: Vec<Extent>,
}

impl DeviceLengths {
    pub(super) fn new() -> Self {
        DeviceLengths { search: TreeSearch::new(ROOM_BYTES), is_allowed: true, items: Vec::new() }
    }

    /// Puts the extents of the tree in place of compressed ones that FIEMAP gave. What does not agree stays, with a length
    /// that is not known: the file changed meanwhile.
    pub(super) fn fill(&mut self, file: BorrowedFd<'_>, inode: u64, extents: &mut Vec<Extent>) {
        if !self.is_allowed {
            return;
        }
        match self.read(file, inode) {
            Ok(()) => *extents = put_in_place(extents, &self.items),
            Err(Errno::PERM | Errno::NOTTY) => self.is_allowed = false,
            Err(_) => {}
        }
    }

    /// Compressed extents of a file, as the tree has them: keys ascend, so this ends.
    fn read(&mut self, file: BorrowedFd<'_>, inode: u64) -> Result<(), Errno> {
        self.items.clear();
        let key = |offset: u64| Key { object: inode, kind: kind::FILE_EXTENT, offset };
        let mut next = Some(0);
        while let Some(from) = next.take() {
            for (found, contents) in self.search.read(file, OWN_TREE, key(from), key(u64::MAX))? {
                let is_of_file = found.object == inode && found.kind == kind::FILE_EXTENT;
                if !is_of_file || found.offset < from {
                    continue;
                }
                next = found.offset.checked_add(1);
                self.items.extend(compressed(found.offset, contents));
            }
        }
        Ok(())
    }
}

fn compressed(logical_bytes: u64, contents: &[u8]) -> Option<Extent> {
    let item = FileExtent::parse(contents).filter(|item| item.is_compressed)?;
    let FileExtentPlace::Regular(regular) = item.place else { return None };
    Some(Extent {
        logical_bytes,
        physical_bytes: regular.address,
        length_bytes: regular.length,
        device_bytes: regular.device_length,
        kinds: Kinds::COMPRESSED,
    })
}

/// FIEMAP may give two of the tree as one, where what they hold would just fill the place between their begins.
fn put_in_place(extents: &[Extent], items: &[Extent]) -> Vec<Extent> {
    let mut found = Vec::with_capacity(extents.len());
    let mut rest = items;
    for extent in extents {
        let end = extent.logical_bytes.saturating_add(extent.length_bytes);
        let before = rest.partition_point(|item| item.logical_bytes < extent.logical_bytes);
        let within = rest.partition_point(|item| item.logical_bytes < end);
        let inside = rest.get(before..within).unwrap_or(&[]);
        rest = rest.get(within..).unwrap_or(&[]);
        let length_bytes: u64 = inside.iter().map(|item| item.length_bytes).sum();
        let first = inside.first().map(|item| (item.logical_bytes, item.physical_bytes));
        let is_same = first == Some((extent.logical_bytes, extent.physical_bytes));
        if extent.kinds.has(Kinds::COMPRESSED) && is_same && length_bytes == extent.length_bytes {
            found.extend(inside.iter().map(|item| Extent { kinds: extent.kinds, ..*item }));
        } else {
            found.push(*extent);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(logical: u64, physical: u64, length: u64, device_bytes: u64) -> Extent {
        Extent { device_bytes, ..Extent::plain(logical, physical, length, Kinds::COMPRESSED) }
    }

    #[test]
    fn lengths_on_the_device_are_put_in_place_and_what_was_told_as_one_is_cut() {
        let plain = Extent::plain(400, 9000, 100, Kinds::default());
        let extents = [told(0, 1000, 100, 0), told(100, 5000, 300, 0), plain];
        let items = [told(0, 1000, 100, 30), told(100, 5000, 100, 40), told(200, 5100, 200, 50)];
        let expected = [items[0], items[1], items[2], plain];
        assert_eq!(put_in_place(&extents, &items), expected);
    }

    #[test]
    fn what_changed_meanwhile_stays_without_a_length() {
        let extents = [told(0, 1000, 100, 0)];
        for items in [vec![], vec![told(0, 2000, 100, 30)], vec![told(0, 1000, 90, 30)]] {
            assert_eq!(put_in_place(&extents, &items), extents);
        }
    }
}
