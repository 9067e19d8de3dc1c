//! The same load without a device: measured when asked for, ordered as the work is, and without a trace.

use std::num::NonZeroU32;

use fsgauge_load::run_load;
use fsgauge_wire::{Access, BlockSize, Data, Ended, Interface, Limits, LoadJob, Stop, Target};

use crate::support::{Heard, engine, null_load, run};

/// Writes of 1 MiB of zeros, which need no work before they are written: what is touched stands out.
fn large_writes() -> LoadJob {
    let block_sizes = vec![BlockSize { size_bytes: 1 << 20, weight: 1 }];
    LoadJob { block_sizes, data: Data::Zero, read_percent: 0, jobs: 2, measure_limits: true, ..null_load() }
}

/// The best of some tries. A try lasts a twentieth of a second, and a busy machine can take a whole one away:
/// a single try once ended the other way round in CI.
fn best_of_tries(load: &LoadJob) -> Limits {
    let tries = (0..5).map(|_| run(load.clone()).unwrap().limits.unwrap());
    tries
        .reduce(|best, limits| Limits {
            null_operations_per_second: best
                .null_operations_per_second
                .max(limits.null_operations_per_second),
            memory_operations_per_second: best
                .memory_operations_per_second
                .max(limits.memory_operations_per_second),
            memory_touched_operations_per_second: best
                .memory_touched_operations_per_second
                .max(limits.memory_touched_operations_per_second),
            memory_stride_operations_per_second: best
                .memory_stride_operations_per_second
                .zip(limits.memory_stride_operations_per_second)
                .map(|(best, rate)| best.max(rate)),
        })
        .unwrap()
}

#[test]
fn the_more_is_touched_the_lower_the_limit() {
    for (interface, queue_depth) in [(Interface::Psync, 1), (Interface::IoUring, 8)] {
        for access in [Access::Random {}, Access::Sequential {}] {
            let limits = best_of_tries(&LoadJob { interface, queue_depth, access, ..large_writes() });
            // 256 words against none, and 1 MiB against 2 KiB.
            assert!(limits.null_operations_per_second > limits.memory_operations_per_second);
            assert!(limits.memory_operations_per_second > limits.memory_touched_operations_per_second);
            assert!(limits.memory_touched_operations_per_second > 0.0);
        }
    }
}

#[test]
fn a_byte_of_every_4096_costs_less_than_every_byte() {
    let limits = best_of_tries(&LoadJob { limits_stride_bytes: NonZeroU32::new(4096), ..large_writes() });
    let stride = limits.memory_stride_operations_per_second.unwrap();
    assert!(limits.memory_touched_operations_per_second < stride);
    assert!(stride < limits.null_operations_per_second);
}

#[test]
fn a_stride_that_nothing_measures_is_refused() {
    let load = LoadJob { measure_limits: false, limits_stride_bytes: NonZeroU32::new(64), ..large_writes() };
    let refusal = run(load).unwrap_err();
    assert!(format!("{refusal:?}").contains("limits_stride_bytes is given, and no limits are measured"));
}

#[test]
fn reads_have_limits_and_a_pace_does_not_slow_them() {
    let rate = fsgauge_wire::Rate { operations_per_second: 10.0, arrival: fsgauge_wire::Arrival::Constant };
    let load = LoadJob { read_percent: 50, rate: Some(rate), ..large_writes() };
    assert!(run(load).unwrap().limits.unwrap().memory_touched_operations_per_second > 100.0);
}

#[test]
fn a_load_that_is_stopped_meanwhile_has_none() {
    let stop = Stop::new();
    stop.set();
    let result = run_load(large_writes(), engine(), None, &mut Heard::default(), stop).unwrap();
    assert_eq!((result.ended, result.limits), (Ended::Interrupted, None));
}

#[test]
fn they_cost_nothing_when_off() {
    let target = Target::Null { size_bytes: 1 << 30 };
    assert_eq!(run(LoadJob { target, measure_limits: false, ..large_writes() }).unwrap().limits, None);
}
