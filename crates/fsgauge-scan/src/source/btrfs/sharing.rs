//! Which extents and tree blocks are referred to by several files or trees.
//!
//! One bit for each sector at which such an extent begins, in pages that exist only where there is one: memory grows
//! with what is shared, at most 1/30,000 of the device, and not with the number of files.

use std::collections::HashMap;

use super::Volume;
use super::items::{ExtentItem, kind};
use super::pointer::Pointer;
use crate::Problems;

const PAGE_WORDS: u64 = 16;
const PAGE_BITS: u64 = PAGE_WORDS * 64;

/// Where shared extents begin.
#[derive(Debug)]
pub(super) struct Sharing {
    sector_size: u64,
    pages: HashMap<u64, [u64; PAGE_WORDS as usize]>,
}

impl Sharing {
    /// Reads all of the tree of extents.
    pub(super) fn read(
        volume: &Volume<'_>,
        extents: Option<&Pointer>,
        stop: &dyn Fn() -> bool,
        problems: &mut Problems,
    ) -> Sharing {
        let mut sharing =
            Sharing { sector_size: u64::from(volume.superblock.sector_size), pages: HashMap::new() };
        let Some(root) = extents else { return sharing };
        volume.walk_until(root, stop, problems, &mut |key, contents, problems| {
            if !matches!(key.kind, kind::EXTENT | kind::METADATA) {
                return;
            }
            match ExtentItem::parse(key.kind, contents) {
                Some(item) if item.is_shared && volume.chunks.find(key.object, 1).is_some() => {
                    sharing.add(key.object);
                }
                Some(_) => {}
                None => problems.add_damage(format_args!("extent at address {}: it is cut", key.object)),
            }
        });
        sharing
    }

    fn add(&mut self, address: u64) {
        let (page, word, bit) = self.place(address);
        if let Some(word) = self.pages.entry(page).or_default().get_mut(word) {
            *word |= bit;
        }
    }

    /// Whether what begins at an address is shared.
    pub(super) fn has(&self, address: u64) -> bool {
        let (page, word, bit) = self.place(address);
        self.pages.get(&page).and_then(|page| page.get(word)).is_some_and(|word| word & bit != 0)
    }

    fn place(&self, address: u64) -> (u64, usize, u64) {
        let sector = address / self.sector_size;
        (sector / PAGE_BITS, (sector % PAGE_BITS / 64) as usize, 1 << (sector % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_added_is_shared() {
        let mut sharing = Sharing { sector_size: 4096, pages: HashMap::new() };
        let added = [0, 63, 64, 1023, 1024, 1 << 40];
        added.iter().for_each(|sector| sharing.add(sector * 4096));
        for sector in (0..3000).chain([(1 << 40) - 1, 1 << 40, (1 << 40) + 1]) {
            assert_eq!(sharing.has(sector * 4096), added.contains(&sector), "{sector}");
        }
    }
}
