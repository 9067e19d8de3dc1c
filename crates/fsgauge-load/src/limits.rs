//! The limits of a load: how fast the same jobs go when there is no device.
//!
//! The jobs are threads, with the load's own order, sizes, data and interface; they go to nothing, and to
//! memory. A pace, ends by size and calls of fsync concern the device and are left out.

use fsgauge_wire::{
    Companion, Descriptors, Event, Finish, Limits, Listener, LoadJob, Outcome, Stop, Sync, Transfer, Workers,
};

use crate::instruments::Clock;
use crate::medium::{Medium, Touch};
use crate::running_jobs::RunningJobs;
use crate::target::Ground;

/// How long one measure runs.
const MEASURE_NS: u64 = 50_000_000;

/// Measures all of them, one after the other. None when the load was stopped meanwhile.
pub(crate) fn measure_limits(load: &LoadJob, clock: Clock, stop: Stop) -> Outcome<Option<Limits>> {
    let rate = |medium| operations_per_second(load, medium, clock, stop);
    let stride = load.limits_stride_bytes.map(Touch::Stride);
    let limits = Limits {
        null_operations_per_second: rate(Medium::Nothing)?,
        memory_operations_per_second: rate(Medium::Memory(Touch::Words))?,
        memory_touched_operations_per_second: rate(Medium::Memory(Touch::Bytes))?,
        memory_stride_operations_per_second: stride.map(|touch| rate(Medium::Memory(touch))).transpose()?,
    };
    Ok((!stop.is_set()).then_some(limits))
}

fn operations_per_second(load: &LoadJob, medium: Medium, clock: Clock, stop: Stop) -> Outcome<f64> {
    let mut running = RunningJobs::spawn(without_device(load), medium, (None, None, Ground::None), clock, stop)?;
    running.wait_until_ready()?;
    let measured = running.follow(&mut Nobody)?;
    Ok(measured.operations() as f64 * 1e9 / measured.elapsed_ns().max(1) as f64)
}

/// The load with everything left out that concerns the device or the end.
fn without_device(load: &LoadJob) -> LoadJob {
    LoadJob {
        rate: None,
        warm_up_ns: 0,
        duration_ns: MEASURE_NS,
        interval_ns: MEASURE_NS,
        size_limit_bytes: None,
        passes: None,
        extend: false,
        preallocate: false,
        preallocate_chunk_bytes: None,
        workers: Workers::Threads,
        descriptors: Descriptors::Own,
        sync: Sync::None,
        transfer: Transfer::Whole,
        finish: Finish::default(),
        companions: Vec::<Companion>::new(),
        start_at_ns: None,
        start_on_order: false,
        ..load.clone()
    }
}

/// Limits are in the result only.
struct Nobody;

impl Listener for Nobody {
    fn event(&mut self, _event: Event) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use fsgauge_wire::Target;

    #[test]
    fn the_target_is_never_touched() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().display().to_string();
        let target =
            Target::Files { directory: path, prefix: "data-".into(), count: 3, file_size_bytes: 1 << 20 };
        let load = LoadJob { target, read_percent: 0, jobs: 2, extend: true, ..LoadJob::plain() };
        let limits = measure_limits(&load, Clock::new().0, Stop::new()).unwrap().unwrap();
        assert!(limits.memory_operations_per_second > 0.0);
        assert_eq!(limits.memory_stride_operations_per_second, None);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_stride_is_measured_where_the_job_has_one() {
        let load = LoadJob { read_percent: 0, limits_stride_bytes: NonZeroU32::new(64), ..LoadJob::plain() };
        let limits = measure_limits(&load, Clock::new().0, Stop::new()).unwrap().unwrap();
        assert!(limits.memory_stride_operations_per_second.unwrap() > 0.0);
    }
}
