//! The load generator: drives I/O at a target and measures it, without getting in its way.
//!
//! A load is J jobs. Each is one thread, of this process or of one of its own, with one loop, which joins
//! four parts that are chosen once and compiled together: a *pattern* (where the next operation goes), a
//! *pace* (when it is due), a *queue* (io_uring, pread/pwrite, messages to a server, or
//! nothing) and a *tally* (histograms and
//! counts). Nothing in that loop allocates, locks, divides or reads the clock per operation.

#![warn(unreachable_pub)]

mod barriers;
mod buffers;
mod check;
mod check_mixed;
mod check_ranges;
mod check_share;
mod check_transfer;
mod companion;
mod contents;
mod file_operations;
mod file_sizes;
mod filler;
mod finish;
mod full;
mod group;
pub mod instruments;
mod integrity;
mod job_loop;
mod job_thread;
mod layout;
mod limits;
mod medium;
mod merge;
mod mix;
mod operation;
mod outcome;
mod pace;
mod pattern;
mod probe;
mod processes;
mod queue;
mod random;
pub mod ring_setup;
mod run;
mod running_job;
mod running_jobs;
mod self_measure;
mod share;
mod slots;
mod steady;
mod sync_file_range;
mod target;
mod unshare;
mod wear_out;

pub use file_sizes::SizeLaw;
pub use filler::Filler;
pub use layout::run_layout;
pub use mix::run_mix;
pub use pace::{Pace, Paced};
pub use pattern::Shuffle;
pub use probe::run_probe;
pub use processes::{WorkerCommand, run_worker};
pub use random::Random;
pub use run::run_load;
pub use unshare::unshare;
pub use wear_out::{WEAR_OUT_TIMES, WearOut};
