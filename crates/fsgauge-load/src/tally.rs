//! The tally: what completed, as counts and histograms, for reads and for writes.

use fsgauge_wire::{IntervalCount, Recorder};
use serde::{Deserialize, Serialize};

/// All operations of one kind.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) operations: u64,
    pub(crate) size_bytes: u64,
    pub(crate) retries: u64,
    pub(crate) service: Recorder,
    pub(crate) response: Recorder,
}

impl Tally {
    /// What completed so far, as an interval counts it.
    pub(crate) fn count(&self) -> IntervalCount {
        IntervalCount {
            operations: self.operations,
            size_bytes: self.size_bytes,
            latency_sum_ns: self.service.sum_ns(),
        }
    }

    /// Forgets the warm-up.
    pub(crate) fn clear(&mut self) {
        (self.operations, self.size_bytes, self.retries) = (0, 0, 0);
        self.service.clear();
        self.response.clear();
    }

    /// Adds what another job did.
    pub(crate) fn merge(&mut self, other: &Tally) {
        self.operations += other.operations;
        self.size_bytes += other.size_bytes;
        self.retries += other.retries;
        self.service.merge(&other.service);
        self.response.merge(&other.response);
    }
}

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
