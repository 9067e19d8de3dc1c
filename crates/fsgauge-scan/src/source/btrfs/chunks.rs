//! Chunks: which addresses of the file system lie where on the device.
//!
//! Source: struct btrfs_chunk in include/uapi/linux/btrfs_tree.h, btrfs_check_chunk_valid in fs/btrfs/tree-checker.c of
//! Linux 6.12.

use std::collections::BTreeMap;
use std::path::Path;

use fsgauge_wire::Failure;

use super::Volume;
use super::items::{ChunkItem, Key, chunk_flags, kind};
use super::superblock::Superblock;
use crate::shown::{quoted, shown};
use crate::{Image, Problems};

/// One chunk with profile single or DUP: it lies on the device in one piece, once or more often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) address: u64,
    pub(super) length_bytes: u64,
    pub(super) holds_data: bool,
    /// Whether it is for the tree of chunks alone.
    pub(super) is_system: bool,
    /// Where its copies begin on the device; at least one.
    pub(super) copies: Vec<u64>,
}

impl Chunk {
    pub(super) fn end(&self) -> u64 {
        self.address + self.length_bytes
    }

    /// Where its first copy begins.
    pub(super) fn place(&self) -> u64 {
        self.copies.first().copied().unwrap_or(0)
    }
}

/// All chunks. They do not overlap, neither by address nor on the device, and end inside it.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    by_address: BTreeMap<u64, Chunk>,
    /// Copies: where they begin on the device, and their length.
    on_device: BTreeMap<u64, u64>,
    /// Whether no chunk was lost to damage.
    pub(super) is_whole: bool,
}

impl Chunks {
    /// The chunks that the superblock names, then all that the tree of chunks has.
    pub(super) fn read(
        image: &Image,
        superblock: &Superblock,
        problems: &mut Problems,
    ) -> Result<Chunks, Failure> {
        let mut system = Chunks::default();
        let mut rest = superblock.system_chunks.as_slice();
        while !rest.is_empty() {
            let key = Key::parse(rest, 0).filter(|key| key.kind == kind::CHUNK);
            let item = rest.get(Key::LENGTH..).and_then(ChunkItem::parse);
            let (Some(key), Some((item, length))) = (key, item) else {
                problems.add_damage(format_args!("superblock: a chunk is not valid"));
                break;
            };
            system.add(key.offset, &item, superblock, image.path(), problems)?;
            rest = rest.get(Key::LENGTH + length..).unwrap_or(&[]);
        }
        let volume = Volume { image, superblock: superblock.clone(), chunks: system };
        let mut chunks = Chunks::default();
        let mut met = Problems::new();
        let mut refused = None;
        volume.walk_all(&superblock.chunk_tree, &mut met, &mut |key, contents, problems| {
            if key.kind != kind::CHUNK || refused.is_some() {
                return;
            }
            match ChunkItem::parse(contents) {
                Some((item, _)) => {
                    refused = chunks.add(key.offset, &item, superblock, image.path(), problems).err()
                }
                None => problems.add_damage(format_args!("chunk at address {}: it is cut", key.offset)),
            }
        });
        chunks.is_whole = met.count("damaged") == 0;
        problems.merge(met);
        match refused {
            Some(failure) => Err(failure),
            None => Ok(chunks),
        }
    }

    /// A failure for profiles that one image does not hold; a problem for what makes no sense.
    fn add(
        &mut self,
        address: u64,
        item: &ChunkItem,
        superblock: &Superblock,
        path: &Path,
        problems: &mut Problems,
    ) -> Result<(), Failure> {
        if let Some(name) = item.spread() {
            return Err(Failure::job(
                "raid",
                format!("The btrfs on {} has chunks with profile {name}", shown(path)),
                "Only the profiles single and DUP are supported on one image",
                format!("btrfs device scan; mount -o ro {} /mnt; fsgauge scan /mnt", quoted(path)),
            ));
        }
        let chunk = Chunk {
            address,
            length_bytes: item.length_bytes,
            holds_data: item.holds_data(),
            is_system: item.flags & chunk_flags::SYSTEM != 0,
            copies: item.stripes.iter().map(|stripe| stripe.1).collect(),
        };
        let wanted = if item.flags & chunk_flags::DUP == 0 { 1 } else { 2 };
        let is_here = item.stripes.iter().all(|stripe| stripe.0 == superblock.device);
        let sector_size = u64::from(superblock.sector_size);
        let is_even = chunk.length_bytes > 0 && chunk.length_bytes.is_multiple_of(sector_size);
        let fits = chunk.copies.len() == wanted
            && is_here
            && is_even
            && self.has_room(&chunk, superblock.size_bytes);
        if !fits {
            problems.add_damage(format_args!("chunk at address {address}: its device offset is not valid"));
            return Ok(());
        }
        self.on_device.extend(chunk.copies.iter().map(|&copy| (copy, chunk.length_bytes)));
        self.by_address.insert(address, chunk);
        Ok(())
    }

    fn has_room(&self, chunk: &Chunk, size_bytes: u64) -> bool {
        let Some(end) = chunk.address.checked_add(chunk.length_bytes) else { return false };
        let before = self.by_address.range(..end).next_back();
        if before.is_some_and(|(_, before)| before.end() > chunk.address) {
            return false;
        }
        chunk.copies.iter().enumerate().all(|(index, &copy)| {
            let Some(end) = copy.checked_add(chunk.length_bytes).filter(|&end| end <= size_bytes) else {
                return false;
            };
            let before = self.on_device.range(..end).next_back();
            let is_free = before.is_none_or(|(begin, length)| begin + length <= copy);
            // The copies of one chunk must not overlap either.
            let others = chunk.copies.iter().take(index);
            is_free && others.copied().all(|other| other.abs_diff(copy) >= chunk.length_bytes)
        })
    }

    /// The chunk that holds all `length` bytes at an address.
    pub(super) fn find(&self, address: u64, length: u64) -> Option<&Chunk> {
        let (_, chunk) = self.by_address.range(..=address).next_back()?;
        (address.checked_add(length)? <= chunk.end()).then_some(chunk)
    }

    /// Where the bytes at an address lie on the device: each copy.
    pub(super) fn copies(&self, address: u64, length: u64) -> Option<impl Iterator<Item = u64>> {
        let chunk = self.find(address, length)?;
        Some(chunk.copies.iter().map(move |copy| copy + (address - chunk.address)))
    }

    /// All of them, in the order of their first copies on the device.
    pub(super) fn by_place(&self) -> Vec<&Chunk> {
        let mut chunks: Vec<&Chunk> = self.by_address.values().collect();
        chunks.sort_unstable_by_key(|chunk| chunk.place());
        chunks
    }

    /// Copies of chunks, ascending: where they begin on the device, and where they end.
    pub(super) fn taken(&self) -> impl Iterator<Item = (u64, u64)> {
        self.on_device.iter().map(|(&begin, &length)| (begin, begin + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(chunks: &mut Chunks, address: u64, length: u64, copies: &[u64]) -> bool {
        let copies = copies.to_vec();
        let chunk = Chunk { address, length_bytes: length, holds_data: true, is_system: false, copies };
        let fits = chunks.has_room(&chunk, 1000);
        if fits {
            chunks.on_device.extend(chunk.copies.iter().map(|&copy| (copy, length)));
            chunks.by_address.insert(address, chunk);
        }
        fits
    }

    #[test]
    fn addresses_become_places_of_every_copy() {
        let mut chunks = Chunks::default();
        assert!(add(&mut chunks, 5000, 100, &[300, 600]) && add(&mut chunks, 5100, 100, &[100]));
        let copies = |address, length| chunks.copies(address, length).map(Iterator::collect::<Vec<_>>);
        assert_eq!(copies(5010, 90), Some(vec![310, 610]));
        assert_eq!(copies(5100, 1), Some(vec![100]));
        assert_eq!((copies(5010, 91), copies(4999, 1), copies(5200, 1)), (None, None, None));
        assert_eq!(copies(u64::MAX, 2), None);
        assert_eq!(chunks.by_place().iter().map(|chunk| chunk.address).collect::<Vec<_>>(), [5100, 5000]);
    }

    #[test]
    fn chunks_that_overlap_or_leave_the_device_are_not_taken() {
        let mut chunks = Chunks::default();
        assert!(add(&mut chunks, 5000, 100, &[300]));
        for (address, copies) in [
            (5050, &[700][..]),
            (4950, &[700]),
            (6000, &[350]),
            (6000, &[250]),
            (6000, &[901]),
            (6000, &[500, 550]),
        ] {
            assert!(!add(&mut chunks, address, 100, copies), "{address} {copies:?}");
        }
        assert!(!add(&mut chunks, u64::MAX - 50, 100, &[0]) && !add(&mut chunks, 6000, 100, &[u64::MAX]));
        assert!(add(&mut chunks, 5100, 100, &[400]) && add(&mut chunks, 4900, 100, &[200]));
    }
}
