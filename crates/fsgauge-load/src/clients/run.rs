//! One run of clients from start to end.

use fsgauge_wire::{ClientsJob, Engine, Failure, Listener, LoadResult, Outcome, Phase, Stop};

use super::backup::run_backup;

/// Runs clients and gives the result; events go to `listener` while they run.
pub fn run_clients(
    job: &ClientsJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<LoadResult> {
    if matches!(job.phase, Phase::Backup { .. }) {
        return run_backup(job, engine, listener, stop);
    }
    Err(Failure::job("not_built", "this engine cannot run clients yet", "it is being built", "wait for it"))
}
