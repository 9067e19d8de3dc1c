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

use std::sync::Arc;

use fsgauge_net::{Address, Export, Housekeeper, NfsTarget, SmbAccess};
use fsgauge_wire::{ClientsJob, ClientsTarget, Note, Outcome, Stop};

use clear::clear;
use prepare::prepare;

/// How clients get in: what the protocols differ in.
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
    fn housekeeper(&self) -> Outcome<Box<dyn Housekeeper>> {
        Ok(match self {
            Access::Smb(access) => Box::new(access.housekeeper(0)?),
            Access::Nfs(export) => Box::new(NfsTarget::housekeeper(export, 0)?),
        })
    }

    /// A session that lists directories, with their names, and reads files in blocks.
    pub(crate) fn reader(&self, block_size_bytes: u32) -> Outcome<Box<dyn Housekeeper>> {
        Ok(match self {
            Access::Smb(access) => Box::new(access.housekeeper(block_size_bytes)?),
            Access::Nfs(export) => Box::new(NfsTarget::housekeeper(export, block_size_bytes)?),
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
        let mut housekeeper = access.housekeeper()?;
        let (protocol, null_operation_ns) = prepare(housekeeper.as_mut(), job, &address, stop)?;
        Ok(Some(Server { access, protocol, null_operation_ns }))
    }

    /// Removes what is left of the file set after its files: its directories, and the target's. Says what stays.
    pub(crate) fn clear(&self, job: &ClientsJob, stop: &Stop) -> Outcome<Option<Note>> {
        clear(self.access.housekeeper()?.as_mut(), job, stop)
    }
}
