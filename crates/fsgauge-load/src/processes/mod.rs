//! Jobs that are processes: the engine starts itself again, once a job, and speaks with each over two pipes.
//!
//! To a worker: its task, one line of JSON, and later the start, another. From it: reports, one a line. All
//! read one clock, so stamps can be compared. A worker dies with the engine: the kernel kills it
//! (PR_SET_PDEATHSIG), and one that has not asked for that yet finds its standard input closed.

mod child;
mod inherited;
mod task;
mod worker;

pub(crate) use child::ChildProcess;
pub use task::WorkerCommand;
pub use worker::run_worker;
