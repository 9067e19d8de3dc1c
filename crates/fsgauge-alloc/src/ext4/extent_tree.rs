//! The tree of a file's extents: up to four in the inode, and blocks of 340 from then on. Files grow and shrink at their
//! end here, so only the tree's right edge changes.

use crate::free_map::Run;
use crate::policy::Extent;

/// Entries of the inode's own part, and of a block of 4 KiB.
const ROOT_ENTRIES: usize = 4;
const BLOCK_ENTRIES: usize = 340;

#[derive(Debug, Clone)]
enum Node {
    Leaf(Vec<Extent>),
    Index(Vec<Child>),
}

#[derive(Debug, Clone)]
struct Child {
    block: u64,
    node: Node,
}

impl Node {
    fn entries(&self) -> usize {
        match self {
            Node::Leaf(extents) => extents.len(),
            Node::Index(children) => children.len(),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Node::Leaf(_) => 0,
            Node::Index(children) => children.last().map_or(0, |child| 1 + child.node.depth()),
        }
    }

    /// The node of the right edge that lies so many levels below.
    fn edge(&mut self, level: usize) -> &mut Node {
        if level == 0 || self.depth() == 0 {
            return self;
        }
        match self {
            Node::Index(children) => {
                let last = children.len() - 1;
                children[last].node.edge(level - 1)
            }
            Node::Leaf(_) => unreachable!("a leaf has no depth"),
        }
    }

    fn last(&self) -> Option<&Extent> {
        match self {
            Node::Leaf(extents) => extents.last(),
            Node::Index(children) => children.last().and_then(|child| child.node.last()),
        }
    }

    fn for_each(&self, see: &mut dyn FnMut(&Extent)) {
        match self {
            Node::Leaf(extents) => extents.iter().for_each(see),
            Node::Index(children) => children.iter().for_each(|child| child.node.for_each(see)),
        }
    }
}

/// The extents of a file and the blocks that hold them.
#[derive(Debug, Clone)]
pub(super) struct ExtentTree {
    root: Node,
    /// Blocks of one extent, at most.
    longest: u32,
}

/// Gives a block for the tree: near a goal, or, if it can be, at the goal itself.
pub(super) type NewBlock<'a> = dyn FnMut(u64, bool) -> Option<u64> + 'a;

/// No block for the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoSpace;

impl ExtentTree {
    pub(super) fn new(longest: u32) -> Self {
        ExtentTree { root: Node::Leaf(Vec::new()), longest }
    }

    pub(super) fn last(&self) -> Option<&Extent> {
        self.root.last()
    }

    /// The block of the file behind all that is allocated.
    pub(super) fn logical_end(&self) -> u64 {
        self.last().map_or(0, Extent::logical_end)
    }

    /// All extents in order.
    pub(super) fn extents(&self) -> Vec<Extent> {
        let mut all = Vec::new();
        self.root.for_each(&mut |extent| all.push(*extent));
        all
    }

    /// Adds an extent behind the others; gives a block that the tree no longer needs.
    pub(super) fn append(
        &mut self,
        extent: Extent,
        inode_goal: u64,
        new_block: &mut NewBlock<'_>,
    ) -> Result<Option<u64>, NoSpace> {
        let longest = self.longest;
        let depth = self.root.depth();
        if let Node::Leaf(extents) = self.root.edge(depth)
            && let Some(last) = extents.last_mut()
            && last.is_followed_by(&extent)
            && last.blocks + extent.blocks <= longest
        {
            last.blocks += extent.blocks;
            return Ok(self.collapse());
        }
        if self.is_full(depth) {
            self.add_leaf(extent.logical, inode_goal, new_block)?;
        }
        let depth = self.root.depth();
        if let Node::Leaf(extents) = self.root.edge(depth) {
            extents.push(extent);
        }
        Ok(self.collapse())
    }

    /// Whether the edge's node of a level has no entry left.
    fn is_full(&mut self, level: usize) -> bool {
        self.root.edge(level).entries() >= if level == 0 { ROOT_ENTRIES } else { BLOCK_ENTRIES }
    }

    /// A leaf with room at the right edge: a new one where an index has room, and one level more where none has.
    fn add_leaf(
        &mut self,
        logical: u64,
        inode_goal: u64,
        new_block: &mut NewBlock<'_>,
    ) -> Result<(), NoSpace> {
        loop {
            let depth = self.root.depth();
            let with_room = (0..depth).rev().find(|&level| !self.is_full(level));
            if let Some(level) = with_room {
                return self.split(depth, level, logical, inode_goal, new_block);
            }
            let first = match &self.root {
                Node::Index(children) => children.first().map(|child| child.block),
                Node::Leaf(_) => None,
            };
            let block = match first {
                Some(first) => new_block(first - 1, true),
                None => new_block(inode_goal, false),
            };
            let block = block.ok_or(NoSpace)?;
            let node = std::mem::replace(&mut self.root, Node::Index(Vec::new()));
            self.root = Node::Index(vec![Child { block, node }]);
            if !self.is_full(depth + 1) {
                return Ok(());
            }
        }
    }

    /// A new branch below the edge's index of a level.
    fn split(
        &mut self,
        depth: usize,
        level: usize,
        logical: u64,
        inode_goal: u64,
        new_block: &mut NewBlock<'_>,
    ) -> Result<(), NoSpace> {
        let goal = self.goal(logical).unwrap_or(inode_goal);
        let mut blocks = Vec::new();
        for _ in level..depth {
            blocks.push(new_block(goal, false).ok_or(NoSpace)?);
        }
        let mut branch = Node::Leaf(Vec::new());
        while let Some(block) = blocks.pop() {
            let child = Child { block, node: branch };
            if blocks.is_empty() {
                if let Node::Index(children) = self.root.edge(level) {
                    children.push(child);
                }
                break;
            }
            branch = Node::Index(vec![child]);
        }
        Ok(())
    }

    /// Where a block of the file would lie if the file went on as its last extent.
    pub(super) fn goal(&self, logical: u64) -> Option<u64> {
        self.last().map(|last| last.physical + (logical - last.logical))
    }

    /// Extents that fit in the inode leave their block.
    fn collapse(&mut self) -> Option<u64> {
        let Node::Index(children) = &mut self.root else { return None };
        let [Child { block, node: Node::Leaf(extents) }] = children.as_mut_slice() else { return None };
        if extents.len() > ROOT_ENTRIES {
            return None;
        }
        let (block, extents) = (*block, std::mem::take(extents));
        self.root = Node::Leaf(extents);
        Some(block)
    }

    /// Cuts what lies behind so many blocks; gives what is free then, the tree's own blocks among them.
    pub(super) fn cut(&mut self, kept_blocks: u64) -> Vec<Run> {
        let mut freed = Vec::new();
        cut(&mut self.root, kept_blocks, &mut freed);
        if self.root.entries() == 0 {
            self.root = Node::Leaf(Vec::new());
        }
        freed
    }
}

fn cut(node: &mut Node, kept_blocks: u64, freed: &mut Vec<Run>) {
    match node {
        Node::Leaf(extents) => {
            while let Some(last) = extents.last_mut().filter(|last| last.logical_end() > kept_blocks) {
                let kept = kept_blocks.saturating_sub(last.logical) as u32;
                freed.push(Run { start: last.physical + u64::from(kept), blocks: last.blocks - kept });
                last.blocks = kept;
                if kept == 0 {
                    extents.pop();
                }
            }
        }
        Node::Index(children) => {
            while let Some(child) = children.last_mut() {
                cut(&mut child.node, kept_blocks, freed);
                if child.node.entries() > 0 {
                    break;
                }
                freed.push(Run { start: child.block, blocks: 1 });
                children.pop();
            }
        }
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
        let (mut tree, mut asked) = (ExtentTree::new(32767), 0);
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
        let mut tree = ExtentTree::new(10);
        for which in 0..4 {
            let extent = Extent { logical: which * 4, physical: 100 + which * 4, blocks: 4 };
            assert_eq!(tree.append(extent, 0, &mut |_, _| None), Ok(None));
        }
        assert_eq!(tree.extents().iter().map(|extent| extent.blocks).collect::<Vec<_>>(), [8, 8]);
        assert_eq!(tree.logical_end(), 16);
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
        assert_eq!(tree.append(piece(4), 5, &mut |_, _| None), Err(NoSpace));
        assert_eq!(tree.extents().len(), 4);
    }
}
