//! The engine measures itself: the clients of this very job on nothing, and the clock.

use fsgauge_load::instruments::{Clock, cpu};
use fsgauge_wire::{ClientsInterface, ClientsJob, ClientsTarget, Outcome, SelfMeasure, Stamps, Stop};

use super::client_threads::{share, threads_of};
use super::event_loop::{EventLoop, LoopContext};
use super::plan::Plan;
use super::target::NullTarget;

/// How long one measure runs; the best of several is taken, since whatever disturbs only adds.
const MEASURE_NS: u64 = 12_000_000;
const MEASURES: usize = 3;

/// Measures the clock and the cost of an operation, in some 40 ms.
pub(crate) fn self_measure(job: &ClientsJob, clock: &Clock) -> Outcome<SelfMeasure> {
    let plan = Plan::new(&on_nothing(job));
    let mut best = f64::INFINITY;
    for _ in 0..MEASURES {
        best = best.min(null_ns_per_operation(&plan, clock)?);
    }
    Ok(SelfMeasure {
        null_ns_per_operation: best,
        clock_ns_per_read: clock.cost_ns(),
        clock_ns_per_tick: clock.ns_per_tick(),
        clock: clock.kind(),
        stamps: Stamps::Operation,
    })
}

/// The job without what waits.
fn on_nothing(job: &ClientsJob) -> ClientsJob {
    ClientsJob {
        target: ClientsTarget::Null {},
        interface: ClientsInterface::Plain,
        ramp_ns: 0,
        think: None,
        rate: None,
        time_limit_ns: MEASURE_NS,
        interval_ns: MEASURE_NS,
        ..job.clone()
    }
}

/// CPU time of one operation when the target costs nothing.
fn null_ns_per_operation(plan: &Plan, clock: &Clock) -> Outcome<f64> {
    let mut ignore = |_| {};
    let context = LoopContext { plan, clock: *clock, stop: Stop::never(), on_interval: &mut ignore };
    let target = NullTarget::new(plan.job.files.record_size_bytes);
    let mut event_loop = EventLoop::new(context, target, share(plan.job.clients, 0, threads_of(&plan.job)));
    let begin_ns = cpu::thread_ns();
    let outcome = event_loop.run(clock.now_ns())?;
    Ok((cpu::thread_ns() - begin_ns) as f64 / outcome.tally.total().max(1) as f64)
}
