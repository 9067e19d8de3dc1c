//! What one sector that was read back is, looked at alone.

use super::image::{Image, Images};
use super::tag::{SECTOR_BYTES, TAG_BYTES, Tag, body_sum};

/// A sector, judged by its tag, its checksum and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sector {
    /// Whole, and written by this load.
    Ours(Tag),
    /// Whole, and written by another load.
    Others(Tag),
    /// Once written by this load; bits have changed.
    Corrupt,
    /// Nothing that a verified load has written.
    Unknown,
}

/// What identifies the sectors of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) run: u64,
    pub(crate) writers: u32,
    /// How many a block has.
    pub(crate) sectors: u32,
}

impl Origin {
    /// Judges every sector of a block; `found` is emptied first.
    pub(crate) fn look(&self, block: &[u8], images: &mut Images, found: &mut Vec<Sector>) {
        found.clear();
        found.extend(block.chunks_exact(SECTOR_BYTES).map(|sector| self.look_at(sector, images)));
        self.find_destroyed_tags(block, images, found);
    }

    fn look_at(&self, sector: &[u8], images: &mut Images) -> Sector {
        let ((tag, stored), body) = (Tag::read(sector), &sector[TAG_BYTES..]);
        let is_named = tag.run == self.run && tag.writer < self.writers && tag.sector < self.sectors;
        if is_named {
            let image = images.of(tag.writer);
            if tag.checksum(image.sum(tag.sector)) == stored && image.body(tag.sector) == body {
                return Sector::Ours(tag);
            }
        }
        let sum = body_sum(body);
        if tag.checksum(sum) == stored {
            return Sector::Others(tag);
        }
        let is_ours_again = Tag { run: self.run, ..tag }.checksum(sum) == stored;
        if tag.run == self.run || is_ours_again { Sector::Corrupt } else { Sector::Unknown }
    }

    /// Where a tag is destroyed, the body may still tell: it is compared with those of the writers that are
    /// named by the other sectors, and with the one that the tag names.
    fn find_destroyed_tags(&self, block: &[u8], images: &mut Images, found: &mut [Sector]) {
        if !found.contains(&Sector::Unknown) {
            return;
        }
        let mut named: Vec<u32> = Vec::new();
        for sector in found.iter() {
            if let Sector::Ours(tag) = sector
                && !named.contains(&tag.writer)
            {
                named.push(tag.writer);
            }
        }
        for (index, (sector, bytes)) in found.iter_mut().zip(block.chunks_exact(SECTOR_BYTES)).enumerate() {
            let claimed = Some(Tag::read(bytes).0.writer).filter(|writer| *writer < self.writers);
            let mut writers = named.iter().copied().chain(claimed);
            if *sector == Sector::Unknown
                && writers.any(|writer| resembles(images.of(writer), index as u32, bytes))
            {
                *sector = Sector::Corrupt;
            }
        }
    }
}

/// Whether any word of the body is the image's. Zeros say nothing; a random word is not met by chance.
fn resembles(image: &Image, index: u32, sector: &[u8]) -> bool {
    let expected = image.body(index).chunks_exact(8);
    let mut words = sector[TAG_BYTES..].chunks_exact(8).zip(expected);
    words.any(|(found, expected)| found == expected && found != [0; 8])
}
