//! Finding the paths of a few inodes by walking folders: what was met, and what is still to be read.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// More folders than this are not walked: names are a convenience, inode numbers do as well.
const FOLDERS_LIMIT: usize = 1 << 20;

/// Nor are more blocks of folders read than this.
pub(crate) const FOLDER_BLOCKS_LIMIT: u64 = 1 << 22;

struct Folder {
    /// Its place in `folders`; the root is its own.
    parent: usize,
    name: Box<[u8]>,
}

/// A walk from the root down. It ends when all that is wanted was found, and cannot go in circles.
pub(crate) struct Tree {
    folders: Vec<Folder>,
    /// Folders still to be read: their inode, and their place in `folders`.
    pending: Vec<(u64, usize)>,
    seen: HashSet<u64>,
    wanted: HashSet<u64>,
    found: HashMap<u64, PathBuf>,
    current: usize,
}

impl Tree {
    /// A walk that begins at the folder `root`.
    pub(crate) fn new(root: u64, wanted: &[u64]) -> Tree {
        Tree {
            folders: vec![Folder { parent: 0, name: Box::default() }],
            pending: vec![(root, 0)],
            seen: HashSet::from([root]),
            wanted: wanted.iter().copied().collect(),
            found: HashMap::new(),
            current: 0,
        }
    }

    /// The folder whose entries are to be added now; `None` at the end.
    pub(crate) fn next_folder(&mut self) -> Option<u64> {
        if self.wanted.is_empty() {
            return None;
        }
        let (inode, place) = self.pending.pop()?;
        self.current = place;
        Some(inode)
    }

    /// An entry of that folder. What may be a folder is walked later.
    pub(crate) fn add(&mut self, name: &[u8], inode: u64, may_be_folder: bool) {
        if inode == 0 || matches!(name, b"" | b"." | b"..") {
            return;
        }
        if self.wanted.remove(&inode) {
            self.found.insert(inode, self.path(name));
        }
        if may_be_folder && self.folders.len() < FOLDERS_LIMIT && self.seen.insert(inode) {
            self.pending.push((inode, self.folders.len()));
            self.folders.push(Folder { parent: self.current, name: name.into() });
        }
    }

    /// What was found.
    pub(crate) fn into_found(self) -> HashMap<u64, PathBuf> {
        self.found
    }

    fn path(&self, name: &[u8]) -> PathBuf {
        let mut parts = vec![name];
        let mut place = self.current;
        while let Some(folder) = self.folders.get(place).filter(|_| place > 0) {
            parts.push(&folder.name);
            place = folder.parent;
        }
        let mut path = PathBuf::from("/");
        path.extend(parts.iter().rev().map(|part| OsStr::from_bytes(part)));
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_built_from_the_root_and_the_walk_ends_when_all_are_found() {
        let mut tree = Tree::new(2, &[20, 21]);
        assert_eq!(tree.next_folder(), Some(2));
        tree.add(b".", 2, true);
        tree.add(b"a", 10, true);
        tree.add(b"x", 20, false);
        assert_eq!(tree.next_folder(), Some(10));
        tree.add(b"..", 2, true);
        tree.add(b"b", 11, true);
        assert_eq!(tree.next_folder(), Some(11));
        tree.add(b"up", 10, true);
        tree.add(b"y", 21, false);
        tree.add(b"c", 12, true);
        assert_eq!(tree.next_folder(), None);
        let found = tree.into_found();
        assert_eq!(found[&20], PathBuf::from("/x"));
        assert_eq!(found[&21], PathBuf::from("/a/b/y"));
    }

    #[test]
    fn folders_that_hold_each_other_are_read_once() {
        let mut tree = Tree::new(2, &[99]);
        let mut reads = 0;
        while let Some(folder) = tree.next_folder() {
            tree.add(b"x", if folder == 2 { 3 } else { 2 }, true);
            reads += 1;
        }
        assert_eq!(reads, 2);
        assert!(tree.into_found().is_empty());
    }
}
