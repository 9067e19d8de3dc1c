//! Clients on a server: it is found, tried, and known to take them before they come.
//!
//! The main thread's own session comes first, the [`Housekeeper`]: it finds out whether the server takes these
//! clients at all, measures what nothing costs, makes the target's directory, and removes it in the end. Then
//! each thread has a target of its own, with a connection a client.

mod clear;
mod gate;
mod parting;
mod paths;
mod prepare;
#[cfg(test)]
mod tests;

pub(crate) use gate::Gate;
pub(crate) use parting::{MOMENT, Parting};
pub(crate) use paths::{directory_of, shown};

pub(crate) use fsgauge_net::Access;
use fsgauge_wire::{ClientsJob, ClientsTarget, Note, Outcome, Stop};

use clear::clear;
use prepare::prepare;

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
    pub(crate) fn reach(job: &ClientsJob, stop: &Stop) -> Outcome<Option<Server>> {
        let Some(access) = access_of(job)? else { return Ok(None) };
        let mut housekeeper = access.housekeeper(0)?;
        let (protocol, null_operation_ns) = prepare(housekeeper.as_mut(), job, access.address(), stop)?;
        Ok(Some(Server { access, protocol, null_operation_ns }))
    }

    /// Removes what is left of the file set after its files: its directories, and the target's. Says what stays.
    pub(crate) fn clear(&self, job: &ClientsJob, stop: &Stop) -> Outcome<Option<Note>> {
        clear(self.access.housekeeper(0)?.as_mut(), job, stop)
    }
}
