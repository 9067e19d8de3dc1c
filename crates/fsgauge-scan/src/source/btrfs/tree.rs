//! Trees of btrfs: blocks are verified as they are read, and walked from key to key.
//!
//! A walk always ends: each child is one level lower than its parent, begins with the key by which the parent knows
//! it and ends before the parent's next one, so no block is met twice in one tree, whatever the bytes say.
//!
//! Source: struct btrfs_header, btrfs_item and btrfs_key_ptr in include/uapi/linux/btrfs_tree.h,
//! btrfs_verify_level_key in fs/btrfs/disk-io.c of Linux 6.12.

use super::Volume;
use super::items::Key;
use super::pointer::{LEVELS, Pointer};
use super::sharing::Sharing;
use crate::Problems;
use crate::bytes::Bytes;

const HEADER_BYTES: usize = 101;
const ITEM_BYTES: usize = 25;
const CHILD_BYTES: usize = 33;

/// Takes in what a walk meets.
pub(super) trait Visitor {
    /// One item. `is_shared` when a block on the way to it is part of several trees. Returns whether to go on.
    fn item(&mut self, key: &Key, contents: &[u8], is_shared: bool, problems: &mut Problems) -> bool;

    /// What lies between two keys, the second one excluded, cannot be read.
    fn lost(&mut self, _from: &Key, _to: Option<&Key>) {}
}

impl<F: FnMut(&Key, &[u8], bool, &mut Problems) -> bool> Visitor for F {
    fn item(&mut self, key: &Key, contents: &[u8], is_shared: bool, problems: &mut Problems) -> bool {
        self(key, contents, is_shared, problems)
    }
}

/// What of a tree is walked.
pub(super) struct Walk<'a> {
    /// The first and the last key.
    pub(super) keys: (Key, Key),
    /// For `is_shared`.
    pub(super) sharing: Option<&'a Sharing>,
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// A verified block; no bytes when none was read.
#[derive(Debug, Default)]
struct Block {
    address: u64,
    generation: u64,
    bytes: Vec<u8>,
}

/// Walks trees with one block of memory for each level. Each thread has its own.
pub(super) struct Reader<'a> {
    volume: &'a Volume<'a>,
    levels: [Block; LEVELS as usize],
}

impl<'a> Reader<'a> {
    pub(super) fn new(volume: &'a Volume<'a>) -> Self {
        Reader { volume, levels: Default::default() }
    }

    /// Shows `visitor` every item between two keys, ascending.
    pub(super) fn walk(
        &mut self,
        root: &Pointer,
        walk: &Walk<'_>,
        visitor: &mut dyn Visitor,
        problems: &mut Problems,
    ) {
        self.block(root, None, false, walk, visitor, problems);
    }

    /// The children of a root, and where they are few, their children: keys that part a tree evenly.
    pub(super) fn borders(&mut self, root: &Pointer, enough: usize, problems: &mut Problems) -> Vec<Key> {
        let mut nodes = vec![(*root, None)];
        let mut keys = Vec::new();
        loop {
            let mut children = Vec::new();
            for (node, end) in nodes {
                if node.level == 0 {
                    return keys;
                }
                let Some(level) = self.levels.get_mut(usize::from(node.level)) else { return keys };
                if self.volume.load(&node, end.as_ref(), level, problems) {
                    children.extend(pointers(&level.bytes, node.level, end));
                }
            }
            keys = children.iter().filter_map(|(child, _)| child.first).collect();
            if keys.len() >= enough || children.is_empty() {
                return keys;
            }
            nodes = children;
        }
    }

    /// Returns whether the walk goes on. `end` is the first key that may not be met any more.
    fn block(
        &mut self,
        pointer: &Pointer,
        end: Option<Key>,
        is_shared: bool,
        walk: &Walk<'_>,
        visitor: &mut dyn Visitor,
        problems: &mut Problems,
    ) -> bool {
        if (walk.stop)() {
            return false;
        }
        let Some(level) = self.levels.get_mut(usize::from(pointer.level)) else { return true };
        let mut block = std::mem::take(level);
        let go_on = if self.volume.load(pointer, end.as_ref(), &mut block, problems) {
            let is_shared = is_shared || walk.sharing.is_some_and(|sharing| sharing.has(pointer.address));
            match pointer.level {
                0 => self.leaf(&block, is_shared, walk, visitor, problems),
                _ => pointers(&block.bytes, pointer.level, end)
                    .skip_while(|(_, end)| end.is_some_and(|end| end <= walk.keys.0))
                    .take_while(|(child, _)| child.first.is_some_and(|first| first <= walk.keys.1))
                    .all(|(child, end)| self.block(&child, end, is_shared, walk, visitor, problems)),
            }
        } else {
            visitor.lost(&pointer.first.unwrap_or(Key::FIRST), end.as_ref());
            true
        };
        if let Some(level) = self.levels.get_mut(usize::from(pointer.level)) {
            *level = block;
        }
        go_on
    }

    fn leaf(
        &self,
        block: &Block,
        is_shared: bool,
        walk: &Walk<'_>,
        visitor: &mut dyn Visitor,
        problems: &mut Problems,
    ) -> bool {
        for item in entries(&block.bytes, ITEM_BYTES) {
            let Some(key) = Key::parse(item, 0).filter(|key| *key >= walk.keys.0) else { continue };
            if key > walk.keys.1 {
                return false;
            }
            match contents(&block.bytes, item) {
                Some(contents) if visitor.item(&key, contents, is_shared, problems) => {}
                Some(_) => return false,
                None => {
                    problems
                        .add_damage(format_args!("tree block {}: an item lies outside of it", block.address));
                    visitor.lost(&key, Some(&Key { kind: u8::MAX, ..key }));
                }
            }
        }
        true
    }
}

impl Volume<'_> {
    /// Fills `block` with the first copy that is whole; says a problem and gives false when none is.
    fn load(&self, pointer: &Pointer, end: Option<&Key>, block: &mut Block, problems: &mut Problems) -> bool {
        let address = pointer.address;
        let is_there = block.address == address && block.generation == pointer.generation;
        if is_there && fault(&block.bytes, pointer, end).is_none() && !block.bytes.is_empty() {
            return true;
        }
        let node_size = u64::from(self.superblock.node_size);
        let Some(copies) = self.chunks.copies(address, node_size) else {
            problems.add_damage(format_args!("tree block {address}: it is in no chunk"));
            return false;
        };
        let mut first_fault = "it cannot be read";
        for (copy, offset) in copies.enumerate() {
            let fault = self.load_copy(pointer, end, offset, block, problems);
            match fault {
                None if copy > 0 => problems.add(
                    "damaged_copy",
                    "A copy is damaged; another copy was read",
                    format_args!("tree block {address}: {first_fault}"),
                ),
                Some(fault) if copy == 0 => first_fault = fault,
                _ => {}
            }
            if fault.is_none() {
                return true;
            }
        }
        problems.add_damage(format_args!("tree block {address}: {first_fault}"));
        false
    }

    /// What is wrong with the copy at `offset`, if anything.
    fn load_copy(
        &self,
        pointer: &Pointer,
        end: Option<&Key>,
        offset: u64,
        block: &mut Block,
        problems: &mut Problems,
    ) -> Option<&'static str> {
        block.address = pointer.address;
        block.generation = pointer.generation;
        block.bytes.resize(self.superblock.node_size as usize, 0);
        let what = format_args!("tree block {}", pointer.address);
        let got = self.image.read(offset, &mut block.bytes, problems, what);
        let fault = if got < block.bytes.len() {
            Some("it cannot be read")
        } else if self.superblock.checksum.matches(&block.bytes) == Some(false) {
            Some("its checksum is wrong")
        } else if block.bytes.array(0x20) != Some(self.superblock.metadata_uuid) {
            Some("it is of another file system")
        } else {
            order_fault(&block.bytes, pointer.level).or_else(|| fault(&block.bytes, pointer, end))
        };
        if fault.is_some() {
            block.bytes.clear();
        }
        fault
    }
}

/// What of a block is not as its parent says.
fn fault(bytes: &[u8], pointer: &Pointer, end: Option<&Key>) -> Option<&'static str> {
    let (address, generation, level) = (bytes.le64(0x30), bytes.le64(0x50), bytes.u8(0x64));
    if (address, level) != (Some(pointer.address), Some(pointer.level)) {
        return Some("another block is in its place");
    }
    if generation != Some(pointer.generation) {
        return Some("it is older or newer than its tree");
    }
    let size = if pointer.level == 0 { ITEM_BYTES } else { CHILD_BYTES };
    let first = entries(bytes, size).next().and_then(|entry| Key::parse(entry, 0));
    let last = entries(bytes, size).next_back().and_then(|entry| Key::parse(entry, 0));
    let begins_right = pointer.first.is_none() || pointer.first == first;
    let ends_right = end.is_none_or(|end| last.is_some_and(|last| last < *end));
    if begins_right && ends_right { None } else { Some("it holds keys that its tree has elsewhere") }
}

/// What makes no sense inside a block: the number of entries, or their order.
fn order_fault(bytes: &[u8], level: u8) -> Option<&'static str> {
    let size = if level == 0 { ITEM_BYTES } else { CHILD_BYTES };
    let room = bytes.len().saturating_sub(HEADER_BYTES) / size;
    let count = bytes.le32(0x60).unwrap_or(u32::MAX) as usize;
    if count > room || (count == 0 && level > 0) {
        return Some("it has too many entries, or none");
    }
    let ascends = entries(bytes, size).map(|entry| Key::parse(entry, 0)).is_sorted_by(|one, two| one < two);
    if ascends { None } else { Some("its keys do not ascend") }
}

/// Items of a leaf or pointers of a node, as many as fit.
fn entries(bytes: &[u8], size: usize) -> impl DoubleEndedIterator<Item = &[u8]> {
    let count = bytes.le32(0x60).unwrap_or(0) as usize;
    let all = bytes.get(HEADER_BYTES..).unwrap_or(&[]);
    let used = count.min(all.len() / size) * size;
    all.get(..used).unwrap_or(&[]).chunks_exact(size)
}

/// The children of a node, each with the key before which it ends.
fn pointers(bytes: &[u8], level: u8, end: Option<Key>) -> impl Iterator<Item = (Pointer, Option<Key>)> {
    let following = entries(bytes, CHILD_BYTES).skip(1).map(|entry| Key::parse(entry, 0));
    entries(bytes, CHILD_BYTES).zip(following.chain([end])).filter_map(move |(entry, end)| {
        let (address, generation) = (entry.le64(17)?, entry.le64(25)?);
        let level = level.checked_sub(1)?;
        Some((Pointer { address, generation, level, first: Some(Key::parse(entry, 0)?) }, end))
    })
}

fn contents<'b>(bytes: &'b [u8], item: &[u8]) -> Option<&'b [u8]> {
    let begin = HEADER_BYTES.checked_add(item.le32(17)? as usize)?;
    bytes.get(begin..begin.checked_add(item.le32(21)? as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(keys: &[u64]) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        bytes[0x60..0x64].copy_from_slice(&(keys.len() as u32).to_le_bytes());
        bytes[0x64] = 1;
        for (entry, key) in bytes[HEADER_BYTES..].chunks_exact_mut(CHILD_BYTES).zip(keys) {
            entry[..8].copy_from_slice(&key.to_le_bytes());
            entry[17..25].copy_from_slice(&(key * 4096).to_le_bytes());
        }
        bytes
    }

    #[test]
    fn children_end_where_the_next_one_begins() {
        let key = |object| Key { object, ..Key::FIRST };
        let children: Vec<_> = pointers(&node(&[3, 7]), 1, Some(key(9))).collect();
        assert_eq!(children.len(), 2);
        assert_eq!((children[0].0.address, children[0].0.first), (3 * 4096, Some(key(3))));
        assert_eq!((children[0].1, children[1].1), (Some(key(7)), Some(key(9))));
        assert_eq!(children[1].0.level, 0);
    }

    #[test]
    fn a_block_must_hold_the_keys_that_its_parent_gives_it() {
        let key = |object| Some(Key { object, ..Key::FIRST });
        let pointer = |first| Pointer { address: 0, generation: 0, level: 1, first };
        let bytes = node(&[3, 7]);
        assert_eq!(order_fault(&bytes, 1), None);
        assert_eq!(fault(&bytes, &pointer(None), None), None);
        assert_eq!(fault(&bytes, &pointer(key(3)), key(8).as_ref()), None);
        assert!(fault(&bytes, &pointer(key(2)), None).is_some());
        assert!(fault(&bytes, &pointer(key(3)), key(7).as_ref()).is_some());
        assert!(order_fault(&node(&[7, 3]), 1).is_some());
        assert!(order_fault(&node(&[3, 3]), 1).is_some());
        assert!(order_fault(&node(&[]), 1).is_some());
        let mut many = node(&[3, 7]);
        many[0x60..0x64].fill(0xFF);
        assert!(order_fault(&many, 1).is_some());
        assert!(entries(&many, CHILD_BYTES).count() <= 4096 / CHILD_BYTES);
    }
}
