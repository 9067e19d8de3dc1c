//! The device in equal cells: what each holds, and whose it is.

use std::path::PathBuf;

use fsgauge_wire::ScanMap;

use super::name::KeptName;
use super::owners::Owners;
use crate::address::AddressMap;
use crate::extent::{Extent, FileExtents, Kinds, PieceKind};

/// Bytes of each kind in each cell. Memory is bounded by the number of cells.
#[derive(Debug, Clone)]
pub(crate) struct Map {
    order: u32,
    size_bytes: u64,
    cell_bytes: u64,
    /// Bytes of the files that were read; what several files share is there several times.
    files: Vec<u64>,
    /// Bytes of data as the file system accounts for it, each once; empty where it does not tell.
    data: Vec<u64>,
    metadata: Vec<u64>,
    free: Vec<u64>,
    unallocated: Vec<u64>,
    owners: Owners,
}

impl Map {
    /// 4^order cells over a device; `None` for a device of no bytes.
    pub(crate) fn new(order: u32, size_bytes: u64) -> Option<Self> {
        let cells = 1usize << (2 * order);
        (size_bytes > 0).then(|| Map {
            order,
            size_bytes,
            cell_bytes: size_bytes.div_ceil(cells as u64),
            files: vec![0; cells],
            data: Vec::new(),
            metadata: Vec::new(),
            free: Vec::new(),
            unallocated: Vec::new(),
            owners: Owners::new(cells),
        })
    }

    /// One file, whose joined extents are `joined`.
    pub(crate) fn file(&mut self, file: &FileExtents<'_>, joined: &[Extent], addresses: Option<&AddressMap>) {
        for extent in joined.iter().filter(|extent| !extent.kinds.has(Kinds::NOWHERE)) {
            match addresses {
                None => self.file_at(extent.physical_bytes, extent.room_bytes()),
                Some(addresses) => {
                    addresses.places(extent.physical_bytes, extent.room_bytes(), |at, length| {
                        self.file_at(at, length);
                    })
                }
            }
        }
        self.owners.file(&file.name);
    }

    fn file_at(&mut self, offset_bytes: u64, length_bytes: u64) {
        let (files, owners) = (&mut self.files, &mut self.owners);
        in_cells(offset_bytes, length_bytes, self.cell_bytes, self.size_bytes, |cell, size_bytes| {
            files[cell] = files[cell].saturating_add(size_bytes);
            owners.touch(cell, size_bytes);
        });
    }

    /// A piece of the device.
    pub(crate) fn piece(&mut self, offset_bytes: u64, length_bytes: u64, kind: PieceKind) {
        let cells = match kind {
            PieceKind::Free => &mut self.free,
            PieceKind::Data => &mut self.data,
            PieceKind::Metadata => &mut self.metadata,
            PieceKind::Unallocated => &mut self.unallocated,
        };
        cells.resize(self.files.len(), 0);
        in_cells(offset_bytes, length_bytes, self.cell_bytes, self.size_bytes, |cell, size_bytes| {
            cells[cell] = cells[cell].saturating_add(size_bytes);
        });
    }

    /// The names that the result needs.
    pub(crate) fn names(&self) -> impl Iterator<Item = &KeptName> {
        self.owners.names()
    }

    pub(crate) fn merge(&mut self, other: Map) {
        add(&mut self.files, &other.files);
        add(&mut self.data, &other.data);
        add(&mut self.metadata, &other.metadata);
        add(&mut self.free, &other.free);
        add(&mut self.unallocated, &other.unallocated);
        self.owners.merge(other.owners);
    }

    pub(crate) fn finish(self, name_of: &mut dyn FnMut(u64) -> Option<PathBuf>) -> ScanMap {
        let data = if self.data.is_empty() { self.files_once() } else { self.shares(&self.data) };
        let (metadata, free) = (self.shares(&self.metadata), self.shares(&self.free));
        let unallocated = self.shares(&self.unallocated);
        let (owner, names) = self.owners.list(name_of);
        ScanMap {
            order: self.order,
            cell_bytes: self.cell_bytes,
            data,
            metadata,
            free,
            unallocated,
            owner,
            names,
        }
    }

    /// Shares of the files' bytes: no more than what nothing else takes, since shared bytes count several times.
    fn files_once(&self) -> Vec<u8> {
        let at = |cells: &[u64], cell: usize| cells.get(cell).copied().unwrap_or(0);
        let room = |cell: usize| {
            let taken = [&self.metadata, &self.free, &self.unallocated]
                .iter()
                .fold(0u64, |sum, cells| sum.saturating_add(at(cells, cell)));
            self.bytes_of(cell).saturating_sub(taken)
        };
        let once: Vec<u64> = (0..).zip(&self.files).map(|(cell, &bytes)| bytes.min(room(cell))).collect();
        self.shares(&once)
    }

    /// Bytes of a cell: the last is shorter, and there may be cells beyond the end.
    fn bytes_of(&self, cell: usize) -> u64 {
        self.size_bytes.saturating_sub((cell as u64).saturating_mul(self.cell_bytes)).min(self.cell_bytes)
    }

    /// In 255ths; anything at all is at least one.
    fn shares(&self, bytes: &[u64]) -> Vec<u8> {
        let share = |cell: usize| {
            let (bytes, all) = (bytes.get(cell).copied().unwrap_or(0), self.bytes_of(cell));
            if bytes == 0 || all == 0 {
                return 0;
            }
            let share = (u128::from(bytes.min(all)) * 255 + u128::from(all / 2)) / u128::from(all);
            share.clamp(1, 255) as u8
        };
        (0..self.files.len()).map(share).collect()
    }
}

fn add(to: &mut Vec<u64>, more: &[u64]) {
    to.resize(to.len().max(more.len()), 0);
    to.iter_mut().zip(more).for_each(|(to, more)| *to = to.saturating_add(*more));
}

/// Gives `found` each cell that a piece touches, with its bytes there.
fn in_cells(
    offset_bytes: u64,
    length_bytes: u64,
    cell_bytes: u64,
    size_bytes: u64,
    mut found: impl FnMut(usize, u64),
) {
    let end = offset_bytes.saturating_add(length_bytes).min(size_bytes);
    let (mut at, mut cell) = (offset_bytes, offset_bytes / cell_bytes);
    while at < end {
        let next = (cell + 1).saturating_mul(cell_bytes).min(end);
        found(cell as usize, next - at);
        (at, cell) = (next, cell + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressRun;
    use crate::extent::FileName;

    fn file(map: &mut Map, inode: u64, extents: &[(u64, u64)], addresses: Option<&AddressMap>) {
        let extents: Vec<Extent> = extents
            .iter()
            .map(|&(physical_bytes, length_bytes)| {
                Extent::plain(0, physical_bytes, length_bytes, Kinds::default())
            })
            .collect();
        let file = FileExtents { name: FileName::Inode(inode), size_bytes: 0, extents: &extents };
        map.file(&file, &extents, addresses);
    }

    /// Four cells of 100 bytes, the last of 50.
    fn map() -> Map {
        Map::new(1, 350).map(|map| Map { cell_bytes: 100, ..map }).unwrap()
    }

    #[test]
    fn an_extent_fills_the_cells_that_it_touches() {
        let mut map = map();
        file(&mut map, 7, &[(50, 100), (310, 40)], None);
        map.piece(150, 50, PieceKind::Free);
        map.piece(0, 10, PieceKind::Metadata);
        map.piece(200, 100, PieceKind::Unallocated);
        let found = map.finish(&mut |_| None);
        assert_eq!(found.data, [128, 128, 0, 204]);
        assert_eq!((found.free, found.metadata), (vec![0, 128, 0, 0], vec![26, 0, 0, 0]));
        assert_eq!(found.unallocated, [0, 0, 255, 0]);
        assert_eq!((found.owner, found.names), (vec![0, 0, -1, 0], vec!["inode 7".to_owned()]));
    }

    #[test]
    fn shared_bytes_do_not_push_out_what_else_is_there() {
        let mut map = map();
        (0..3).for_each(|inode| file(&mut map, inode, &[(0, 60)], None));
        map.piece(60, 40, PieceKind::Free);
        let found = map.finish(&mut |_| None);
        assert_eq!((found.data[0], found.free[0]), (153, 102));
    }

    #[test]
    fn what_lies_beyond_the_device_is_left_out() {
        let mut map = map();
        file(&mut map, 1, &[(340, u64::MAX), (u64::MAX - 1, 5)], None);
        assert_eq!(map.finish(&mut |_| None).data, [0, 0, 0, 51]);
    }

    #[test]
    fn addresses_are_turned_into_offsets() {
        let run = AddressRun { address: 1000, length_bytes: 50, device_offset: 200 };
        let mut map = map();
        file(&mut map, 1, &[(1000, 50), (5000, 50)], Some(&AddressMap::new(vec![run])));
        assert_eq!(map.finish(&mut |_| None).data, [0, 0, 128, 0]);
    }

    #[test]
    fn the_data_that_the_file_system_accounts_for_goes_first() {
        let mut map = map();
        file(&mut map, 1, &[(0, 50), (0, 50)], None);
        map.piece(0, 50, PieceKind::Data);
        assert_eq!(map.finish(&mut |_| None).data, [128, 0, 0, 0]);
    }

    #[test]
    fn a_map_of_the_smallest_device_has_cells_beyond_its_end() {
        let mut map = Map::new(2, 3).unwrap();
        map.piece(0, 3, PieceKind::Free);
        let found = map.finish(&mut |_| None);
        assert_eq!((found.cell_bytes, found.free.len()), (1, 16));
        assert_eq!(found.free[..4], [255, 255, 255, 0]);
    }
}
