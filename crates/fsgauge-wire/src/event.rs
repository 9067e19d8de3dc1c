//! Events: what the engine says while it works, one JSON object a line on its standard output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::{Engine, JobResult, SelfMeasure};
use crate::{AgeProgress, Failure, ScanProgress};

/// One line of the engine's output; `event` says which. The last is `finished` or `failed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The job was read.
    Started {
        /// The engine that runs it.
        engine: Engine,
        /// Wall-clock time.
        unix_ns: u64,
    },
    /// Something that the reader of the result should know.
    Note(Note),
    /// What the engine costs by itself, measured before the load.
    SelfMeasure(SelfMeasure),
    /// All clients of a server have their sessions, or were refused: the measured part begins.
    ClientsIn {
        /// From the first one's connection to the last one's session.
        connect_ns: u64,
    },
    /// All clients of a server are through and stay connected for a moment: the measured part is over.
    ClientsThrough {},
    /// The clock is served: requests may come.
    ClockServed {
        /// The UDP port.
        port: u16,
    },
    /// Everything is prepared: a job with `start_at_ns` waits for that moment, one with `start_on_order` for the order.
    Armed {
        /// CLOCK_MONOTONIC of this machine.
        armed_at_ns: u64,
    },
    /// One interval of the load, all jobs merged.
    Interval(Interval),
    /// How far a scan is.
    ScanProgress(ScanProgress),
    /// How far ageing is.
    AgeProgress(AgeProgress),
    /// The job is done, or was interrupted and has what it has.
    Finished {
        /// What it found.
        result: JobResult,
    },
    /// The job was refused or broke off.
    Failed {
        /// Why.
        error: Failure,
    },
}

/// Something that the reader of a result should know: a missing feature, a fallback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// A stable name, for example "io_uring.defer_taskrun_missing".
    pub code: String,
    /// One sentence.
    pub text: String,
}

/// One interval of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Since the load's first moment, warm-up included.
    pub start_ns: u64,
    /// Length; the last one may be shorter, and is longer by the time until the operations in flight are answered.
    pub elapsed_ns: u64,
    /// Whether it lies before the measured part.
    pub warm_up: bool,
    /// Reads that completed in it.
    pub read: IntervalCount,
    /// Writes that completed in it.
    pub write: IntervalCount,
}

/// Operations of one interval. The mean latency is latency_sum_ns / operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct IntervalCount {
    /// How many.
    pub operations: u64,
    /// Their bytes.
    pub size_bytes: u64,
    /// Sum of their service latencies.
    pub latency_sum_ns: u64,
}

impl IntervalCount {
    /// What was added since `earlier`.
    pub fn since(&self, earlier: &IntervalCount) -> IntervalCount {
        IntervalCount {
            operations: self.operations - earlier.operations,
            size_bytes: self.size_bytes - earlier.size_bytes,
            latency_sum_ns: self.latency_sum_ns - earlier.latency_sum_ns,
        }
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &IntervalCount) {
        self.operations += other.operations;
        self.size_bytes += other.size_bytes;
        self.latency_sum_ns += other.latency_sum_ns;
    }
}
