//! The engine measures itself: this very load on the null target, and the clock.

use std::time::Duration;

use fsgauge_wire::{Access, Failure, LoadJob, SelfMeasure, Stamps, Stop, Target};

use crate::barriers::Barriers;
use crate::file_operations::FileLoop;
use crate::instruments::{Clock, Window, cpu};
use crate::job_loop::{JobLoop, LoopSetup};
use crate::job_thread::{batch, buffers, null_queue, places};
use crate::pace::Unpaced;
use crate::pattern::{AnyOrder, Order, Pattern, RangeOrder, Sequential, Sizes, Uniform, Zipf};
use crate::random::Random;
use crate::target::Geometry;

/// How long one measure runs; the best of several is taken, since whatever disturbs only adds.
const MEASURE: Duration = Duration::from_millis(12);
const MEASURES: usize = 3;

/// Measures the clock and the load's own cost, in some 40 ms.
pub(crate) fn self_measure(load: &LoadJob, clock: &Clock) -> Result<SelfMeasure, Failure> {
    let stamps = if batch(load) == 1 { Stamps::Operation } else { Stamps::Batch };
    Ok(SelfMeasure {
        null_ns_per_operation: null_ns_per_operation(load, clock)?,
        clock_ns_per_read: clock.cost_ns(),
        clock_ns_per_tick: clock.ns_per_tick(),
        clock: clock.kind(),
        stamps,
    })
}

/// CPU time of one operation of this load when the target costs nothing.
pub(crate) fn null_ns_per_operation(load: &LoadJob, clock: &Clock) -> Result<f64, Failure> {
    let geometry = Geometry::of(&load.target);
    let mut best = f64::INFINITY;
    for _ in 0..MEASURES {
        let sizes = Sizes::of(load, &geometry);
        let cost = match load.access {
            _ if !load.operations.is_empty() => measure_files(load, clock),
            _ if AnyOrder::is_needed(load) => measure(load, clock, AnyOrder::new(load, &sizes, 0), sizes),
            _ if load.ranges.is_some() => measure(load, clock, RangeOrder::new(load, 0), sizes),
            Access::Zipf { theta } => measure(load, clock, Zipf::new(theta, &geometry, &sizes), sizes),
            Access::Sequential {} => {
                measure(load, clock, Sequential::new(&geometry, sizes.largest_bytes(), 0, 1), sizes)
            }
            _ => measure(load, clock, Uniform::new(&geometry), sizes),
        };
        best = best.min(cost?);
    }
    Ok(best)
}

/// Of operations on a file set.
fn measure_files(load: &LoadJob, clock: &Clock) -> Result<f64, Failure> {
    let files = FileLoop::on_nothing(load)?;
    let duration_ns = MEASURE.as_nanos() as u64;
    let window = Window::new(clock.now_ns(), 0, duration_ns, duration_ns);
    let begin_ns = cpu::thread_ns();
    let outcome = files.run(Unpaced, *clock, Stop::never(), window, None)?;
    let operations: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
    Ok((cpu::thread_ns() - begin_ns) as f64 / operations.max(1) as f64)
}

fn measure<O: Order>(load: &LoadJob, clock: &Clock, order: O, sizes: Sizes) -> Result<f64, Failure> {
    let pattern =
        Pattern::new(order, sizes, load.read_percent, Random::new(load.seed, 0), &Geometry::of(&load.target));
    let buffers = buffers(load, 0)?;
    let duration_ns = MEASURE.as_nanos() as u64;
    let setup = LoopSetup {
        job: 0,
        clock: *clock,
        stop: Stop::never(),
        target: &Target::Null { size_bytes: 0 },
        reports: None,
        depth: load.queue_depth,
        batch: batch(load),
        wanted: load.batch.unwrap_or(1),
        size_limit_bytes: None,
        continue_when_full: false,
        barriers: Barriers::without_files(load, places(load, 0)),
        stonewall: None,
        window: Window::new(clock.now_ns(), 0, duration_ns, duration_ns),
    };
    let job_loop = JobLoop::new(setup, null_queue(load), pattern, Unpaced, buffers);
    let begin_ns = cpu::thread_ns();
    let outcome = job_loop.run()?;
    let operations = outcome.tallies[0].operations + outcome.tallies[1].operations;
    Ok((cpu::thread_ns() - begin_ns) as f64 / operations.max(1) as f64)
}
