//! The common start: the moment at which engines on several machines begin.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a job says about its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedStart {
    /// Its `start_at_ns`.
    pub at_ns: Option<u64>,
    /// Its `start_on_order`.
    pub on_order: bool,
    /// Whether it has a lease, and so a pipe for orders.
    pub has_lease: bool,
}

impl WantedStart {
    /// Whether the start is given from outside; if not, the job begins once it is prepared.
    pub fn is_common(&self) -> bool {
        self.on_order || self.at_ns.is_some()
    }
}

/// When a job with `start_at_ns` or `start_on_order` was meant to begin, and when it did. All moments are those of
/// CLOCK_MONOTONIC on the engine's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommonStart {
    /// When it was meant to begin. Everything in the result counts from here.
    pub start_at_ns: u64,
    /// When everything was prepared.
    pub armed_at_ns: u64,
    /// When the first thread that drives the load was awake for it. What it then waited for a processor is in `pauses`:
    /// `late_start_ns`, `starved_ns`.
    pub started_at_ns: u64,
    /// When the last one did.
    pub last_started_at_ns: u64,
    /// When the last operation had ended.
    pub ended_at_ns: u64,
    /// Whether all threads had real-time priority for the last 50 ms before the start.
    pub real_time: bool,
    /// Whether they spun for the last 300 us: there is a processor for each of them.
    pub spun: bool,
    /// How far CLOCK_BOOTTIME moved against CLOCK_MONOTONIC from `armed_at_ns` to the end: far from 0 when the machine
    /// was suspended.
    pub suspended_ns: i64,
}
