//! Ageing: an operation log made from a seed, and the ager that replays it on a real file system.
//!
//! A *profile* says how files come and go; the *op log* is its operations, one after the other, made as they are
//! asked for: a pure function of profile, space and seed, the same on every machine. The *ager* carries them out
//! in one of three modes. Nothing of the log depends on what the file system answers.

#![warn(unreachable_pub)]

mod ager;
mod aligned_block;
mod check;
mod cpu;
mod damage;
mod draw;
pub mod ext4;
pub mod free_map;
pub mod life;
mod log_state;
mod op_log;
mod open_files;
mod operation;
pub mod policy;
mod profile;
mod run;
mod space;

pub use check::check_age;
pub use op_log::OpLog;
pub use operation::{Operation, Placement};
pub use profile::resolve as resolve_profile;
pub use run::run_age;

/// How well each model is proven: a line for each, its name and a sentence with a tab between. The tests against the kernel
/// hold what the sentences say.
pub const PROOFS: &str = include_str!("../proofs.tsv");
