//! The lease: what keeps an engine alive whose caller is on another machine, and what it may be told meanwhile.
//!
//! A job with a lease is the first JSON document on standard input, which stays open: it is the control pipe. The
//! caller then writes an order a line, at least one in every `silence_limit_ns`. When the pipe is closed or silent
//! for longer, the engine ends its job, cleans up, and its last event is `failed` with code "lease.closed" or
//! "lease.silent".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of one call of the engine, which is refused a second time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunName {
    /// 1 to 64 letters, digits, "-" and "_".
    pub id: String,
    /// An existing directory that holds the names of earlier runs, a file each. Where this one is among them the
    /// job is refused: code "job.run_id".
    pub directory: String,
}

/// What keeps an engine alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// How long the control pipe may be silent; 100 ms to one hour.
    pub silence_limit_ns: u64,
    /// The name of this run; null: it may be run any number of times.
    #[serde(default)]
    pub run: Option<RunName>,
}

/// One line of the control pipe after the job; `kind` says which. An empty line is `hold`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// The caller is there.
    Hold {},
    /// For a job with `start_on_order`, once it has said `armed`: when it begins.
    Start {
        /// By CLOCK_MONOTONIC of the engine's machine.
        start_at_ns: u64,
    },
    /// End with what there is, as after SIGINT.
    Stop {},
}
