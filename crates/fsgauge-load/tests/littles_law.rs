//! Little's law: operations in flight = rate x mean latency. The engine counts the left side apart.
//!
//! In a window of time the law holds only nearly: an operation that straddles the end is in flight in it and
//! has no latency yet, and on a busy machine a thread can lose its processor just there. A load that ends by
//! size has no such operation, so here the law holds whatever else the machine does.

mod support;

use fsgauge_wire::{Data, Interface, LoadJob};
use support::{files, lay_out, null_load, run, sides};

fn assert_law(load: LoadJob, operations: u64) {
    let size_limit_bytes = Some(operations * 4096);
    let result =
        run(LoadJob { size_limit_bytes, warm_up_ns: 0, duration_ns: 60_000_000_000, ..load }).unwrap();
    let latency_ns: u64 = sides(&result).iter().map(|side| side.service_latency.sum_ns).sum();
    let expected = latency_ns as f64 / result.elapsed_ns as f64;
    let ratio = result.in_flight_mean / expected;
    assert!((0.95..1.05).contains(&ratio), "{} in flight, {expected} expected", result.in_flight_mean);
}

#[test]
fn the_law_holds_on_nothing() {
    for (queue_depth, jobs, batch) in [(1, 1, None), (8, 2, None), (32, 1, Some(32)), (32, 2, Some(5))] {
        assert_law(LoadJob { queue_depth, jobs, batch, ..null_load() }, 100_000);
    }
}

#[test]
fn the_law_holds_on_files() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Incompressible).unwrap();
    for (interface, queue_depth) in [(Interface::Psync, 1), (Interface::IoUring, 8), (Interface::Libaio, 8)] {
        let load =
            LoadJob { target: target.clone(), interface, queue_depth, read_percent: 50, ..null_load() };
        assert_law(load, 10_000);
    }
}
