//! Targets on a server: what they have in common.
//!
//! The main thread's own session comes first, the [`Housekeeper`]: it finds out whether the server takes these
//! clients at all, measures what nothing costs, makes the target's directory, and removes it in the end. Then
//! each thread has a target of its own, with a connection a client.

mod address;
mod ask;
mod clear;
mod gate;
mod housekeeper;
mod password;
mod prepare;
mod server;
mod silence;
mod traffic;

pub(crate) use address::Address;
pub(crate) use ask::{ask, ask_for};
pub(crate) use gate::Gate;
pub(crate) use housekeeper::Housekeeper;
pub(crate) use password::Password;
pub(crate) use prepare::{admit, directory_of};
pub(crate) use server::{Access, Server};
pub(crate) use silence::SILENCES_LIMIT;
pub(crate) use traffic::Traffic;
