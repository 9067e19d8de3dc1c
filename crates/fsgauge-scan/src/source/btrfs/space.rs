//! What each part of the device is: from the chunks, and in those that hold data from the tree of extents.
//!
//! Chunks for metadata are metadata as a whole: what is free in them is not free for files.

use fsgauge_wire::MetadataSpace;

use super::Btrfs;
use super::chunks::Chunk;
use super::items::{ExtentItem, Key, kind};
use super::reserved::{self, RESERVED_BYTES, SUPERBLOCK_BYTES};
use super::tree::{Reader, Visitor, Walk};
use crate::{Piece, PieceKind, Problems, Sink, Unplaced};

/// Pours all pieces; free ones ascending.
pub(super) fn read(btrfs: &Btrfs<'_>, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
    outside_chunks(btrfs, sink);
    let mut reader = Reader::new(&btrfs.volume);
    for chunk in btrfs.volume.chunks.by_place() {
        if stop() {
            return;
        }
        if !chunk.holds_data {
            for &offset_bytes in &chunk.copies {
                let length_bytes = chunk.length_bytes;
                sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
            }
            metadata(btrfs, chunk, &mut reader, sink, stop, problems);
            continue;
        }
        let Some(root) = &btrfs.roots.extents else {
            sink.unplaced(Unplaced::Unread, chunk.length_bytes);
            continue;
        };
        let mut used = Used::new(chunk, u64::from(btrfs.volume.superblock.node_size), sink);
        // An extent that begins before the chunk would be damage, so none is looked for.
        let keys = Key::of_objects(chunk.address, chunk.end() - 1);
        reader.walk(root, &Walk { keys, sharing: None, stop }, &mut used, problems);
        if stop() {
            return;
        }
        used.finish();
    }
}

/// What is used of a chunk that holds no data: blocks of trees.
fn metadata(
    btrfs: &Btrfs<'_>,
    chunk: &Chunk,
    reader: &mut Reader<'_>,
    sink: &mut dyn Sink,
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) {
    let Some(root) = &btrfs.roots.extents else { return };
    let node_size = u64::from(btrfs.volume.superblock.node_size);
    let mut used_bytes = 0u64;
    let mut count = |key: &Key, _: &[u8], _: bool, _: &mut Problems| {
        if matches!(key.kind, kind::METADATA | kind::EXTENT) {
            used_bytes = used_bytes.saturating_add(node_size);
        }
        true
    };
    let keys = Key::of_objects(chunk.address, chunk.end() - 1);
    reader.walk(root, &Walk { keys, sharing: None, stop }, &mut count, problems);
    let kept = reserved::superblocks(&chunk.copies, chunk.length_bytes).len() as u64 * SUPERBLOCK_BYTES;
    let free_bytes = chunk.length_bytes.saturating_sub(used_bytes).saturating_sub(kept);
    let of_system = |bytes: u64| if chunk.is_system { bytes } else { 0 };
    sink.metadata(&MetadataSpace {
        size_bytes: chunk.length_bytes,
        free_bytes,
        free_device_bytes: free_bytes.saturating_mul(chunk.copies.len() as u64),
        system_bytes: of_system(chunk.length_bytes),
        system_free_bytes: of_system(free_bytes),
    });
}

fn outside_chunks(btrfs: &Btrfs<'_>, sink: &mut dyn Sink) {
    let size_bytes = btrfs.volume.superblock.size_bytes;
    let mut pour = |from: u64, to: u64, kind: PieceKind| {
        if from < to {
            sink.piece(&Piece { offset_bytes: from, length_bytes: to - from, kind });
        }
    };
    let (mut at, mut unread) = (0, 0u64);
    for (begin, end) in btrfs.volume.chunks.taken().chain([(size_bytes, size_bytes)]) {
        pour(at, begin.min(RESERVED_BYTES), PieceKind::Metadata);
        if btrfs.volume.chunks.is_whole {
            pour(at.max(RESERVED_BYTES), begin, PieceKind::Unallocated);
        } else {
            unread = unread.saturating_add(begin.saturating_sub(at.max(RESERVED_BYTES)));
        }
        at = end;
    }
    sink.unplaced(Unplaced::Unread, unread);
}

/// The extents of one chunk, and what is free between them.
struct Used<'a> {
    chunk: &'a Chunk,
    node_size: u64,
    sink: &'a mut dyn Sink,
    /// Up to where the chunk is known.
    at: u64,
    /// Addresses where copies of the superblock lie, descending.
    superblocks: Vec<u64>,
    /// Whether what begins at `at` could not be read, so that it ends nobody knows where before the next one.
    is_lost: bool,
    /// What is not yet poured, as it may go on.
    last: Option<(PieceKind, u64, u64)>,
}

impl<'a> Used<'a> {
    fn new(chunk: &'a Chunk, node_size: u64, sink: &'a mut dyn Sink) -> Self {
        let ahead = reserved::superblocks(&chunk.copies, chunk.length_bytes).into_iter().rev();
        let superblocks = ahead.map(|ahead| chunk.address + ahead).collect();
        Used { chunk, node_size, sink, at: chunk.address, superblocks, is_lost: false, last: None }
    }

    /// What lies before `to` is free, or not known.
    fn free_until(&mut self, to: u64) {
        if std::mem::take(&mut self.is_lost) {
            return self.unread_until(to);
        }
        let to = to.min(self.chunk.end());
        while let Some(begin) = self.superblocks.pop_if(|begin| *begin < to) {
            self.push(PieceKind::Free, self.at, begin);
            let end = (begin + SUPERBLOCK_BYTES).min(self.chunk.end());
            self.push(PieceKind::Metadata, begin.max(self.at), end);
            self.at = self.at.max(end);
        }
        self.push(PieceKind::Free, self.at, to);
        self.at = self.at.max(to);
    }

    fn unread_until(&mut self, to: u64) {
        let to = to.min(self.chunk.end());
        self.sink.unplaced(Unplaced::Unread, to.saturating_sub(self.at));
        self.at = self.at.max(to);
        while self.superblocks.pop_if(|begin| *begin < to).is_some() {}
    }

    fn push(&mut self, kind: PieceKind, from: u64, to: u64) {
        match &mut self.last {
            _ if from >= to => {}
            Some(last) if last.0 == kind && last.2 == from => last.2 = to,
            _ => {
                self.flush();
                self.last = Some((kind, from, to));
            }
        }
    }

    fn flush(&mut self) {
        let Some((kind, from, to)) = self.last.take() else { return };
        // What is free is free once, however many copies a file has.
        let copies = if kind == PieceKind::Free { 1 } else { self.chunk.copies.len() };
        let not_poured = (self.chunk.copies.len() - copies) as u64;
        self.sink.unplaced(Unplaced::Copies, (to - from).saturating_mul(not_poured));
        for copy in self.chunk.copies.iter().take(copies) {
            let offset_bytes = copy + (from - self.chunk.address);
            self.sink.piece(&Piece { offset_bytes, length_bytes: to - from, kind });
        }
    }

    fn finish(mut self) {
        self.free_until(self.chunk.end());
        self.flush();
    }
}

impl Visitor for Used<'_> {
    fn item(&mut self, key: &Key, contents: &[u8], _: bool, problems: &mut Problems) -> bool {
        let length = match key.kind {
            kind::EXTENT => key.offset,
            kind::METADATA => self.node_size,
            _ => return true,
        };
        let end = key.object.checked_add(length).filter(|&end| end <= self.chunk.end());
        let (Some(end), Some(item)) = (end, ExtentItem::parse(key.kind, contents)) else {
            problems.add_damage(format_args!("extent at address {}: {length} bytes", key.object));
            // What it has is not known, but it begins here.
            self.free_until(key.object);
            self.is_lost = true;
            return true;
        };
        if key.object < self.at && self.at > self.chunk.address {
            problems.add_damage(format_args!("extent at address {}: another one holds it too", key.object));
        }
        self.free_until(key.object);
        let kind = if item.is_data { PieceKind::Data } else { PieceKind::Metadata };
        self.push(kind, self.at, end);
        self.at = self.at.max(end);
        true
    }

    /// What cannot be read is not said to be free.
    fn lost(&mut self, from: &Key, to: Option<&Key>) {
        self.free_until(from.object);
        self.unread_until(to.map_or(self.chunk.end(), |to| to.object));
        // Keys of an object that come behind that of its extent: the extent itself is lost.
        self.is_lost = to.is_some_and(|to| to.kind > kind::METADATA);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileExtents;

    #[derive(Default)]
    struct Pieces(Vec<(u64, u64, PieceKind)>, u64, u64);

    impl Sink for Pieces {
        fn file(&mut self, _: &FileExtents<'_>) {}
        fn piece(&mut self, piece: &Piece) {
            self.0.push((piece.offset_bytes, piece.length_bytes, piece.kind));
        }
        fn unplaced(&mut self, what: Unplaced, length_bytes: u64) {
            match what {
                Unplaced::Unallocated => panic!("all of it has a place"),
                Unplaced::Copies => self.1 += length_bytes,
                Unplaced::Unread => self.2 += length_bytes,
            }
        }
    }

    fn pieces(copies: &[u64], extents: &[(u64, u64, u64)], lost: Option<(u64, u64)>) -> Pieces {
        let (address, length_bytes) = (10 << 30, 1 << 20);
        let chunk =
            Chunk { address, length_bytes, holds_data: true, is_system: false, copies: copies.to_vec() };
        let mut pieces = Pieces::default();
        let mut problems = Problems::new();
        let mut used = Used::new(&chunk, 4096, &mut pieces);
        for &(begin, length, flags) in extents {
            let key = Key { object: address + begin, kind: kind::EXTENT, offset: length };
            used.item(&key, &[1, 0, flags].map(u64::to_le_bytes).concat(), false, &mut problems);
        }
        if let Some((from, to)) = lost {
            let (from, _) = Key::of_objects(address + from, 0);
            let (to, _) = Key::of_objects(address + to, 0);
            used.lost(&from, Some(&to));
        }
        used.finish();
        assert!(problems.is_empty());
        pieces
    }

    #[test]
    fn what_lies_between_extents_is_free_once_and_used_in_every_copy() {
        let k = 1024;
        use PieceKind::{Data, Free, Metadata};
        let found =
            pieces(&[4 << 20, 8 << 20], &[(0, 4 * k, 1), (4 * k, 8 * k, 1), (16 * k, 4 * k, 2)], None);
        let (one, two) = (4 << 20, 8 << 20);
        let expected = [
            (one, 12 * k, Data),
            (two, 12 * k, Data),
            (one + 12 * k, 4 * k, Free),
            (one + 16 * k, 4 * k, Metadata),
            (two + 16 * k, 4 * k, Metadata),
            (one + 20 * k, 1024 * k - 20 * k, Free),
        ];
        assert_eq!(found.0, expected);
        assert_eq!((found.1, found.2), (1008 * k, 0));
    }

    #[test]
    fn copies_of_the_superblock_and_what_cannot_be_read_are_not_free() {
        use PieceKind::{Free, Metadata};
        let k = 1024;
        let begin = (64 << 20) - 256 * k;
        let found = pieces(&[begin], &[], Some((512 * k, 768 * k)));
        let expected = [
            (begin, 256 * k, Free),
            (64 << 20, 64 * k, Metadata),
            (begin + 320 * k, 192 * k, Free),
            (begin + 768 * k, 256 * k, Free),
        ];
        assert_eq!(found.0, expected);
        assert_eq!((found.1, found.2), (0, 256 * k));
    }

    #[test]
    fn an_extent_that_is_lost_itself_ends_before_the_next_one() {
        let k = 1024;
        let (address, length_bytes) = (10 << 30, 1 << 20);
        let chunk =
            Chunk { address, length_bytes, holds_data: true, is_system: false, copies: vec![4 << 20] };
        let mut pieces = Pieces::default();
        let mut problems = Problems::new();
        let mut used = Used::new(&chunk, 4096, &mut pieces);
        let key = |at: u64, length: u64| Key { object: address + at, kind: kind::EXTENT, offset: length };
        // One that is longer than its chunk, one whose contents are lost, and one that is whole.
        used.item(&key(16 * k, 2 << 20), &[0; 24], false, &mut problems);
        let lost = key(64 * k, 4 * k);
        used.lost(&lost, Some(&Key { kind: u8::MAX, ..lost }));
        used.item(&key(128 * k, 4 * k), &[1, 0, 1].map(u64::to_le_bytes).concat(), false, &mut problems);
        used.finish();
        use PieceKind::{Data, Free};
        let begin = 4 << 20;
        let expected =
            [(begin, 16 * k, Free), (begin + 128 * k, 4 * k, Data), (begin + 132 * k, 892 * k, Free)];
        assert_eq!((pieces.0.as_slice(), pieces.2), (&expected[..], 112 * k));
        assert_eq!(problems.count("damaged"), 1);
    }
}
