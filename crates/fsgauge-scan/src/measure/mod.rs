//! The measures: sinks that turn files and pieces into numbers and a map, one set a thread, merged at the end.

mod counts;
mod exact;
mod folders;
mod free;
mod groups;
mod join;
mod lengths;
mod map;
mod name;
mod owners;
mod shared;
mod top;

use std::path::PathBuf;
use std::sync::Arc;

use fsgauge_wire::{
    ExactLength, FilesBin, FreeSpace, FullFolder, Group, LengthBin, ListedFile, MetadataSpace, ScanCounts,
    ScanMap,
};

pub(crate) use free::sum_only;
pub(crate) use groups::listed;

use self::exact::ExactLengths;
use self::folders::FullFolders;
use self::free::Free;
use self::groups::Groups;
use self::lengths::Lengths;
use self::map::Map;
use self::name::KeptName;
use self::shared::SharedOnce;
use self::top::Top;
use crate::address::AddressMap;
use crate::extent::{Extent, FileExtents, FileName, FolderIndex, Kinds, Piece, PieceKind, Sink, Unplaced};
use crate::file_system_info::{GroupPlace, InodePlace};

/// What the measures must know before anything is read.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) block_bytes: u64,
    /// Up to where places reach.
    pub(crate) size_bytes: u64,
    /// 0 for no map.
    pub(crate) map_order: u32,
    pub(crate) top: usize,
    pub(crate) list_whole: bool,
    /// What is looked for in free space.
    pub(crate) inode_place: Option<InodePlace>,
    /// For extents whose place is not told as an offset on the device.
    pub(crate) addresses: Option<Arc<AddressMap>>,
}

/// All measures of one thread.
#[derive(Debug)]
pub(crate) struct Measure {
    wanted: Wanted,
    counts: ScanCounts,
    lengths: Lengths,
    exact: ExactLengths,
    shared: SharedOnce,
    /// Extents of each file, binned as lengths are.
    file_extents: Lengths,
    free: Free,
    groups: Groups,
    map: Option<Map>,
    top: Top,
    folders: FullFolders,
    joined: Vec<Extent>,
}

/// What the measures found.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) counts: ScanCounts,
    pub(crate) extent_lengths: Vec<LengthBin>,
    pub(crate) exact_lengths: Vec<ExactLength>,
    pub(crate) files_by_extents: Vec<FilesBin>,
    pub(crate) map: Option<ScanMap>,
    pub(crate) top: Vec<ListedFile>,
    pub(crate) full_folders: Vec<FullFolder>,
}

impl Measure {
    /// Of a thread that reads files alone.
    pub(crate) fn new(wanted: Wanted) -> Self {
        Measure {
            counts: ScanCounts::default(),
            lengths: Lengths::new(),
            exact: ExactLengths::default(),
            shared: SharedOnce::default(),
            file_extents: Lengths::new(),
            free: Free::new(),
            groups: Groups::new(&[], None),
            map: (wanted.map_order > 0).then(|| Map::new(wanted.map_order, wanted.size_bytes)).flatten(),
            top: Top::new(wanted.top, wanted.list_whole),
            folders: FullFolders::default(),
            joined: Vec::new(),
            wanted,
        }
    }

    /// Of a thread that reads space too: free pieces are counted in these groups.
    pub(crate) fn with_groups(wanted: Wanted, places: &[GroupPlace]) -> Self {
        Measure { groups: Groups::new(places, wanted.inode_place), ..Measure::new(wanted) }
    }

    /// What was counted so far.
    pub(crate) fn counts(&self) -> &ScanCounts {
        &self.counts
    }

    /// Takes in the files of another thread; only one thread reads space.
    pub(crate) fn merge_files(&mut self, other: Measure) {
        counts::add(&mut self.counts, &other.counts);
        self.lengths.merge(&other.lengths);
        self.exact.merge(other.exact);
        self.shared.merge(other.shared);
        self.file_extents.merge(&other.file_extents);
        self.top.merge(other.top);
        self.folders.merge(other.folders);
        if let (Some(map), Some(other)) = (&mut self.map, other.map) {
            map.merge(other);
        }
    }

    /// Free space and groups, which are not counted on.
    pub(crate) fn space(&mut self) -> (FreeSpace, Vec<Group>) {
        (self.free.space(), self.groups.take())
    }

    /// In how many places new inodes fit, where that was looked for.
    pub(crate) fn inode_places(&self) -> Option<u64> {
        self.groups.places()
    }

    /// The inodes whose names the result needs.
    pub(crate) fn named_inodes(&self) -> Vec<u64> {
        let names = self.map.iter().flat_map(Map::names).chain(self.top.names()).chain(self.folders.names());
        let mut inodes: Vec<u64> = names.filter_map(KeptName::inode).collect();
        inodes.sort_unstable();
        inodes.dedup();
        inodes
    }

    /// `name_of` knows the paths of inodes, for sources that read no names.
    pub(crate) fn finish(self, name_of: &mut dyn FnMut(u64) -> Option<PathBuf>) -> Measured {
        let (shared_once_extents, shared_once_bytes) = self.shared.sum().unzip();
        Measured {
            counts: ScanCounts { shared_once_extents, shared_once_bytes, ..self.counts },
            extent_lengths: self.lengths.list(),
            exact_lengths: self.exact.list(),
            files_by_extents: self.file_extents.list().iter().map(files_bin).collect(),
            map: self.map.map(|map| map.finish(name_of)),
            top: self.top.list(name_of),
            full_folders: self.folders.list(name_of),
        }
    }
}

/// A file is to its extents what an extent is to its bytes.
fn files_bin(bin: &LengthBin) -> FilesBin {
    FilesBin { at_least_extents: bin.at_least_bytes, files: bin.extents, extents: bin.size_bytes }
}

impl Sink for Measure {
    fn file(&mut self, file: &FileExtents<'_>) {
        join::join(file.extents, &mut self.joined);
        counts::count(&mut self.counts, file, &self.joined, self.wanted.block_bytes);
        for extent in &self.joined {
            self.lengths.add(extent.length_bytes);
            self.exact.add(extent.length_bytes);
        }
        for extent in file.extents.iter().filter(|extent| extent.kinds.has(Kinds::SHARED)) {
            self.counts.shared_bytes = self.counts.shared_bytes.saturating_add(extent.room_bytes());
            self.shared.add(extent.physical_bytes, extent.device_bytes);
        }
        self.file_extents.add(self.joined.len() as u64);
        let addresses = self.wanted.addresses.as_deref();
        self.top.add(file, &self.joined, addresses);
        if let Some(map) = &mut self.map {
            map.file(file, &self.joined, addresses);
        }
    }

    fn folder(&mut self) {
        self.counts.folders += 1;
    }

    fn full_folder(&mut self, name: FileName<'_>, size_bytes: u64, index: FolderIndex) {
        self.folders.add(&name, size_bytes, index);
    }

    fn unnamed(&mut self, size_bytes: u64) {
        self.counts.unnamed_files += 1;
        self.counts.unnamed_bytes = self.counts.unnamed_bytes.saturating_add(size_bytes);
    }

    fn metadata(&mut self, chunk: &MetadataSpace) {
        self.free.add_metadata(chunk);
    }

    fn piece(&mut self, piece: &Piece) {
        if piece.kind == PieceKind::Free {
            self.free.add(piece.length_bytes);
            self.groups.add(piece.offset_bytes, piece.length_bytes);
        }
        if piece.kind == PieceKind::Unallocated {
            self.free.add_unplaced(Unplaced::Unallocated, piece.length_bytes);
        }
        if let Some(map) = &mut self.map {
            map.piece(piece.offset_bytes, piece.length_bytes, piece.kind);
        }
    }

    fn unplaced(&mut self, what: Unplaced, length_bytes: u64) {
        self.free.add_unplaced(what, length_bytes);
    }
}
