//! The backup: one reader opens, reads and closes every file below a directory.
//!
//! It knows no file set: whatever lies there is found by a *walk* into a compact *tree*, put into an *order*, and
//! read by one thread with plain calls, one after the other, as backup programs do; a file of several names is
//! read under each. Every operation is timed; the response is the service, since nothing waits for anything else.
//! On a server the directories of a file set are read instead, through one session.

mod check;
mod close;
mod fiemap;
mod open;
mod order;
mod outcome;
mod pass;
mod reader;
mod result;
mod run;
mod server;
mod stopwatch;
#[cfg(test)]
mod tests;
mod tree;
mod verify;
mod walk;

pub(crate) use run::run_backup;
