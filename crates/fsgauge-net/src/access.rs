//! How sessions get into a share, whatever its protocol.

use std::sync::Arc;
use std::time::Duration;

use fsgauge_wire::{NfsTarget as NfsJob, Outcome, ShareTarget, SmbTarget as SmbJob};

use crate::address::Address;
use crate::nfs::{Export, NfsTarget};
use crate::smb::SmbAccess;
use crate::target::{Housekeeper, Opening};

/// A server that was found, and who asks it.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "each is the protocol of its name")]
pub enum Access {
    Smb(Arc<SmbAccess>),
    Nfs(Export),
}

impl Access {
    /// The access to a share: finds its server, and the password.
    pub fn of(share: &ShareTarget) -> Outcome<Access> {
        match share {
            ShareTarget::Smb(smb) => Access::smb(smb),
            ShareTarget::Nfs(nfs) => Access::nfs(nfs),
        }
    }

    /// The access to a share of an SMB server.
    pub fn smb(job: &SmbJob) -> Outcome<Access> {
        SmbAccess::new(job).map(|(access, _)| Access::Smb(access))
    }

    /// The access to an export of an NFS server.
    pub fn nfs(job: &NfsJob) -> Outcome<Access> {
        Export::of(job).map(Access::Nfs)
    }

    /// Where the server is.
    pub fn address(&self) -> &Address {
        match self {
            Access::Smb(access) => access.address(),
            Access::Nfs(export) => export.address(),
        }
    }

    /// A session of the main thread, with one lane, which reads blocks of a size (0 where it reads none).
    pub fn housekeeper(&self, block_size_bytes: u32) -> Outcome<Box<dyn Housekeeper>> {
        Ok(match self {
            Access::Smb(access) => Box::new(access.housekeeper(block_size_bytes)?),
            Access::Nfs(export) => Box::new(NfsTarget::housekeeper(export, block_size_bytes)?),
        })
    }

    /// A session that has so many operations under way at a time, of blocks of a size at most, and waits so long for
    /// an answer. Paths begin at the root, as a housekeeper's.
    pub fn worker(
        &self,
        lanes: u32,
        block_size_bytes: u32,
        opening: Opening,
        patience: Duration,
    ) -> Outcome<Box<dyn Housekeeper>> {
        Ok(match self {
            Access::Smb(access) => {
                Box::new(access.worker(lanes, block_size_bytes, opening)?.with_patience(patience))
            }
            Access::Nfs(export) => {
                let target = NfsTarget::worker(export, lanes, block_size_bytes, opening)?;
                Box::new(target.with_patience(patience))
            }
        })
    }
}
