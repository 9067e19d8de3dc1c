//! Space of a mounted btrfs: chunks, and the free space in those that hold data. Only root may search trees.
//!
//! Profiles "single" and "DUP" on one device are turned into
//! offsets on it, by the first copy; else all places are btrfs's own addresses.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use super::btrfs_devices::{BtrfsDevice, unallocated};
use super::btrfs_items::Items;
use super::kernel;
use crate::address::{AddressMap, AddressRun};
use crate::bytes::Bytes;
use crate::extent::{Piece, PieceKind, Sink, Unplaced};
use crate::file_system_info::GroupPlace;
use crate::reader_threads::IsStopped;
use crate::source::btrfs::items::{CHUNK_TREE, ChunkItem, EXTENT_TREE, FREE_SPACE_TREE, Key, kind};
use crate::source::btrfs::reserved::{self, RESERVED_BYTES, SUPERBLOCK_BYTES};

/// A run of addresses and where its copies or stripes lie.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chunk {
    address: u64,
    length_bytes: u64,
    holds_data: bool,
    /// Whether it lies on a seed: what is free in it, nobody can have.
    is_of_seed: bool,
    /// What it takes on all devices together.
    on_devices_bytes: u64,
    /// Offsets on the device; on several devices, of no use.
    copies: Vec<u64>,
}

/// All chunks, ascending by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunks {
    chunks: Vec<Chunk>,
    /// Bytes of the device, when there is one and every place on it is known.
    pub(super) device_bytes: Option<u64>,
    /// Of all devices what no chunk has.
    unallocated_bytes: u64,
    sector_bytes: u64,
    node_bytes: u64,
}

impl Chunks {
    /// Behind the last address that a chunk has.
    pub(super) fn end_address(&self) -> u64 {
        self.chunks.last().map_or(0, |chunk| chunk.address.saturating_add(chunk.length_bytes))
    }

    /// Where the chunks lie, in that order.
    pub(super) fn groups(&self) -> Vec<GroupPlace> {
        let place =
            |chunk: &Chunk| GroupPlace { offset_bytes: self.place(chunk), size_bytes: chunk.length_bytes };
        let mut groups: Vec<GroupPlace> = self.chunks.iter().map(place).collect();
        groups.sort_unstable_by_key(|group| group.offset_bytes);
        groups
    }

    /// Where a chunk begins on the device, or its address.
    fn place(&self, chunk: &Chunk) -> u64 {
        let first = chunk.copies.first().copied();
        first.filter(|_| self.device_bytes.is_some()).unwrap_or(chunk.address)
    }

    pub(super) fn addresses(&self) -> AddressMap {
        let run = |chunk: &Chunk| AddressRun {
            address: chunk.address,
            length_bytes: chunk.length_bytes,
            device_offset: self.place(chunk),
        };
        AddressMap::new(self.chunks.iter().map(run).collect())
    }

    /// Pours free pieces of the chunks that hold data, whole chunks of metadata, and what no chunk has.
    pub(super) fn read(
        &self,
        open: BorrowedFd<'_>,
        sink: &mut dyn Sink,
        is_stopped: IsStopped<'_>,
    ) -> Result<(), Errno> {
        self.pour_unallocated(sink);
        let mut items = Items::new(open, is_stopped);
        for chunk in &self.chunks {
            if is_stopped() {
                return Ok(());
            }
            if !chunk.holds_data {
                self.pour_metadata(chunk, sink);
                continue;
            }
            if chunk.is_of_seed {
                continue;
            }
            let mut free = match self.free_by_tree(&mut items, chunk) {
                Err(Errno::NOENT) => self.free_by_extents(&mut items, chunk)?,
                found => found?,
            };
            let begin = self.place(chunk);
            // Of stripes on several devices it is not known here which addresses these are.
            let copies = self.device_bytes.map_or(&[][..], |_| &chunk.copies);
            for ahead in reserved::superblocks(copies, chunk.length_bytes) {
                let from = chunk.address.saturating_add(ahead);
                free.take_out(from, from.saturating_add(SUPERBLOCK_BYTES));
            }
            let sum: u64 = free.pieces.iter().map(|(from, to)| to - from).sum();
            sink.unplaced(Unplaced::Copies, chunk.copies_of(sum));
            for (from, to) in free.pieces {
                let offset_bytes = begin + (from - chunk.address);
                sink.piece(&Piece { offset_bytes, length_bytes: to - from, kind: PieceKind::Free });
            }
        }
        Ok(())
    }

    fn pour_metadata(&self, chunk: &Chunk, sink: &mut dyn Sink) {
        let copies = if self.device_bytes.is_some() { &chunk.copies[..] } else { &[chunk.address] };
        for &offset_bytes in copies {
            let length_bytes = chunk.length_bytes;
            sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
        }
    }

    fn pour_unallocated(&self, sink: &mut dyn Sink) {
        let Some(device_bytes) = self.device_bytes else {
            return sink.unplaced(Unplaced::Unallocated, self.unallocated_bytes);
        };
        let reserved = RESERVED_BYTES.min(device_bytes);
        sink.piece(&Piece { offset_bytes: 0, length_bytes: reserved, kind: PieceKind::Metadata });
        let copies =
            |chunk: &Chunk| chunk.copies.iter().map(|&at| (at, chunk.length_bytes)).collect::<Vec<_>>();
        let mut taken: Vec<(u64, u64)> = self.chunks.iter().flat_map(copies).collect();
        taken.sort_unstable();
        let mut at = reserved;
        for (begin, length_bytes) in taken.into_iter().chain([(device_bytes, 0)]) {
            if begin > at {
                let kind = PieceKind::Unallocated;
                sink.piece(&Piece { offset_bytes: at, length_bytes: begin - at, kind });
            }
            at = at.max(begin.saturating_add(length_bytes));
        }
    }

    /// By the free space tree: extents, and bitmaps of sectors.
    fn free_by_tree(&self, items: &mut Items<'_>, chunk: &Chunk) -> Result<Free, Errno> {
        let mut free = Free::of(chunk);
        items.each(FREE_SPACE_TREE, chunk.keys(), |key, contents| match key.kind {
            kind::FREE_SPACE_EXTENT => free.add(key.object, key.object.saturating_add(key.offset)),
            kind::FREE_SPACE_BITMAP => {
                let bits = contents.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
                let sectors = key.offset / self.sector_bytes;
                for (sector, _) in (0..sectors).zip(bits).filter(|(_, is_free)| *is_free) {
                    let begin = key.object.saturating_add(sector * self.sector_bytes);
                    free.add(begin, begin.saturating_add(self.sector_bytes));
                }
            }
            _ => {}
        })?;
        Ok(free)
    }

    /// By the extent tree, on a btrfs without a free space tree: what lies between extents.
    fn free_by_extents(&self, items: &mut Items<'_>, chunk: &Chunk) -> Result<Free, Errno> {
        let mut free = Free::of(chunk);
        let mut at = chunk.address;
        items.each(EXTENT_TREE, chunk.keys(), |key, _| {
            let length_bytes = match key.kind {
                kind::EXTENT => key.offset,
                kind::METADATA => self.node_bytes,
                _ => return,
            };
            free.add(at, key.object);
            at = at.max(key.object.saturating_add(length_bytes));
        })?;
        if !(items.is_stopped)() {
            free.add(at, chunk.address.saturating_add(chunk.length_bytes));
        }
        Ok(free)
    }
}

impl Chunk {
    /// What copies and parity of so many of its bytes take beside them.
    fn copies_of(&self, bytes: u64) -> u64 {
        let on_devices = u128::from(bytes) * u128::from(self.on_devices_bytes);
        let on_devices = on_devices.checked_div(u128::from(self.length_bytes)).unwrap_or(0);
        u64::try_from(on_devices).unwrap_or(u64::MAX).saturating_sub(bytes)
    }

    /// All keys of objects in it.
    fn keys(&self) -> (Key, Key) {
        let last = self.address.saturating_add(self.length_bytes.saturating_sub(1));
        (
            Key { object: self.address, kind: 0, offset: 0 },
            Key { object: last, kind: u8::MAX, offset: u64::MAX },
        )
    }
}

/// Free pieces of one chunk, ascending; those that touch are one.
struct Free {
    begin: u64,
    end: u64,
    pieces: Vec<(u64, u64)>,
}

impl Free {
    fn of(chunk: &Chunk) -> Free {
        let end = chunk.address.saturating_add(chunk.length_bytes);
        Free { begin: chunk.address, end, pieces: Vec::new() }
    }

    fn add(&mut self, from: u64, to: u64) {
        let (from, to) = (from.max(self.begin), to.min(self.end));
        match self.pieces.last_mut() {
            _ if from >= to => {}
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => self.pieces.push((from, to)),
        }
    }

    fn take_out(&mut self, from: u64, to: u64) {
        let halves = |&(begin, end): &(u64, u64)| [(begin, end.min(from)), (begin.max(to), end)];
        self.pieces = self.pieces.iter().flat_map(halves).filter(|(begin, end)| begin < end).collect();
    }
}

/// Asks the kernel for all chunks.
pub(super) fn chunks(
    open: BorrowedFd<'_>,
    info: &kernel::BtrfsInfo,
    devices: &[BtrfsDevice],
) -> Result<Chunks, Errno> {
    let everything =
        (Key { object: 0, kind: 0, offset: 0 }, Key { object: u64::MAX, kind: u8::MAX, offset: u64::MAX });
    let (mut chunks, mut device_bytes) = (Vec::new(), None);
    Items::new(open, &|| false).each(CHUNK_TREE, everything, |key, contents| match key.kind {
        kind::CHUNK => chunks.extend(chunk(key.offset, contents, devices)),
        kind::DEVICE => device_bytes = contents.le64(8),
        _ => {}
    })?;
    // Copies of DUP are whole; what is striped has parts of each chunk on each device.
    let is_whole = info.devices == 1 && devices.len() <= 1 && chunks.iter().all(|(_, whole)| *whole);
    let mut chunks: Vec<Chunk> = chunks.into_iter().map(|(chunk, _)| chunk).collect();
    chunks.sort_unstable_by_key(|chunk| chunk.address);
    Ok(Chunks {
        chunks,
        device_bytes: device_bytes.filter(|_| is_whole),
        unallocated_bytes: unallocated(devices),
        sector_bytes: u64::from(info.sector_bytes).max(1),
        node_bytes: u64::from(info.node_bytes),
    })
}

/// A chunk, and whether each of its copies is whole on one device (profiles "single" and "DUP").
fn chunk(address: u64, contents: &[u8], devices: &[BtrfsDevice]) -> Option<(Chunk, bool)> {
    let (item, _) = ChunkItem::parse(contents)?;
    let is_seed = |number: u64| devices.iter().any(|device| device.is_seed && device.number == number);
    let is_of_seed = item.stripes.iter().any(|stripe| is_seed(stripe.0));
    let copies = item.stripes.iter().map(|stripe| stripe.1).collect();
    let (length_bytes, holds_data) = (item.length_bytes, item.holds_data());
    let on_devices_bytes = item.device_bytes();
    let chunk = Chunk { address, length_bytes, holds_data, is_of_seed, on_devices_bytes, copies };
    Some((chunk, item.spread().is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_pieces_are_cut_at_the_chunk_and_joined_where_they_touch() {
        let chunk = Chunk {
            address: 100,
            length_bytes: 100,
            holds_data: true,
            is_of_seed: false,
            on_devices_bytes: 100,
            copies: vec![],
        };
        let mut free = Free::of(&chunk);
        for (from, to) in [(90, 110), (110, 120), (120, 120), (130, 140), (190, 250)] {
            free.add(from, to);
        }
        assert_eq!(free.pieces, [(100, 120), (130, 140), (190, 200)]);
    }

    #[test]
    fn what_is_taken_out_is_not_free() {
        let mib = 1 << 20;
        let chunk = Chunk {
            address: 1000 * mib,
            length_bytes: 8 * mib,
            holds_data: true,
            is_of_seed: false,
            on_devices_bytes: 8 * mib,
            copies: vec![60 * mib],
        };
        let mut free = Free::of(&chunk);
        free.add(1001 * mib, 1006 * mib);
        free.add(1007 * mib, 1008 * mib);
        free.take_out(1004 * mib, 1005 * mib);
        let expected = [(1001, 1004), (1005, 1006), (1007, 1008)].map(|(from, to)| (from * mib, to * mib));
        assert_eq!(free.pieces, expected);
    }

    #[test]
    fn a_chunk_item_that_is_cut_is_none() {
        assert_eq!(chunk(0, &[0; 40], &[]), None);
        let mut bytes = vec![0u8; 80];
        bytes[0] = 64;
        bytes[24] = 1;
        bytes[44] = 1;
        bytes[56] = 7;
        bytes[48] = 3;
        let (found, is_whole) = chunk(5, &bytes, &[]).unwrap();
        assert_eq!(
            (found.length_bytes, found.copies, is_whole, found.is_of_seed),
            (64, vec![7], true, false)
        );
        let device = |number, is_seed| BtrfsDevice { number, is_seed, size_bytes: 0, taken_bytes: 0 };
        let of_seed = |devices: &[BtrfsDevice]| chunk(5, &bytes, devices).unwrap().0.is_of_seed;
        assert!(of_seed(&[device(3, true), device(4, false)]));
        assert!(!of_seed(&[device(3, false), device(4, true)]));
        bytes[44] = 2;
        assert_eq!(chunk(5, &bytes, &[]), None);
    }

    #[test]
    fn what_no_chunk_has_is_unallocated() {
        struct Pieces(Vec<(u64, u64, PieceKind)>);
        impl Sink for Pieces {
            fn file(&mut self, _: &crate::extent::FileExtents<'_>) {}
            fn piece(&mut self, piece: &Piece) {
                self.0.push((piece.offset_bytes, piece.length_bytes, piece.kind));
            }
        }
        let mib = 1 << 20;
        let chunk = |at: u64| Chunk {
            address: 0,
            length_bytes: mib,
            holds_data: true,
            is_of_seed: false,
            on_devices_bytes: mib,
            copies: vec![at * mib],
        };
        let chunks = Chunks {
            chunks: vec![chunk(5), chunk(1)],
            device_bytes: Some(8 * mib),
            unallocated_bytes: 0,
            sector_bytes: 4096,
            node_bytes: 16384,
        };
        let mut pieces = Pieces(Vec::new());
        chunks.pour_unallocated(&mut pieces);
        let expected = [
            (0, mib, PieceKind::Metadata),
            (2 * mib, 3 * mib, PieceKind::Unallocated),
            (6 * mib, 2 * mib, PieceKind::Unallocated),
        ];
        assert_eq!(pieces.0, expected);
    }
}
