//! The tree of a file's extents: up to four in the inode, and blocks of 340 (where they have 4 KiB) from then on. Files grow and shrink at their
//! end here, so every block of the tree is full but the last of each level.

use crate::free_map::Run;
use crate::policy::{self, Extent};

/// Entries of the inode's own part.
const ROOT_ENTRIES: usize = 4;
/// Bytes of an entry, and of a block's header.
const ENTRY_BYTES: usize = 12;

/// The extents of a file and the blocks that hold them.
#[derive(Debug, Clone)]
pub(super) struct ExtentTree {
    extents: Vec<Extent>,
    /// The tree's own blocks: those with extents, those that name them, and so on. The inode names the last ones.
    levels: Vec<Vec<u64>>,
    /// Blocks of one extent, at most.
    longest: u32,
    /// Entries of a block.
    block_entries: usize,
    /// The last so many are allocated, and their data is not yet on the device: they are joined with no others.
    unwritten: usize,
    /// Extents whose data is not yet on the device are joined all the same.
    joins_at_once: bool,
}

/// Gives a block for the tree: near a goal, or, if it can be, at the goal itself.
pub(super) type NewBlock<'a> = dyn FnMut(u64, bool) -> Option<u64> + 'a;

/// No block for the tree, and those that it got for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoSpace {
    pub(super) unused_blocks: Vec<u64>,
}

impl ExtentTree {
    pub(super) fn new(longest: u32, block_bytes: u32) -> Self {
        ExtentTree {
            extents: Vec::new(),
            levels: Vec::new(),
            longest,
            block_entries: block_bytes as usize / ENTRY_BYTES - 1,
            unwritten: 0,
            joins_at_once: false,
        }
    }

    /// Of a file that is written through the page cache.
    pub(super) fn cached(longest: u32, block_bytes: u32, joins_at_once: bool) -> Self {
        ExtentTree { joins_at_once, ..ExtentTree::new(longest, block_bytes) }
    }

    pub(super) fn last(&self) -> Option<&Extent> {
        self.extents.last()
    }

    /// The block of the file behind all that is allocated.
    pub(super) fn logical_end(&self) -> u64 {
        self.last().map_or(0, Extent::logical_end)
    }

    /// All extents in order.
    pub(super) fn extents(&self) -> Vec<Extent> {
        self.extents.clone()
    }

    /// Adds an extent behind the others; gives a block that the tree no longer needs.
    pub(super) fn append(
        &mut self,
        extent: Extent,
        inode_goal: u64,
        new_block: &mut NewBlock<'_>,
    ) -> Result<Option<u64>, NoSpace> {
        match self.extents.last_mut() {
            Some(last) if last.is_followed_by(&extent) && last.blocks + extent.blocks <= self.longest => {
                last.blocks += extent.blocks;
            }
            _ => self.push(extent, inode_goal, new_block)?,
        }
        Ok(self.collapse())
    }

    /// Adds an extent behind the others whose data is on its way to the device; gives a block that the tree no longer needs.
    pub(super) fn append_unwritten(
        &mut self,
        extent: Extent,
        inode_goal: u64,
        new_block: &mut NewBlock<'_>,
    ) -> Result<Option<u64>, NoSpace> {
        if self.joins_at_once {
            return self.append(extent, inode_goal, new_block);
        }
        self.push(extent, inode_goal, new_block)?;
        self.unwritten += 1;
        Ok(None)
    }

    /// The data is on the device: extents that go on where others of their leaf end are joined with them. Gives a block
    /// that the tree no longer needs.
    pub(super) fn written(&mut self) -> Option<u64> {
        let first = self.extents.len() - std::mem::take(&mut self.unwritten);
        let is_leaf = !self.levels.is_empty();
        for extent in self.extents.split_off(first) {
            let begins_leaf = is_leaf && self.extents.len().is_multiple_of(self.block_entries);
            match self.extents.last_mut() {
                Some(last)
                    if !begins_leaf
                        && last.is_followed_by(&extent)
                        && last.blocks + extent.blocks <= self.longest =>
                {
                    last.blocks += extent.blocks;
                }
                _ => self.extents.push(extent),
            }
        }
        self.collapse()
    }

    fn push(&mut self, extent: Extent, inode_goal: u64, new_block: &mut NewBlock<'_>) -> Result<(), NoSpace> {
        if !self.has_room(0) {
            self.add_leaf(extent.logical, inode_goal, new_block)?;
        }
        self.extents.push(extent);
        Ok(())
    }

    /// Whether what names the extents, or the blocks of the level below, has an entry left at the end.
    fn has_room(&self, level: usize) -> bool {
        let entries = if level == 0 { self.extents.len() } else { self.levels[level - 1].len() };
        match self.levels.get(level) {
            None => entries < ROOT_ENTRIES,
            Some(blocks) => entries < blocks.len() * self.block_entries,
        }
    }

    /// A leaf with room at the end: a new one where an index has room, and one level more where none has.
    fn add_leaf(
        &mut self,
        logical: u64,
        inode_goal: u64,
        new_block: &mut NewBlock<'_>,
    ) -> Result<(), NoSpace> {
        loop {
            if let Some(above) = (1..=self.levels.len()).find(|&level| self.has_room(level)) {
                return self.add_branch(above, self.goal(logical).unwrap_or(inode_goal), new_block);
            }
            let block = match self.levels.last() {
                Some(top) => new_block(top[0] - 1, true),
                None => new_block(inode_goal, false),
            };
            self.levels.push(vec![block.ok_or(NoSpace { unused_blocks: Vec::new() })?]);
            if self.levels.len() == 1 {
                return Ok(());
            }
        }
    }

    /// A block more in each level below the one that has room, from the highest on.
    fn add_branch(&mut self, above: usize, goal: u64, new_block: &mut NewBlock<'_>) -> Result<(), NoSpace> {
        let mut blocks = Vec::new();
        for _ in 0..above {
            match new_block(goal, false) {
                Some(block) => blocks.push(block),
                None => return Err(NoSpace { unused_blocks: blocks }),
            }
        }
        for (level, block) in self.levels.iter_mut().zip(blocks.into_iter().rev()) {
            level.push(block);
        }
        Ok(())
    }

    /// Where a block of the file would lie if the file went on as its last extent.
    pub(super) fn goal(&self, logical: u64) -> Option<u64> {
        self.last().map(|last| last.physical + (logical - last.logical))
    }

    /// Extents that fit in the inode leave their block.
    fn collapse(&mut self) -> Option<u64> {
        match self.levels.as_slice() {
            [leaves] if leaves.len() == 1 && self.extents.len() <= ROOT_ENTRIES => self.levels.pop()?.pop(),
            _ => None,
        }
    }

    /// Cuts what lies behind so many blocks; gives what is free then, the tree's own blocks among them.
    pub(super) fn cut(&mut self, kept_blocks: u64) -> Vec<Run> {
        let mut freed = Vec::new();
        debug_assert_eq!(self.unwritten, 0);
        policy::cut(&mut self.extents, kept_blocks, |run| freed.push(run));
        let (mut entries, block_entries) = (self.extents.len(), self.block_entries);
        for level in &mut self.levels {
            entries = entries.div_ceil(block_entries);
            let unused = level.split_off(entries.min(level.len()));
            freed.extend(unused.into_iter().map(|start| Run { start, blocks: 1 }));
        }
        self.levels.retain(|level| !level.is_empty());
        freed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(which: u64) -> Extent {
        Extent { logical: which, physical: 1000 + 2 * which, blocks: 1 }
    }

    /// A tree of scattered extents, and how many blocks it asked for.
    fn grown(count: u64) -> (ExtentTree, u64) {
        let (mut tree, mut asked) = (ExtentTree::new(32767, 4096), 0);
        for which in 0..count {
            let freed = tree.append(piece(which), 5, &mut |_, _| {
                asked += 1;
                Some(1_000_000 + asked)
            });
            assert_eq!(freed, Ok(None));
        }
        (tree, asked)
    }

    #[test]
    fn blocks_are_added_as_the_inode_and_the_leaves_fill_up() {
        for (extents, blocks) in [(4, 0), (5, 1), (340, 1), (341, 2), (1360, 4), (1361, 6), (1701, 7)] {
            let (tree, asked) = grown(extents);
            assert_eq!(asked, blocks, "{extents}");
            assert_eq!(tree.extents(), (0..extents).map(piece).collect::<Vec<_>>());
        }
    }

    #[test]
    fn neighbours_are_one_extent_up_to_the_longest() {
        let mut tree = ExtentTree::new(10, 4096);
        for which in 0..4 {
            let extent = Extent { logical: which * 4, physical: 100 + which * 4, blocks: 4 };
            assert_eq!(tree.append(extent, 0, &mut |_, _| None), Ok(None));
        }
        assert_eq!(tree.extents().iter().map(|extent| extent.blocks).collect::<Vec<_>>(), [8, 8]);
        assert_eq!(tree.logical_end(), 16);
    }

    /// A fifth extent needs a block of the tree, which goes again when it turns out to lengthen the fourth.
    #[test]
    fn what_is_on_its_way_is_joined_when_it_has_arrived() {
        let mut tree = grown(4).0;
        let behind = Extent { logical: 4, physical: 1007, blocks: 3 };
        assert_eq!(tree.append_unwritten(behind, 5, &mut |_, _| Some(77)), Ok(None));
        assert_eq!(tree.extents().len(), 5);
        assert_eq!(tree.written(), Some(77));
        assert_eq!(tree.extents().last().unwrap().blocks, 4);
        assert_eq!((tree.extents().len(), tree.written()), (4, None));
    }

    #[test]
    fn what_is_on_its_way_is_joined_at_once_where_the_mount_says_so() {
        let mut tree = ExtentTree::cached(32767, 4096, true);
        for which in 0..4 {
            assert_eq!(tree.append_unwritten(piece(which), 5, &mut |_, _| None), Ok(None));
        }
        let behind = Extent { logical: 4, physical: 1007, blocks: 3 };
        assert_eq!(tree.append_unwritten(behind, 5, &mut |_, _| None), Ok(None));
        assert_eq!(tree.extents().last().unwrap().blocks, 4);
        assert_eq!((tree.extents().len(), tree.written()), (4, None));
    }

    #[test]
    fn what_is_cut_comes_back_and_the_rest_returns_to_the_inode() {
        let (mut tree, asked) = grown(1400);
        let freed = tree.cut(3);
        assert_eq!(freed.iter().map(|run| run.blocks).sum::<u32>(), 1397 + asked as u32 - 2);
        assert_eq!(tree.extents(), (0..3).map(piece).collect::<Vec<_>>());
        let mut tree = grown(6).0;
        assert_eq!(tree.cut(3).len(), 3);
        // The block stays until the next extent is added.
        assert_eq!(tree.append(piece(3), 5, &mut |_, _| None), Ok(Some(1_000_001)));
        assert_eq!(tree.cut(0).len(), 4);
        assert_eq!((tree.last(), tree.goal(0)), (None, None));
    }

    #[test]
    fn no_block_for_the_tree_is_said() {
        let mut tree = grown(4).0;
        assert_eq!(tree.append(piece(4), 5, &mut |_, _| None), Err(NoSpace { unused_blocks: vec![] }));
        assert_eq!(tree.extents().len(), 4);
    }

    /// The index under the inode is full: a leaf needs another index as well. What was got comes back if there is only one.
    #[test]
    fn a_branch_is_added_whole_or_not_at_all() {
        let full = 340 * 340;
        let (mut tree, asked) = grown(full);
        assert_eq!(asked, 340 + 1);
        let mut left = vec![77];
        let appended = tree.append(piece(full), 5, &mut |_, _| left.pop());
        assert_eq!(appended, Err(NoSpace { unused_blocks: vec![77] }));
        let mut left = vec![79, 78];
        assert_eq!(tree.append(piece(full), 5, &mut |_, _| left.pop()), Ok(None));
        assert_eq!(
            tree.cut(full),
            [
                Run { start: 1000 + 2 * full, blocks: 1 },
                Run { start: 79, blocks: 1 },
                Run { start: 78, blocks: 1 }
            ]
        );
    }
}
