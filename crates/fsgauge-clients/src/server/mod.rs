//! Clients on a server: it is reached and checked before they connect.
//!
//! The main thread's own session comes first, the [`ControlSession`]: it checks that the server
//! accepts these clients, measures the cost of a null operation, creates the target's directory, and removes it at
//! the end. Each thread has a target of its own, with one connection for each client.

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

use std::sync::Arc;

use fsgauge_net::{Address, ControlSession, Export, NfsTarget, SmbAccess};
use fsgauge_wire::{ClientsJob, ClientsTarget, Note, Outcome, Stop};

use prepare::prepare;
use remove_directories::remove_directories;

/// How clients connect, by protocol.
#[derive(Debug, Clone)]
pub(crate) enum Access {
    Smb(Arc<SmbAccess>),
    Nfs(Export),
}

impl Access {
    /// The access that a job names; none on this machine.
    fn of(job: &ClientsJob) -> Outcome<Option<(Access, Address)>> {
        match &job.target {
            ClientsTarget::Null {} | ClientsTarget::Path { .. } => Ok(None),
            ClientsTarget::Smb(smb) => {
                let (access, address) = SmbAccess::new(smb)?;
                Ok(Some((Access::Smb(access), address)))
            }
            ClientsTarget::Nfs(nfs) => {
                let export = Export::of(nfs)?;
                let address = export.address().clone();
                Ok(Some((Access::Nfs(export), address)))
            }
        }
    }

    /// A session of the main thread.
    fn control_session(&self) -> Outcome<Box<dyn ControlSession>> {
        Ok(match self {
            Access::Smb(access) => Box::new(access.control_session(0)?),
            Access::Nfs(export) => Box::new(NfsTarget::control_session(export, 0)?),
        })
    }

    /// A session that lists directories, with their names, and reads files in blocks.
    pub(crate) fn reader(&self, block_size_bytes: u32) -> Outcome<Box<dyn ControlSession>> {
        Ok(match self {
            Access::Smb(access) => Box::new(access.control_session(block_size_bytes)?),
            Access::Nfs(export) => Box::new(NfsTarget::control_session(export, block_size_bytes)?),
        })
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
        let Some((access, address)) = Access::of(job)? else { return Ok(None) };
        let mut control_session = access.control_session()?;
        let (protocol, null_operation_ns) = prepare(control_session.as_mut(), job, &address, stop)?;
        Ok(Some(Server { access, protocol, null_operation_ns }))
    }

    /// Removes what is left of the file set after its files: its directories, and the target's. Says what stays.
    pub(crate) fn remove_directories(&self, job: &ClientsJob, stop: &Stop) -> Outcome<Option<Note>> {
        remove_directories(self.access.control_session()?.as_mut(), job, stop)
    }
}
