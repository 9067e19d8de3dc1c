//! Groups: operations that share a latency, counted at once.

use crate::instruments::Tally;

/// Operations of one kind that were submitted and reaped together: they have one latency, recorded once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) start_ns: u64,
    pub(crate) write: bool,
    pub(crate) operations: u64,
    pub(crate) size_bytes: u64,
}

impl Group {
    pub(crate) const EMPTY: Group = Group { start_ns: 0, write: false, operations: 0, size_bytes: 0 };

    /// Adds the group to the tally of its kind.
    #[inline]
    pub(crate) fn record(&self, tallies: &mut [Tally; 2], end_ns: u64) {
        if self.operations > 0 {
            let tally = &mut tallies[usize::from(self.write)];
            tally.operations += self.operations;
            tally.size_bytes += self.size_bytes;
            tally.service.record(end_ns.saturating_sub(self.start_ns), self.operations);
        }
    }
}
