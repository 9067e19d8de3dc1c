//! Targets on a share: sessions of the jobs' own, with the target's files open on them.
//!
//! Nothing is kept on this side: a read asks the server, a write is sent. A lost connection, a refusal and silence are
//! failures of the load: operations of another session would not be those that were measured.

mod connection;
mod failure;
mod prepare;

pub(crate) use connection::{Connection, Session};
pub(crate) use failure::wait_error;
pub(crate) use prepare::{Files, prepare};

use fsgauge_net::Access;
use fsgauge_wire::{Outcome, Target};

/// The access to a target's share: its server and its password; none on this machine.
pub(crate) fn access_of(target: &Target) -> Outcome<Option<Access>> {
    target.share().map(Access::of).transpose()
}
