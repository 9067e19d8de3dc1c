//! Clients on a server: it is reached and checked before they connect.
//!
//! The main thread's own session comes first, the [`ControlSession`]: it checks that the server
//! accepts these clients, measures the cost of a null operation, creates the target's directory, and removes it at
//! the end. Each thread has a target of its own, with one connection for each client.

use std::time::Duration;

mod connect_limit;
mod disconnect_barrier;
mod paths;
mod prepare;
mod remove_directories;
#[cfg(test)]
mod tests;

pub(crate) use connect_limit::ConnectLimit;
pub(crate) use disconnect_barrier::{DISCONNECT_DELAY, DisconnectBarrier};
pub(crate) use paths::{directory_of, shown};

pub(crate) use fsgauge_net::Access;
use fsgauge_net::{BESIDE_LIMIT, Waiting};
use fsgauge_wire::{ClientsJob, ClientsTarget, Note, Outcome, Stop};

use crate::file_set::directories;
use prepare::prepare;
use remove_directories::remove_directories;

/// A client's session, or a directory, takes no longer on a server that is far from fast.
const SLOWEST: Duration = Duration::from_millis(40);

/// The time that a server has for all beside the measured part of a job: letting clients in and, at the end, out.
pub(crate) fn beside(job: &ClientsJob, stop: &Stop) -> Waiting {
    let several = job.clients as usize + directories(&job.files, job.files.clients).count();
    Waiting::within(BESIDE_LIMIT + SLOWEST * several as u32, stop)
}

/// The access that a job names; none on this machine.
fn access_of(job: &ClientsJob) -> Outcome<Option<Access>> {
    match &job.target {
        ClientsTarget::Null {} | ClientsTarget::Path { .. } => Ok(None),
        ClientsTarget::Smb(smb) => Access::smb(smb).map(Some),
        ClientsTarget::Nfs(nfs) => Access::nfs(nfs).map(Some),
    }
}

/// A server that takes the clients of a job.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) access: Access,
    /// As agreed.
    pub(crate) protocol: String,
    pub(crate) null_operation_ns: u64,
}

impl Server {
    /// Reaches the server of a job with a first session, and makes the target's directory for a phase that
    /// writes; none where the job's target is on this machine.
    pub(crate) fn reach(job: &ClientsJob, waiting: &Waiting) -> Outcome<Option<Server>> {
        let Some(access) = access_of(job)? else { return Ok(None) };
        let mut control_session = access.control_session(0)?;
        let (protocol, null_operation_ns) =
            prepare(control_session.as_mut(), job, access.address(), waiting)?;
        Ok(Some(Server { access, protocol, null_operation_ns }))
    }

    /// Removes what is left of the file set after its files: its directories, and the target's. Says what stays.
    pub(crate) fn remove_directories(&self, job: &ClientsJob, waiting: &Waiting) -> Outcome<Option<Note>> {
        remove_directories(self.access.control_session(0)?.as_mut(), job, waiting)
    }
}
