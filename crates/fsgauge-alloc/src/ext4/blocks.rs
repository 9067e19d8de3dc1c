//! Blocks of an ext4: taken by the policy, and given back when the journal's transaction is committed.

use super::counter::Counter;
use super::freed::Freed;
use super::inodes::Flex;
use crate::free_map::{FreeMap, Run};
use crate::policy::{Extent, Policy, Request};

/// The free space, and who chooses from it.
pub(super) struct Blocks {
    pub(super) block_bytes: u32,
    pub(super) space: FreeMap,
    pub(super) policy: Box<dyn Policy>,
    /// Free as the bitmaps on disk have it.
    free: Counter,
    /// Kept back, so that what is already promised can always be written (`reserved_clusters`).
    reserved: u64,
    flex_groups: u32,
    /// Freed, and not to be taken before the commit.
    freed: Freed,
    /// Promised to data that waits in memory.
    promised: Counter,
    /// The counter's parts that a decision may not see, on all processors, four times over.
    watermark: u64,
}

/// What a request may count on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// What is free and promised to nothing.
    New,
    /// What was promised to it.
    Promised,
    /// What is kept back as well.
    KeptBack,
}

/// What comes next where much waits for what is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shortage {
    /// All that waits is written back at once.
    pub(super) writes_back: bool,
    /// What is written next does not wait.
    pub(super) allocates_at_once: bool,
}

impl Blocks {
    pub(super) fn new(
        block_bytes: u32,
        space: FreeMap,
        policy: Box<dyn Policy>,
        flex_groups: u32,
        processors: u32,
    ) -> Self {
        let free = Counter::new(space.free_blocks(), processors);
        let reserved = (space.blocks() / 50).min(4096);
        let watermark = 4 * u64::from((processors * 2).max(32)) * u64::from(processors);
        let promised = Counter::new(0, processors);
        let freed = Freed::default();
        Blocks { block_bytes, space, policy, free, reserved, flex_groups, freed, promised, watermark }
    }

    /// Free blocks of each flex group.
    pub(super) fn count(&self, flex: &mut [Flex]) {
        for group in 0..self.space.groups() {
            flex[(group / self.flex_groups) as usize].free_blocks += u64::from(self.space.tally(group).free);
        }
    }

    /// Free blocks as decisions read them.
    pub(super) fn roughly_free(&self) -> u64 {
        self.free.roughly()
    }

    /// Free blocks as statfs(2) gives them.
    pub(super) fn exactly_free(&self) -> u64 {
        self.free.exactly()
    }

    /// Blocks that new data does not get.
    pub(super) fn kept_back(&self) -> u64 {
        self.reserved
    }

    fn has(&self, blocks: u64, claim: Claim) -> bool {
        let besides = match claim {
            Claim::New => self.promised.exactly() + self.reserved,
            Claim::KeptBack => self.promised.exactly(),
            Claim::Promised => return true,
        };
        self.free.exactly() >= blocks + besides
    }

    /// Promises so many blocks to data that waits. Where there are not as many, none, and the journal is committed.
    pub(super) fn promise(&mut self, blocks: u64) -> bool {
        let is_there = self.has(blocks, Claim::New);
        if is_there {
            (0..blocks).for_each(|_| self.promised.add(1));
        } else {
            self.commit();
        }
        is_there
    }

    /// Blocks that are promised.
    pub(super) fn promised(&self) -> u64 {
        self.promised.exactly()
    }

    /// Data that waited is gone.
    pub(super) fn forget(&mut self, blocks: u64) {
        self.promised.add(-(blocks as i64));
    }

    /// What comes next where so much waits, as ext4_nonda_switch decides it.
    pub(super) fn shortage(&self) -> Shortage {
        let (free, promised) = (self.free.roughly(), self.promised.roughly());
        Shortage {
            writes_back: free < 2 * promised,
            allocates_at_once: 2 * free < 3 * promised || free < promised + self.watermark,
        }
    }

    /// An extent for the beginning of a request; half of it, and half of that, if so much is not free.
    pub(super) fn take(&mut self, flex: &mut [Flex], request: Request, claim: Claim) -> Option<Extent> {
        let mut blocks = request.blocks;
        while blocks > 0 && !self.has(blocks.into(), claim) {
            blocks /= 2;
        }
        if blocks == 0 {
            return None;
        }
        // What was not promised before is for as long as it is looked for: the counter's parts are added up on the way.
        if claim != Claim::Promised {
            self.promised.add(blocks.into());
        }
        let found = self.policy.allocate(&mut self.space, &Request { blocks, ..request });
        if claim != Claim::Promised {
            self.promised.add(-i64::from(blocks));
        }
        let extent = found?;
        if claim == Claim::Promised {
            self.promised.add(-i64::from(extent.blocks));
        }
        self.free.add(-i64::from(extent.blocks));
        self.count_change(flex, extent.physical, -i64::from(extent.blocks));
        Some(extent)
    }

    /// Frees blocks: they count as free at once, and can be taken after the commit.
    pub(super) fn free(&mut self, flex: &mut [Flex], run: Run) {
        let mut at = run.start;
        while at < run.end() {
            let (group, place) = self.space.place(at);
            let left = u64::from(self.space.length(group) - place);
            let blocks = (run.end() - at).min(left) as u32;
            self.free.add(i64::from(blocks));
            self.count_change(flex, at, i64::from(blocks));
            self.freed.add(Run { start: at, blocks }, at - u64::from(place), at + left);
            at += u64::from(blocks);
        }
    }

    fn count_change(&self, flex: &mut [Flex], block: u64, change: i64) {
        let group = self.space.place(block).0;
        let free_blocks = &mut flex[(group / self.flex_groups) as usize].free_blocks;
        *free_blocks = free_blocks.saturating_add_signed(change);
    }

    /// The journal holds that they are free.
    pub(super) fn commit(&mut self) {
        for run in self.freed.take() {
            self.space.give(run.start, run.blocks);
        }
    }

    pub(super) fn has_freed(&self) -> bool {
        !self.freed.is_empty()
    }
}
