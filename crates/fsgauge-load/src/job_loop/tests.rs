//! The loop on queues that do nothing, or stall.

use std::time::Duration;

use super::*;
use crate::filler::Filler;
use crate::pace::Unpaced;
use crate::pattern::{Sizes, Uniform};
use crate::queue::NullQueue;
use crate::random::Random;
use crate::target::Geometry;
use fsgauge_wire::LoadJob;

const MS: u64 = 1_000_000;

/// A job on nothing whose first moment was so long ago, measured for 20 ms from then on, on `queue`.
fn run<Q: Queue>(queue: Q, depth: u32, ago_ns: u64) -> JobOutcome {
    let load = LoadJob::plain();
    let (clock, geometry) = (Clock::new().0, Geometry::of(&load.target));
    std::thread::sleep(Duration::from_nanos(ago_ns));
    let sizes = Sizes::new(&load.block_sizes, &geometry);
    let pattern = Pattern::new(Uniform::new(&geometry), sizes, 100, Random::new(1, 0), &geometry);
    let buffers = Buffers::new(depth, 4096, (true, false), Filler::for_data(load.data, 1, 0)).unwrap();
    let setup = LoopSetup {
        job: 0,
        clock,
        stop: Stop::never(),
        target: &load.target,
        reports: None,
        depth,
        batch: depth,
        wanted: 1,
        size_limit_bytes: None,
        continue_when_full: false,
        barriers: Barriers::none(),
        stonewall: None,
        window: Window::new(clock.now_ns().saturating_sub(ago_ns), 0, 20 * MS, 20 * MS),
    };
    JobLoop::new(setup, queue, pattern, Unpaced, buffers).run().unwrap()
}

/// Completes at once, but stalls once, when 5 ms have passed.
struct Stalling {
    queue: NullQueue,
    begin: std::time::Instant,
    stall: Option<Duration>,
}

impl Queue for Stalling {
    fn push(&mut self, slot: u32, operation: &crate::operation::Operation, address: *mut u8) {
        self.queue.push(slot, operation, address);
    }

    fn enter(&mut self, wanted: u32) -> std::io::Result<()> {
        if self.begin.elapsed() > Duration::from_millis(5) {
            std::thread::sleep(self.stall.take().unwrap_or_default());
        }
        self.queue.enter(wanted)
    }

    fn reap(&mut self, each: impl FnMut(u32, i32)) {
        self.queue.reap(each);
    }
}

#[test]
fn a_stall_across_the_end_is_in_the_latency_and_in_the_time() {
    for depth in [1, 4] {
        let stall = Some(Duration::from_millis(60));
        let queue = NullQueue::new(depth, depth, false);
        let outcome = run(Stalling { queue, begin: std::time::Instant::now(), stall }, depth, 0);
        let elapsed_ns = outcome.end_ns - outcome.begin_ns;
        assert!(outcome.tallies[0].service.to_histogram().max_ns >= 60 * MS);
        assert!(elapsed_ns >= 60 * MS && outcome.drain_ns >= 40 * MS, "{elapsed_ns}");
        assert_eq!((outcome.drained, outcome.unfinished), (u64::from(depth), 0));
        // All of the time is in the integral, and all latencies are: the two are one.
        let latency_ns = outcome.tallies[0].service.sum_ns();
        assert!(latency_ns <= outcome.in_flight_ns + elapsed_ns / 50);
        assert!(latency_ns + elapsed_ns / 50 >= outcome.in_flight_ns);
    }
}

#[test]
fn a_job_that_begins_late_says_so() {
    let outcome = run(NullQueue::new(1, 1, false), 1, 15 * MS);
    assert!((15 * MS..1000 * MS).contains(&outcome.pauses.late_start_ns), "{:?}", outcome.pauses);
}
