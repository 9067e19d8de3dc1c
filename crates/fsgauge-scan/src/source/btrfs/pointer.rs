//! What leads to a block of a tree.

use super::items::Key;

/// Levels of a tree.
pub(super) const LEVELS: u8 = 8;

/// How a tree block is known before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) address: u64,
    pub(super) generation: u64,
    pub(super) level: u8,
    /// Its first key; not known of roots.
    pub(super) first: Option<Key>,
}
