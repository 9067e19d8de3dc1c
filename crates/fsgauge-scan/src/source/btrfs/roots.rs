//! The tree of roots: where the tree of extents and those of the subvolumes begin.

use super::Volume;
use super::items::{
    BLOCK_GROUP_TREE, CHECKSUM_TREE, EXTENT_TREE, FIRST_FREE, FREE_SPACE_TREE, LAST_FREE, QUOTA_TREE,
    RootItem, TOP_SUBVOLUME, kind,
};
use super::pointer::{LEVELS, Pointer};
use crate::Problems;

/// Trees of the file system's own that any change writes to.
const OWN_TREES: [u64; 4] = [EXTENT_TREE, CHECKSUM_TREE, FREE_SPACE_TREE, BLOCK_GROUP_TREE];
/// Items that change when a file is deleted (BTRFS_UNLINK_METADATA_UNITS).
const UNLINK_ITEMS: u64 = 6;
/// Blocks that the change of an item may write: two on each of a tree's eight levels (btrfs_calc_insert_metadata_size).
const ITEM_NODES: u64 = 16;
const LARGEST_RESERVE_BYTES: u64 = 512 << 20;

/// A subvolume or snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subvolume {
    pub(super) id: u64,
    pub(super) root: Pointer,
}

/// What is used of the tree of roots.
#[derive(Debug, Default)]
pub(super) struct Roots {
    pub(super) extents: Option<Pointer>,
    /// Ascending by number.
    pub(super) subvolumes: Vec<Subvolume>,
    /// Subvolumes that were deleted and whose space is still in use.
    pub(super) deleted: u64,
    /// Of trees that any change writes to: how many there are, and the bytes of their blocks.
    own_trees: (u64, u64),
    has_free_space_tree: bool,
    /// The tree of quotas, where there are some.
    pub(super) quotas: Option<Pointer>,
}

impl Roots {
    pub(super) fn read(volume: &Volume<'_>, problems: &mut Problems) -> Roots {
        let mut roots = Roots::default();
        volume.walk_all(&volume.superblock.root_tree, problems, &mut |key, contents, problems| {
            let id = key.object;
            let is_subvolume = id == TOP_SUBVOLUME || (FIRST_FREE..=LAST_FREE).contains(&id);
            let is_own = OWN_TREES.contains(&id);
            if key.kind != kind::ROOT || !(is_subvolume || is_own || id == QUOTA_TREE) {
                return;
            }
            let Some(item) = RootItem::parse(contents).filter(|item| item.level < LEVELS) else {
                return problems.add_damage(format_args!("root of tree {id}"));
            };
            let RootItem { address, generation, level, references, used_bytes } = item;
            let root = Pointer { address, generation, level, first: None };
            if id == QUOTA_TREE {
                roots.quotas = Some(root);
            } else if is_own {
                let (trees, bytes) = roots.own_trees;
                roots.own_trees = (trees + 1, bytes.saturating_add(used_bytes));
                roots.has_free_space_tree |= id == FREE_SPACE_TREE;
                roots.extents = roots.extents.or((id == EXTENT_TREE).then_some(root));
            } else if references == 0 {
                roots.deleted += 1;
            } else if roots.subvolumes.last().is_none_or(|last| last.id < id) {
                roots.subvolumes.push(Subvolume { id, root });
            }
        });
        if roots.extents.is_none() {
            problems.add_damage(format_args!("there is no tree of extents"));
        }
        roots
    }

    /// What the kernel keeps of the chunks for metadata, so that files can still be deleted when all else is taken
    /// (`btrfs_update_global_block_rsv` in fs/btrfs/block-rsv.c of Linux 6.12): as much as the trees have that every change
    /// writes to, at least what a deletion and its delayed references may need, at most 512 MiB.
    pub(super) fn reserve_bytes(&self, node_size: u32) -> u64 {
        let (trees, used_bytes) = self.own_trees;
        let references = if self.has_free_space_tree { 2 * UNLINK_ITEMS } else { UNLINK_ITEMS };
        // The tree of roots is one more.
        let least_bytes = ITEM_NODES * u64::from(node_size) * (trees + 1 + UNLINK_ITEMS + references);
        used_bytes.max(least_bytes).min(LARGEST_RESERVE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_that_of_the_kernel() {
        let reserve = |trees, bytes, has_free_space_tree| {
            let own_trees = (trees, bytes);
            Roots { own_trees, has_free_space_tree, ..Roots::default() }.reserve_bytes(16384)
        };
        // As /sys/fs/btrfs/*/allocation/global_rsv_size of a new file system has it.
        assert_eq!(reserve(3, 0, true), 5632 << 10);
        assert_eq!(reserve(2, 0, false), 3840 << 10);
        assert_eq!(reserve(3, 20 << 20, true), 20 << 20);
        assert_eq!(reserve(3, 1 << 40, true), 512 << 20);
    }
}
