//! Folders whose index can grow no more.

use std::cmp::Reverse;
use std::path::PathBuf;

use fsgauge_wire::FullFolder;

use super::name::KeptName;
use crate::extent::{FileName, FolderIndex};

/// How many are listed.
const LISTED: usize = 8;

/// Those with the most full blocks.
#[derive(Debug, Default)]
pub(crate) struct FullFolders(Vec<(FolderIndex, KeptName, u64)>);

impl FullFolders {
    pub(crate) fn add(&mut self, name: &FileName<'_>, size_bytes: u64, index: FolderIndex) {
        self.0.push((index, name.into(), size_bytes));
        self.cut();
    }

    pub(crate) fn merge(&mut self, other: FullFolders) {
        self.0.extend(other.0);
        self.cut();
    }

    fn cut(&mut self) {
        self.0.sort_by(|one, other| {
            (Reverse(one.0.full_blocks), &one.1).cmp(&(Reverse(other.0.full_blocks), &other.1))
        });
        self.0.truncate(LISTED);
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &KeptName> {
        self.0.iter().map(|(_, name, _)| name)
    }

    pub(crate) fn list(self, name_of: &mut dyn FnMut(u64) -> Option<PathBuf>) -> Vec<FullFolder> {
        let listed = |(index, name, size_bytes): (FolderIndex, KeptName, u64)| FullFolder {
            name: name.into_text(name_of),
            size_bytes,
            index_blocks: index.blocks,
            full_index_blocks: index.full_blocks,
        };
        self.0.into_iter().map(listed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_refuse_most_are_listed_whatever_the_threads() {
        let (mut one, mut other) = (FullFolders::default(), FullFolders::default());
        for inode in 0..20 {
            let index = FolderIndex { blocks: 123, full_blocks: inode };
            let folders = if inode % 3 == 0 { &mut one } else { &mut other };
            folders.add(&FileName::Inode(inode), 9000, index);
        }
        one.merge(other);
        let list = one.list(&mut |inode| (inode == 19).then(|| "/full".into()));
        let full: Vec<u64> = list.iter().map(|folder| folder.full_index_blocks).collect();
        assert_eq!(full, [19, 18, 17, 16, 15, 14, 13, 12]);
        assert_eq!((list[0].name.as_str(), list[1].name.as_str()), ("/full", "inode 18"));
    }
}
