//! Targets on a server: what they have in common.
//!
//! The main thread's own session comes first, the [`Housekeeper`]: it finds out whether the server takes these
//! clients at all, measures what nothing costs, makes the target's directory, and removes it in the end. Then
//! each thread has a target of its own, with a connection a client.

mod address;
mod ask;
mod clear;
mod coarse_clock;
mod dial;
mod gate;
mod housekeeper;
mod listed_names;
mod parting;
mod password;
mod prepare;
mod server;
mod traffic;
mod tries;
mod wipe;

pub(crate) use address::Address;
pub(crate) use ask::{ask, ask_for};
pub(crate) use coarse_clock::coarse_ms;
pub(crate) use dial::{dial, dialled};
pub(crate) use gate::Gate;
pub(crate) use housekeeper::Housekeeper;
pub(crate) use listed_names::{ListedNames, NAME_LIMIT_BYTES, NAMES_LIMIT, TooManyNames};
pub(crate) use parting::{MOMENT, Parting};
pub(crate) use password::Password;
pub(crate) use prepare::{admit, directory_of};
pub(crate) use server::{Access, Server};
pub(crate) use traffic::Traffic;
pub(crate) use tries::{TRYING_LIMIT_MS, Tries};
