//! What sources give and sinks take: extents of a file, and pieces of the device.

use std::path::Path;

use fsgauge_wire::MetadataSpace;

/// What an extent is beside plain data; several may hold at once. Bits of [`Extent::kinds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(pub u16);

impl Kinds {
    /// Allocated and never written: reads as zeros.
    pub const UNWRITTEN: Kinds = Kinds(1);
    /// Written to the cache and not yet given a place on the device.
    pub const DELAYED: Kinds = Kinds(2);
    /// Inside the inode or a metadata block.
    pub const INLINE: Kinds = Kinds(4);
    /// Compressed: it takes fewer bytes on the device than in the file.
    pub const COMPRESSED: Kinds = Kinds(8);
    /// Encrypted.
    pub const ENCRYPTED: Kinds = Kinds(16);
    /// Shared with another file or snapshot.
    pub const SHARED: Kinds = Kinds(32);
    /// The file system does not tell where it is.
    pub const NOWHERE: Kinds = Kinds(64);
    /// Of a file that fs-verity protects: its hashes lie behind its end.
    pub const VERITY: Kinds = Kinds(128);

    /// Whether any of `others` holds.
    #[inline]
    pub fn has(self, others: Kinds) -> bool {
        self.0 & others.0 != 0
    }

    /// Both.
    #[inline]
    pub fn with(self, others: Kinds) -> Kinds {
        Kinds(self.0 | others.0)
    }
}

/// More extents of one file are not read: they would take half a gigabyte of memory.
pub(crate) const FILE_EXTENTS_LIMIT: usize = 1 << 24;

/// A run of a file's bytes that lies in one piece on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins in the file.
    pub logical_bytes: u64,
    /// Where it begins on the device; without meaning for DELAYED, INLINE and NOWHERE.
    pub physical_bytes: u64,
    /// Its length in the file.
    pub length_bytes: u64,
    /// Its length on the device: fewer bytes where it is compressed, 0 where that is not known.
    pub device_bytes: u64,
    /// What it is.
    pub kinds: Kinds,
}

impl Extent {
    /// An extent that takes as many bytes on the device as in the file.
    #[inline]
    pub fn plain(logical_bytes: u64, physical_bytes: u64, length_bytes: u64, kinds: Kinds) -> Extent {
        Extent { logical_bytes, physical_bytes, length_bytes, device_bytes: length_bytes, kinds }
    }

    /// Its length on the device; that of its contents, which is no less, where it is not known.
    #[inline]
    pub fn room_bytes(&self) -> u64 {
        if self.device_bytes == 0 { self.length_bytes } else { self.device_bytes }
    }
}

/// How a file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileName<'a> {
    /// By its path.
    Path(&'a Path),
    /// By its number alone: names were not read.
    Inode(u64),
}

/// One regular file, ascending by logical offset, as the source found it: not yet merged.
#[derive(Debug, Clone, Copy)]
pub struct FileExtents<'a> {
    /// Its name.
    pub name: FileName<'a>,
    /// Its size.
    pub size_bytes: u64,
    /// Its extents.
    pub extents: &'a [Extent],
}

/// The index of a folder (ext) whose root is full, at its greatest depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FolderIndex {
    /// Index blocks that name blocks of entries.
    pub blocks: u64,
    /// Of these, those that can take no more, and above which nothing can.
    pub full_blocks: u64,
}

/// What a piece of the device is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Free for files.
    Free,
    /// Contents of files.
    Data,
    /// The file system's own: tables, bitmaps, trees, journal.
    Metadata,
    /// Not given to any group or chunk yet (btrfs).
    Unallocated,
}

/// Space that is counted without a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unplaced {
    /// Room that no chunk has taken, on devices whose places are not told.
    Unallocated,
    /// Room on the devices for the copies and the parity of free pieces.
    Copies,
    /// What could not be read: whether it is free is not known.
    Unread,
}

/// A piece of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub length_bytes: u64,
    /// What it is.
    pub kind: PieceKind,
}

/// Where a source pours what it finds. Each thread has its own; they are merged at the end.
pub trait Sink {
    /// One regular file.
    fn file(&mut self, file: &FileExtents<'_>);
    /// One folder was read.
    fn folder(&mut self) {}
    /// The index of a folder of so many bytes can grow no more (ext).
    fn full_folder(&mut self, _name: FileName<'_>, _size_bytes: u64, _index: FolderIndex) {}
    /// A file without a name takes so many bytes.
    fn unnamed(&mut self, _size_bytes: u64) {}
    /// A chunk that holds no data of files (btrfs), or all of them.
    fn metadata(&mut self, _chunk: &MetadataSpace) {}
    /// One piece of the device. Pieces do not overlap; free pieces that touch are one.
    fn piece(&mut self, piece: &Piece);
    /// Space without a place.
    fn unplaced(&mut self, _what: Unplaced, _length_bytes: u64) {}
}
