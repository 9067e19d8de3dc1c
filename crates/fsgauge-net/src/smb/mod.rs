//! Clients of an SMB share: a TCP connection and a session each.
//!
//! The codec of the timed operations is written here: one memory for all frames that go out, one write a
//! request, one memory a connection for what comes in, nothing allocated an operation. NTLM and the keys come from
//! the crate smb2, ciphers and hashes from RustCrypto.
//!
//! [`SmbTarget`] joins *connections*, whose way to a *session* is a *handshake*, with the *lanes* of its clients.
//! References: MS-SMB2, "Server Message Block (SMB) Protocol Versions 2 and 3".

mod access;
mod connection;
mod files;
mod handshake;
mod incoming;
mod lanes;
mod lifecycle;
mod message;
mod refusal;
mod replies;
mod requests;
mod seal;
mod sending;
mod session;
mod sign;
mod socket;
mod status;
mod target;
#[cfg(test)]
mod tests;

pub use access::SmbAccess;
pub use target::SmbTarget;
