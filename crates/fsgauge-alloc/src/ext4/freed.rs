//! Blocks that were freed since the last commit, as the kernel keeps them (ext4_mb_free_metadata): what touches in a group is
//! one, in the place of what was freed last.

use std::collections::BTreeMap;

use crate::free_map::Run;

/// Freed, and not to be taken before the commit.
#[derive(Debug, Default)]
pub(super) struct Freed {
    /// By the first block: how many, and the turn.
    runs: BTreeMap<u64, (u32, u64)>,
    turns: u64,
}

impl Freed {
    /// Blocks of one group, which reaches from `group_start` to `group_end`.
    pub(super) fn add(&mut self, run: Run, group_start: u64, group_end: u64) {
        let mut merged = run;
        if let Some((&start, &(blocks, _))) = self.runs.range(group_start..run.start).next_back()
            && start + u64::from(blocks) == run.start
        {
            self.runs.remove(&start);
            merged = Run { start, blocks: blocks + run.blocks };
        }
        if run.end() < group_end
            && let Some((blocks, _)) = self.runs.remove(&run.end())
        {
            merged.blocks += blocks;
        }
        self.turns += 1;
        self.runs.insert(merged.start, (merged.blocks, self.turns));
    }

    /// All of it, what was freed first before the rest.
    pub(super) fn take(&mut self) -> Vec<Run> {
        let runs = std::mem::take(&mut self.runs);
        let mut found: Vec<(u64, Run)> =
            runs.into_iter().map(|(start, (blocks, turn))| (turn, Run { start, blocks })).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, run)| run).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_take_the_place_of_the_last() {
        let mut freed = Freed::default();
        for (start, blocks) in [(100, 10), (500, 1), (120, 10), (110, 10)] {
            freed.add(Run { start, blocks }, 0, 1000);
        }
        assert_eq!(freed.take(), [Run { start: 500, blocks: 1 }, Run { start: 100, blocks: 30 }]);
        assert!(freed.is_empty());
    }
}
