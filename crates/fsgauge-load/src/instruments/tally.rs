//! The tally: operations of one kind that completed, as counts and histograms.

use fsgauge_wire::{IntervalCount, OperationResult, Recorder};
use serde::{Deserialize, Serialize};

/// All operations of one kind.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// How many there were.
    pub operations: u64,
    /// What they moved.
    pub size_bytes: u64,
    /// Those that were made again after EAGAIN or EINTR.
    pub retries: u64,
    /// Those that a full file system refused; in no other count.
    pub refused: u64,
    /// From their start.
    pub service: Recorder,
    /// From when they were due, or asked for.
    pub response: Recorder,
}

impl Tally {
    /// Adds an operation whose two latencies are known by themselves.
    #[inline]
    pub fn record(&mut self, response_ns: u64, service_ns: u64) {
        self.operations += 1;
        self.response.record(response_ns, 1);
        self.service.record(service_ns, 1);
    }

    /// What completed so far, as an interval counts it.
    pub fn count(&self) -> IntervalCount {
        IntervalCount {
            operations: self.operations,
            size_bytes: self.size_bytes,
            latency_sum_ns: self.service.sum_ns(),
        }
    }

    /// Forgets the warm-up.
    pub fn clear(&mut self) {
        (self.operations, self.size_bytes, self.retries, self.refused) = (0, 0, 0, 0);
        self.service.clear();
        self.response.clear();
    }

    /// What is told in the end: without response latencies, and nothing that was dropped.
    pub fn result(&self) -> OperationResult {
        OperationResult {
            operations: self.operations,
            size_bytes: self.size_bytes,
            errors: self.retries,
            refused: self.refused,
            service_latency: self.service.to_histogram(),
            response_latency: None,
            backlog_dropped: 0,
        }
    }

    /// Adds what another thread did.
    pub fn merge(&mut self, other: &Tally) {
        self.operations += other.operations;
        self.size_bytes += other.size_bytes;
        self.retries += other.retries;
        self.refused += other.refused;
        self.service.merge(&other.service);
        self.response.merge(&other.response);
    }
}
