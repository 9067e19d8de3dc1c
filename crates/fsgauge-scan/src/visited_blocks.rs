//! Blocks already visited: no block is in two trees, or twice in one. Cycles and repeated pointers in a damaged image lead to
//! a visited block, which bounds work and memory by the number of blocks on the image.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const WORD_BITS: u64 = 64;

/// One bit for each block, in words that exist only where one is set. May be shared by threads: blocks of trees are few
/// beside all others.
#[derive(Debug, Default)]
pub(crate) struct VisitedBlocks(Mutex<HashMap<u64, u64>>);

impl VisitedBlocks {
    /// Marks `block` as visited; whether it was not before.
    pub(crate) fn insert(&self, block: u64) -> bool {
        let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let word = words.entry(block / WORD_BITS).or_default();
        let bit = 1 << (block % WORD_BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_met_for_the_first_time_once() {
        let visited = VisitedBlocks::default();
        let blocks = [0, 63, 64, 1 << 40, u64::MAX];
        assert!(blocks.iter().all(|&block| visited.insert(block)));
        assert!(!blocks.iter().any(|&block| visited.insert(block)));
        assert!(visited.insert(65) && visited.insert(62));
    }
}
