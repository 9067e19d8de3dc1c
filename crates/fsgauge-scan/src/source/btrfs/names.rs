//! Paths of some files, from each upward to the top of the file system.
//!
//! Source: struct btrfs_inode_ref, btrfs_inode_extref and btrfs_root_ref in include/uapi/linux/btrfs_tree.h of
//! Linux 6.12.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::items::{self, FIRST_FREE, Key, TOP_SUBVOLUME, kind};
use super::pointer::Pointer;
use super::tree::{Reader, Walk};
use super::{Btrfs, numbers};
use crate::Problems;

/// Folders on the way to a file, at most: damage could make them a circle.
const DEPTH_LIMIT: usize = 4096;
/// Folders that are kept in memory.
const KEPT_LIMIT: usize = 1 << 18;

/// An inode: the place of its subvolume in the list, and its number there.
type Place = (usize, u64);

/// The paths of all of `wanted`; those whose folders cannot be read are named by number.
pub(super) fn find(
    btrfs: &Btrfs<'_>,
    wanted: &[u64],
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) -> HashMap<u64, PathBuf> {
    let mut names = Names { btrfs, reader: Reader::new(&btrfs.volume), kept: HashMap::new() };
    let mut found = HashMap::new();
    for &number in wanted {
        if stop() {
            break;
        }
        let place = numbers::parts(number);
        let path = names.path(place, stop, problems).or_else(|| names.by_number(place));
        found.extend(path.map(|path| (number, path)));
    }
    found
}

struct Names<'a> {
    btrfs: &'a Btrfs<'a>,
    reader: Reader<'a>,
    /// Folders that were met: what holds them, and their names there.
    kept: HashMap<Place, Option<(Place, Vec<u8>)>>,
}

impl Names<'_> {
    fn path(&mut self, file: Place, stop: &dyn Fn() -> bool, problems: &mut Problems) -> Option<PathBuf> {
        let top = self.place_of(TOP_SUBVOLUME)?;
        let mut parts = Vec::new();
        let mut at = file;
        while at != (top, FIRST_FREE) {
            if parts.len() > DEPTH_LIMIT || stop() {
                return None;
            }
            let (above, name) = self.above(at, at != file, problems)?;
            parts.push(name);
            at = above;
        }
        let mut path = PathBuf::from("/");
        path.extend(parts.iter().rev().map(|part| OsStr::from_bytes(part)));
        Some(path)
    }

    /// What holds an inode, and its name there; kept where it `is_folder`.
    fn above(&mut self, at: Place, is_folder: bool, problems: &mut Problems) -> Option<(Place, Vec<u8>)> {
        if let Some(kept) = self.kept.get(&at) {
            return kept.clone();
        }
        let found =
            if at.1 == FIRST_FREE { self.above_root(at.0, problems) } else { self.above_inode(at, problems) };
        if is_folder && self.kept.len() < KEPT_LIMIT {
            self.kept.insert(at, found.clone());
        }
        found
    }

    fn above_inode(&mut self, at: Place, problems: &mut Problems) -> Option<(Place, Vec<u8>)> {
        let root = self.btrfs.roots.subvolumes.get(at.0)?.root;
        let key = |kind, offset| Key { object: at.1, kind, offset };
        let keys = (key(kind::INODE_REF, 0), key(kind::INODE_EXTENDED_REF, u64::MAX));
        let mut found = None;
        self.first(&root, keys, problems, &mut |key, contents| {
            found = items::inode_ref(key, contents).map(|(above, name)| ((at.0, above), name.to_vec()));
        });
        found
    }

    fn above_root(&mut self, subvolume: usize, problems: &mut Problems) -> Option<(Place, Vec<u8>)> {
        let id = self.btrfs.roots.subvolumes.get(subvolume)?.id;
        let root = self.btrfs.volume.superblock.root_tree;
        let key = |offset| Key { object: id, kind: kind::ROOT_BACK_REF, offset };
        let mut found = None;
        self.first(&root, (key(0), key(u64::MAX)), problems, &mut |key, contents| {
            found = items::root_back_ref(contents).map(|(above, name)| (key.offset, above, name.to_vec()));
        });
        let (above_id, above, name) = found?;
        Some(((self.place_of(above_id)?, above), name))
    }

    /// Shows the first item between two keys.
    fn first(
        &mut self,
        root: &Pointer,
        keys: (Key, Key),
        problems: &mut Problems,
        found: &mut dyn FnMut(&Key, &[u8]),
    ) {
        let walk = Walk { keys, sharing: None, stop: &|| false };
        let mut visitor = |key: &Key, contents: &[u8], _: bool, _: &mut Problems| {
            found(key, contents);
            false
        };
        self.reader.walk(root, &walk, &mut visitor, problems);
    }

    fn place_of(&self, id: u64) -> Option<usize> {
        self.btrfs.roots.subvolumes.binary_search_by_key(&id, |subvolume| subvolume.id).ok()
    }

    fn by_number(&self, (subvolume, inode): Place) -> Option<PathBuf> {
        let id = self.btrfs.roots.subvolumes.get(subvolume)?.id;
        Some(PathBuf::from(format!("inode {inode} of subvolume {id}")))
    }
}
