//! Little's law: operations in flight = rate x mean latency. The engine counts the left side apart.
//!
//! The law holds for windows that are long against every latency. A thread that loses its processor at either
//! end of a window breaks that, so this test has a file, and so a process, of its own, and may repeat a load.

mod support;

use fsgauge_wire::{Data, Interface, LoadJob};
use support::{files, lay_out, null_load, run, sides};

fn assert_law(load: &LoadJob) {
    let ratio = || {
        let result = run(load.clone()).unwrap();
        let latency_ns: u64 = sides(&result).iter().map(|side| side.service_latency.sum_ns).sum();
        result.in_flight_mean / (latency_ns as f64 / result.elapsed_ns as f64)
    };
    let wrong: Vec<f64> = (0..3).map(|_| ratio()).take_while(|ratio| (ratio - 1.0).abs() > 0.05).collect();
    assert!(wrong.len() < 3, "in flight / (rate x mean latency) was {wrong:?}");
}

#[test]
fn the_law_holds_on_nothing_and_on_files() {
    for (queue_depth, jobs, batch) in [(1, 1, None), (8, 2, None), (32, 1, Some(32)), (32, 2, Some(5))] {
        assert_law(&LoadJob { queue_depth, jobs, batch, ..null_load() });
    }
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Incompressible).unwrap();
    for (interface, queue_depth) in [(Interface::Psync, 1), (Interface::IoUring, 8)] {
        assert_law(&LoadJob {
            target: target.clone(),
            interface,
            queue_depth,
            read_percent: 50,
            ..null_load()
        });
    }
}
