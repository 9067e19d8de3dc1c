//! A job: what the engine is asked to do, as one JSON document on its standard input.
//!
//! Unknown keys are errors. Optional keys may be left out or null. A required key with a default in its schema
//! is always written by the lab, and has that value there where nobody gives another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgeJob, ClientsJob, Data, ExchangeClockJob, Held, Lease, LoadJob, MixJob, PredictJob, ScanJob,
    ServeClockJob, SimulateJob, Target, WantedStart,
};

/// One job; `kind` says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a process has one job")]
pub enum Job {
    /// Drive I/O and measure it.
    Load(LoadJob),
    /// Drive several loads at once and measure each.
    Mix(MixJob),
    /// Create the target's files and fill them once.
    Layout(LayoutJob),
    /// Say what this kernel and machine offer.
    Probe(ProbeJob),
    /// Say what lies where on a file system.
    Scan(ScanJob),
    /// Let many clients work on a file set.
    Clients(ClientsJob),
    /// Wear a file system.
    Age(AgeJob),
    /// Live the life of a file system in a model.
    Simulate(SimulateJob),
    /// Say what a device of a model would make of files that lie somewhere.
    Predict(PredictJob),
    /// Tell other engines what this machine's monotonic clock says.
    ServeClock(ServeClockJob),
    /// Compare this machine's monotonic clock with another's.
    ExchangeClock(ExchangeClockJob),
}

impl Job {
    /// The format that the job says it is written in.
    pub fn format(&self) -> u32 {
        match self {
            Job::Load(job) => job.format,
            Job::Mix(job) => job.format,
            Job::Layout(job) => job.format,
            Job::Probe(job) => job.format,
            Job::Scan(job) => job.format,
            Job::Clients(job) => job.format,
            Job::Age(job) => job.format,
            Job::Simulate(job) => job.format,
            Job::Predict(job) => job.format,
            Job::ServeClock(job) => job.format,
            Job::ExchangeClock(job) => job.format,
        }
    }

    /// What keeps the engine alive; none: its parent alone.
    pub fn lease(&self) -> Option<&Lease> {
        match self {
            Job::Load(job) => job.lease.as_ref(),
            Job::Mix(job) => job.lease.as_ref(),
            Job::Layout(job) => job.lease.as_ref(),
            Job::Probe(_) => None,
            Job::Scan(job) => job.lease.as_ref(),
            Job::Clients(job) => job.lease.as_ref(),
            Job::Age(job) => job.lease.as_ref(),
            Job::Simulate(job) => job.lease.as_ref(),
            Job::Predict(job) => job.lease.as_ref(),
            Job::ServeClock(job) => job.lease.as_ref(),
            Job::ExchangeClock(job) => job.lease.as_ref(),
        }
    }

    /// The places that it reaches by descriptors of its caller's; none for a job that touches no files.
    pub fn held(&self) -> &[Held] {
        match self {
            Job::Load(job) => &job.held,
            Job::Mix(job) => &job.held,
            Job::Layout(job) => &job.held,
            Job::Probe(job) => &job.held,
            Job::Scan(job) => &job.held,
            Job::Clients(job) => &job.held,
            Job::Age(job) => &job.held,
            Job::Simulate(_) | Job::Predict(_) | Job::ServeClock(_) | Job::ExchangeClock(_) => &[],
        }
    }

    /// What it says about its start; none for a job that loads nothing.
    pub fn wanted_start(&self) -> Option<WantedStart> {
        match self {
            Job::Load(job) => Some(job.wanted_start()),
            Job::Clients(job) => Some(job.wanted_start()),
            Job::Age(job) => Some(job.wanted_start()),
            Job::Mix(_)
            | Job::Layout(_)
            | Job::Probe(_)
            | Job::Scan(_)
            | Job::Simulate(_)
            | Job::Predict(_)
            | Job::ServeClock(_)
            | Job::ExchangeClock(_) => None,
        }
    }
}

/// kind "layout": create the target's files and fill them once, from start to end, then fsync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// What is created and filled.
    pub target: Target,
    /// Size of each write.
    #[schemars(extend("default" = 1 << 20))]
    pub block_size_bytes: u32,
    /// Writes in flight.
    #[schemars(extend("default" = 8))]
    pub queue_depth: u32,
    /// Whether the page cache is bypassed (O_DIRECT).
    pub direct: bool,
    /// Whether files are allocated with fallocate(2) before they are written.
    #[serde(default)]
    pub preallocate: bool,
    /// What is written.
    #[serde(default)]
    pub data: Data,
    /// Seed of the data.
    pub seed: u64,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

/// kind "probe": what this kernel and machine offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// A directory whose file system is asked about direct I/O.
    #[serde(default)]
    pub directory: Option<String>,
    /// Leaves out what clock and engine cost, which takes a tenth of a second to measure.
    #[serde(default)]
    pub without_costs: bool,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
}
