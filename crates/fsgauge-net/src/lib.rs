//! Files on servers: SMB and NFS from user space, each connection with a session and nothing of the kernel's client.
//!
//! A [`Target`] carries operations out; targets on this machine have the same trait, elsewhere. Clients are numbers
//! here: each has a connection, and lanes, of which each has one operation under way.

#![warn(unreachable_pub)]

mod access;
mod address;
mod backoff;
mod check;
mod coarse_clock;
mod dial;
mod directories;
mod nfs;
mod password;
mod smb;
mod target;
#[cfg(test)]
mod tests;
mod wipe;

pub use access::Access;
pub use address::Address;
pub use check::{check_nfs, check_share, check_smb};
pub use directories::make_directories;
pub use nfs::{Export, NfsTarget};
pub use smb::{SmbAccess, SmbTarget};
pub use target::{
    Action, Actions, Answer, BESIDE_LIMIT, ControlSession, Handle, LONGEST_WAIT, OUT_OF_REACH, Opening,
    Request, Started, Target, Traffic, Waiting, admit, ask, ask_for, kind_of, message_of, wait_failure,
};
