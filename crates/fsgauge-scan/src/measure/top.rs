//! The files with the most extents.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;

use fsgauge_wire::{ListedExtent, ListedFile};

use super::name::KeptName;
use crate::address::AddressMap;
use crate::extent::{Extent, FileExtents};

/// How many extents of each file are kept.
const EXTENTS: usize = 10_000;

/// At most `wanted` files of `fewest` extents or more; of equal ones the first by name.
#[derive(Debug, Clone)]
pub(crate) struct Top {
    wanted: usize,
    fewest: usize,
    /// The least of them on top.
    heap: BinaryHeap<Reverse<Listed>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Listed {
    extents: u64,
    name: KeptName,
    size_bytes: u64,
    list: Vec<ListedExtent>,
}

impl Ord for Listed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.extents.cmp(&other.extents).then_with(|| other.name.cmp(&self.name))
    }
}

impl PartialOrd for Listed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Top {
    /// With `whole`, files of one extent are listed too.
    pub(crate) fn new(wanted: usize, whole: bool) -> Self {
        Top { wanted, fewest: if whole { 1 } else { 2 }, heap: BinaryHeap::new() }
    }

    /// One file, whose joined extents are `joined`.
    #[inline]
    pub(crate) fn add(&mut self, file: &FileExtents<'_>, joined: &[Extent], addresses: Option<&AddressMap>) {
        if joined.len() >= self.fewest && self.wanted > 0 && self.is_among(file, joined.len() as u64) {
            self.push(Listed {
                extents: joined.len() as u64,
                name: (&file.name).into(),
                size_bytes: file.size_bytes,
                list: joined.iter().take(EXTENTS).map(|extent| listed(extent, addresses)).collect(),
            });
        }
    }

    fn is_among(&self, file: &FileExtents<'_>, extents: u64) -> bool {
        match self.heap.peek().filter(|_| self.heap.len() >= self.wanted) {
            None => true,
            Some(Reverse(least)) if extents == least.extents => least.name.is_after(&file.name),
            Some(Reverse(least)) => extents > least.extents,
        }
    }

    fn push(&mut self, file: Listed) {
        self.heap.push(Reverse(file));
        if self.heap.len() > self.wanted {
            self.heap.pop();
        }
    }

    /// The names of those kept.
    pub(crate) fn names(&self) -> impl Iterator<Item = &KeptName> {
        self.heap.iter().map(|Reverse(file)| &file.name)
    }

    pub(crate) fn merge(&mut self, other: Top) {
        other.heap.into_iter().for_each(|Reverse(file)| self.push(file));
    }

    /// Most extents first.
    pub(crate) fn list(self, name_of: &mut dyn FnMut(u64) -> Option<PathBuf>) -> Vec<ListedFile> {
        let ascending = self.heap.into_sorted_vec();
        ascending
            .into_iter()
            .map(|Reverse(file)| ListedFile {
                name: file.name.into_text(name_of),
                size_bytes: file.size_bytes,
                extents: file.extents,
                list: file.list,
            })
            .collect()
    }
}

fn listed(extent: &Extent, addresses: Option<&AddressMap>) -> ListedExtent {
    let physical_bytes = addresses
        .and_then(|addresses| addresses.device_offset(extent.physical_bytes))
        .unwrap_or(extent.physical_bytes);
    ListedExtent { logical_bytes: extent.logical_bytes, physical_bytes, length_bytes: extent.length_bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extent::{FileName, Kinds};

    fn add(top: &mut Top, inode: u64, extents: u64) {
        let joined: Vec<Extent> =
            (0..extents).map(|at| Extent::plain(at * 4096, at * 8192, 4096, Kinds::default())).collect();
        let file = FileExtents { name: FileName::Inode(inode), size_bytes: extents * 4096, extents: &joined };
        top.add(&file, &joined, None);
    }

    fn names(top: Top) -> Vec<(String, u64)> {
        top.list(&mut |_| None).into_iter().map(|file| (file.name, file.extents)).collect()
    }

    #[test]
    fn the_most_fragmented_are_kept_whatever_the_order_and_the_threads() {
        let (mut one, mut other) = (Top::new(3, false), Top::new(3, false));
        [(1, 5), (2, 1), (3, 2), (4, 9)]
            .into_iter()
            .for_each(|(inode, extents)| add(&mut one, inode, extents));
        [(5, 5), (6, 7), (7, 5)].into_iter().for_each(|(inode, extents)| add(&mut other, inode, extents));
        let expected = [("inode 4".to_owned(), 9), ("inode 6".to_owned(), 7), ("inode 1".to_owned(), 5)];
        let (mut left, mut right) = (one.clone(), other.clone());
        left.merge(other);
        right.merge(one);
        assert_eq!(names(left), expected);
        assert_eq!(names(right), expected);
    }

    #[test]
    fn files_of_one_extent_are_not_listed_and_long_lists_are_cut() {
        let mut top = Top::new(2, false);
        add(&mut top, 1, 1);
        add(&mut top, 2, 10_001);
        let list = top.list(&mut |inode| Some(format!("/file-{inode}").into()));
        assert_eq!((list.len(), list[0].list.len(), list[0].extents), (1, 10_000, 10_001));
        assert_eq!(list[0].name, "/file-2");
    }

    #[test]
    fn whole_files_are_listed_where_they_are_asked_for_and_files_without_extents_never() {
        let mut top = Top::new(3, true);
        [(1, 1), (2, 0), (3, 4)].into_iter().for_each(|(inode, extents)| add(&mut top, inode, extents));
        assert_eq!(names(top), [("inode 3".to_owned(), 4), ("inode 1".to_owned(), 1)]);
    }

    #[test]
    fn nothing_is_kept_when_nothing_is_wanted() {
        let mut top = Top::new(0, true);
        add(&mut top, 1, 5);
        assert_eq!(names(top), []);
    }
}
