//! Free runs of a group, as they are spoken of.

/// Where a run begins, and the place behind it.
pub(super) type Ends = (u32, u32);

/// Some runs, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// How many.
    pub runs: usize,
    /// Blocks of the longest.
    pub longest: u32,
    /// A place behind the last one, and not behind the next.
    pub next: u32,
}
