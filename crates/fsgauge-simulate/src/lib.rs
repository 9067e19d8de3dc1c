//! The life of a file system without a disk: the jobs that an engine would carry out on a real one, carried out by the model
//! of an allocator on the free space of a device, and timed by the model of that device.
//!
//! `policy` makes the policy that a job names, `volume` the file system on which it works, `striped` several of them, `mke2fs` what an empty ext4 has in
//! use. `folders` knows files by their paths. `ageing`, `load`, `clients` and `scan` carry out one kind of step each.

#![warn(unreachable_pub)]

mod ageing;
mod check;
mod clients;
mod copy;
mod file_system;
mod folders;
mod load;
mod mke2fs;
mod pass;
mod policy;
mod predict;
mod proof;
mod run;
mod scan;
mod state;
mod striped;
mod volume;

pub use mke2fs::geometry;
pub use predict::run_predict;
pub use proof::MODEL_VERSION;
pub use run::run_simulate;
