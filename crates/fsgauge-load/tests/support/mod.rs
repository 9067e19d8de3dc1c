//! What the integration tests share: a load to vary, and a listener that keeps what it hears.

#![allow(dead_code, reason = "each test file uses its part")]

use std::path::Path;

use fsgauge_load::{run_layout, run_load};
use fsgauge_wire::{
    Data, Engine, Event, FORMAT, Failure, LayoutJob, Listener, LoadJob, LoadResult, OperationResult, Profile,
    Stop, Target,
};

/// Keeps every event.
#[derive(Default)]
pub struct Heard {
    pub events: Vec<Event>,
}

impl Listener for Heard {
    fn event(&mut self, event: Event) -> std::io::Result<()> {
        self.events.push(event);
        Ok(())
    }
}

pub fn engine() -> Engine {
    let text = || "test".to_string();
    Engine { version: text(), profile: Profile::Debug, target: text(), commit: text() }
}

/// A fifth of a second of 4 KiB random reads on nothing, at depth 8.
pub fn null_load() -> LoadJob {
    LoadJob {
        queue_depth: 8,
        warm_up_ns: 20_000_000,
        duration_ns: 200_000_000,
        interval_ns: 50_000_000,
        data: Data::Incompressible,
        ..LoadJob::plain()
    }
}

/// Three files of 1 MiB in a directory.
pub fn files(directory: &Path) -> Target {
    let directory = directory.display().to_string();
    Target::Files { directory, prefix: "data-".into(), count: 3, file_size_bytes: 1 << 20 }
}

/// Creates and fills a target.
pub fn lay_out(target: &Target, data: Data) -> Result<(), Failure> {
    let layout = LayoutJob {
        format: FORMAT,
        target: target.clone(),
        block_size_bytes: 65536,
        queue_depth: 4,
        direct: false,
        preallocate: false,
        data,
        seed: 1,
    };
    run_layout(&layout, engine(), &mut Heard::default(), Stop::new()).map(|_| ())
}

pub fn run(load: LoadJob) -> Result<LoadResult, Failure> {
    run_load(load, engine(), None, &mut Heard::default(), Stop::new())
}

/// Reads and writes of a result, whichever there are.
pub fn sides(result: &LoadResult) -> Vec<&OperationResult> {
    result.read.iter().chain(&result.write).collect()
}

pub fn operations(result: &LoadResult) -> u64 {
    sides(result).iter().map(|side| side.operations).sum()
}

/// Every sum that must agree whatever was measured.
pub fn assert_consistent(result: &LoadResult) {
    for side in sides(result) {
        assert_eq!(side.service_latency.operations, side.operations);
        let counted: u64 = side.service_latency.counts.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, side.operations);
    }
    let jobs: u64 = result.jobs.iter().map(|job| job.operations).sum();
    assert_eq!(jobs, operations(result));
    let measured = result.intervals.iter().filter(|interval| !interval.warm_up);
    let series: u64 =
        measured.clone().map(|interval| interval.read.operations + interval.write.operations).sum();
    assert_eq!(series, operations(result));
    assert_eq!(measured.map(|interval| interval.elapsed_ns).sum::<u64>(), result.elapsed_ns);
}
