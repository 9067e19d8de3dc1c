//! One run of clients from start to end.

use fsgauge_wire::{ClientsJob, Engine, Failure, Listener, LoadResult, Outcome, Stop};

/// Runs clients and gives the result; events go to `listener` while they run.
pub fn run_clients(
    _job: &ClientsJob,
    _engine: Engine,
    _listener: &mut dyn Listener,
    _stop: Stop,
) -> Outcome<LoadResult> {
    Err(Failure::job("not_built", "this engine cannot run clients yet", "it is being built", "wait for it"))
}
