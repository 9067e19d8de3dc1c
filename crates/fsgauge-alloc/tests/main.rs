//! One program for the tests of this crate: to link one for each file takes longer than to run them. A file that
//! counts or limits what its whole process does has one of its own (Cargo.toml).

mod ext4;
mod faults;
mod golden;
mod others;
mod replay;
mod support;
mod xfs;
