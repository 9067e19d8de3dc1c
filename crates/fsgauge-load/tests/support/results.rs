//! Who listens while a test runs, and the sums that every result must have.

#![allow(dead_code, reason = "each test file uses its part")]

use fsgauge_wire::{Engine, Event, Listener, LoadResult, OperationResult, Profile};

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
