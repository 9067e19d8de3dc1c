//! Many clients on one file set, every operation timed.
//!
//! A *client* is a small state machine that gives its next request and takes the answer; it knows
//! neither clock nor kernel. A *target* carries operations out: on a path, on nothing, on a server. An
//! *event loop* joins a share of the clients with one target, and a *tally* counts. The *file set* is a
//! formula: names, sizes and contents follow from the numbers of client and file.

#![warn(unreachable_pub)]

mod backup;
mod check;
mod client;
mod client_threads;
mod clients_tally;
mod cpu_time;
mod event_loop;
mod existing;
mod file_set;
mod folder;
mod plan;
mod result;
mod run;
mod self_measure;
mod server;
mod sync_at_end;
mod target;
mod thread_outcomes;
mod trailing_data;
mod wake_queue;

pub use file_set::file_sizes;
pub use run::run_clients;
