//! The tree of roots: where the tree of extents and those of the subvolumes begin.

use super::Volume;
use super::items::{EXTENT_TREE, FIRST_FREE, LAST_FREE, RootItem, TOP_SUBVOLUME, kind};
use super::pointer::{LEVELS, Pointer};
use crate::Problems;

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
}

impl Roots {
    pub(super) fn read(volume: &Volume<'_>, problems: &mut Problems) -> Roots {
        let mut roots = Roots::default();
        volume.walk_all(&volume.superblock.root_tree, problems, &mut |key, contents, problems| {
            let id = key.object;
            let is_subvolume = id == TOP_SUBVOLUME || (FIRST_FREE..=LAST_FREE).contains(&id);
            if key.kind != kind::ROOT || !(is_subvolume || id == EXTENT_TREE) {
                return;
            }
            let Some(item) = RootItem::parse(contents).filter(|item| item.level < LEVELS) else {
                return problems.add_damage(format_args!("root of tree {id}"));
            };
            let RootItem { address, generation, level, references } = item;
            let root = Pointer { address, generation, level, first: None };
            if !is_subvolume {
                roots.extents = Some(root);
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
}
