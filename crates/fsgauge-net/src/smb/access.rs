//! How clients get into a share.

use std::sync::Arc;

use fsgauge_wire::{Outcome, SmbDialect, SmbTarget as Job};

use crate::address::Address;
use crate::password::Password;

/// A share, and who logs in.
#[derive(Debug)]
pub struct SmbAccess {
    pub(super) job: Job,
    pub(super) address: Address,
    /// None for a guest.
    pub(super) password: Option<Password>,
}

impl SmbAccess {
    /// Finds the server and the password of a job.
    pub fn new(job: &Job) -> Outcome<(Arc<Self>, Address)> {
        let password = job.password.as_ref().map(Password::read).transpose()?;
        let address = Address::resolve(&job.host, job.port)?;
        Ok((Arc::new(SmbAccess { job: job.clone(), address: address.clone(), password }), address))
    }

    /// Where the server is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn is_guest(&self) -> bool {
        self.job.user.is_empty()
    }
}

/// A dialect's number on the wire.
pub(super) fn number_of(dialect: SmbDialect) -> u16 {
    match dialect {
        SmbDialect::Smb202 => 0x0202,
        SmbDialect::Smb210 => 0x0210,
        SmbDialect::Smb300 => 0x0300,
        SmbDialect::Smb302 => 0x0302,
        SmbDialect::Smb311 => 0x0311,
    }
}

/// A dialect's name.
pub(super) fn name_of(dialect: SmbDialect) -> &'static str {
    match dialect {
        SmbDialect::Smb202 => "2.0.2",
        SmbDialect::Smb210 => "2.1",
        SmbDialect::Smb300 => "3.0",
        SmbDialect::Smb302 => "3.0.2",
        SmbDialect::Smb311 => "3.1.1",
    }
}
