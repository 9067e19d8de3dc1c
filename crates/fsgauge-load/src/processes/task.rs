//! The task of a worker process.

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::PathBuf;

use fsgauge_wire::LoadJob;
use serde::{Deserialize, Serialize};

use crate::instruments::Clock;

/// How to start a process that calls [`run_worker`](super::run_worker) and nothing else.
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// The first line that a worker reads.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) load: LoadJob,
    pub(super) job: u32,
    /// The load's clock: the worker must not calibrate one of its own.
    pub(super) clock: Clock,
    /// The files that all jobs share, in the order of the target: the worker has them open from its start.
    pub(super) opened: Option<Vec<RawFd>>,
    /// Where it opens files of its own: the target's folder or device, open as well.
    pub(super) ground: Option<RawFd>,
}
