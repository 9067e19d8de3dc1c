//! The loop of a job: fill and enter until the queue is full, read the clock, reap, repeat.
//!
//! The clock is read once before a group is submitted and once after a group has been reaped. Every operation
//! gets the stamp of its group; operations with equal stamps are recorded together.
//!
//! When the time is up, nothing more is submitted, and operations in flight count until they complete. The measured
//! part lasts as long: each slot of the queue until its own last completion, on average. A stall that reaches beyond
//! the end is in the latencies and in the rate, and one slow operation among many does not make the others idle.

mod barrier;
mod outcome;
mod reap;
mod submit;
#[cfg(test)]
mod tests;
mod window;

use std::sync::mpsc::Sender;

use fsgauge_wire::{Ended, Failure, IntervalCount, Stop, Target};

use crate::barriers::Barriers;
use crate::buffers::Buffers;
use crate::instruments::{Clock, RunQueue, Tally, Window};
use crate::outcome::{JobOutcome, Report};
use crate::pace::Pace;
use crate::pattern::{Order, Pattern};
use crate::queue::{Queue, carried_failure};
use crate::slots::Slots;
use crate::wear_out::Stonewall;

/// What a loop needs besides its four parts.
pub(crate) struct LoopSetup<'a> {
    pub(crate) job: u32,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
    pub(crate) target: &'a Target,
    pub(crate) reports: Option<&'a Sender<Report>>,
    pub(crate) depth: u32,
    /// Most operations submitted at once.
    pub(crate) batch: u32,
    /// Completions waited for when the queue is full.
    pub(crate) wanted: u32,
    pub(crate) size_limit_bytes: Option<u64>,
    /// Whether what finds no space is counted, and does not end the load.
    pub(crate) continue_when_full: bool,
    pub(crate) barriers: Barriers<'a>,
    /// Where jobs meet when the time is up, if they go on then.
    pub(crate) stonewall: Option<Stonewall>,
    pub(crate) window: Window,
}

/// One job's loop with its state.
pub(crate) struct JobLoop<'a, Q, O, P> {
    setup: LoopSetup<'a>,
    window: Window,
    queue: Q,
    pattern: Pattern<O>,
    pace: P,
    buffers: Buffers,
    slots: Slots,
    tallies: [Tally; 2],
    /// When the clock was last read.
    now_ns: u64,
    in_flight: u32,
    in_flight_ns: u64,
    /// Up to when `in_flight_ns` is complete.
    integrated_ns: u64,
    remaining_bytes: u64,
    /// Writes that may be prepared before the next barrier, and how many have been allowed in all.
    writes_left: u64,
    writes_allowed: u64,
    backlog_dropped: u64,
    interval_counts: [IntervalCount; 2],
    cpu_begin_ns: (u64, u64),
    run_queue: RunQueue,
    begin_ns: Option<u64>,
    /// When starting ended, and what `in_flight_ns` was then.
    end_ns: u64,
    in_flight_at_end_ns: u64,
    /// How far an fsync, or the submission of prepared operations, reached beyond that.
    overrun_ns: u64,
    failed: Vec<(u32, i32)>,
    retries_in_row: u32,
    /// Whether it has just met the other jobs at the stonewall.
    has_met: bool,
}

impl<'a, Q: Queue, O: Order, P: Pace> JobLoop<'a, Q, O, P> {
    pub(crate) fn new(
        setup: LoopSetup<'a>,
        queue: Q,
        pattern: Pattern<O>,
        pace: P,
        buffers: Buffers,
    ) -> Self {
        let (slots, window, now_ns) = (Slots::new(setup.depth), setup.window.clone(), setup.window.zero_ns);
        let writes = setup.barriers.distance();
        let failed = Vec::with_capacity(setup.depth as usize);
        let mut job_loop = JobLoop {
            setup,
            window,
            queue,
            pattern,
            pace,
            buffers,
            slots,
            tallies: Default::default(),
            now_ns,
            in_flight: 0,
            in_flight_ns: 0,
            integrated_ns: now_ns,
            remaining_bytes: u64::MAX,
            writes_left: writes,
            writes_allowed: writes,
            backlog_dropped: 0,
            interval_counts: Default::default(),
            cpu_begin_ns: (0, 0),
            run_queue: RunQueue::of_thread(),
            begin_ns: None,
            end_ns: now_ns,
            in_flight_at_end_ns: 0,
            overrun_ns: 0,
            failed,
            retries_in_row: 0,
            has_met: false,
        };
        if !job_loop.window.in_warm_up() {
            job_loop.begin_measuring(now_ns);
        }
        job_loop
    }

    /// Runs to the end and hands over what was measured.
    pub(crate) fn run(mut self) -> Result<JobOutcome, Failure> {
        let late_start_ns = self.setup.clock.now_ns().saturating_sub(self.window.measured_from_ns());
        let driven = self.drive();
        if let Some(stonewall) = self.setup.stonewall.take() {
            stonewall.meeting.come(self.begun()); // others wait for it, however it ended
        }
        let completed = self.completed();
        let drained = self.drain();
        let measured =
            driven.and_then(|ended| drained.map(|()| self.outcome(ended, late_start_ns, completed)));
        if self.in_flight > 0 {
            // The kernel still writes into the buffers: they stay until the process ends.
            std::mem::forget(self.buffers);
        }
        measured
    }

    fn drive(&mut self) -> Result<Ended, Failure> {
        loop {
            let taken = self.fill();
            let mut start_ns = self.setup.clock.now_ns();
            if start_ns >= self.window.next_ns && self.cross(start_ns) {
                // Prepared operations are submitted while the others drain, and count like them: they took their
                // slots before the end, however long the thread was kept from submitting them.
                self.slots.stamp_taken(taken, start_ns);
                self.overrun_ns = (start_ns - self.end_ns) * taken as u64 / u64::from(self.setup.depth);
                self.integrate(start_ns);
                self.in_flight += taken as u32;
                return Ok(Ended::Duration);
            }
            if self.has_met {
                // Others were waited for: that is no part of the operation.
                (start_ns, self.has_met) = (self.setup.clock.now_ns(), false);
            }
            self.enter(taken, start_ns)?;
            if self.now_ns >= self.window.next_ns && self.cross(self.now_ns) {
                return Ok(Ended::Duration);
            }
            if taken == self.setup.batch as usize && self.slots.free_count() > 0 && !self.setup.stop.is_set()
            {
                // The queue is filled up first: what completes meanwhile would leave ever more of it empty.
                continue;
            }
            self.reap()?;
            if self.setup.stop.is_set() {
                self.close(self.now_ns);
                return Ok(Ended::Interrupted);
            }
            if self.is_held()
                && self.in_flight == 0
                && let Some(ended) = self.pass_barrier()?
            {
                return Ok(ended);
            }
        }
    }

    /// Whether nothing may be submitted until everything in flight has completed.
    #[inline]
    fn is_held(&self) -> bool {
        self.remaining_bytes == 0 || self.writes_left == 0
    }

    /// Brings the time integral of operations in flight up to `now_ns`.
    #[inline]
    fn integrate(&mut self, now_ns: u64) {
        self.in_flight_ns += u64::from(self.in_flight) * now_ns.saturating_sub(self.integrated_ns);
        self.integrated_ns = now_ns;
    }
}

#[cold]
fn enter_failure(error: &std::io::Error) -> Failure {
    if let Some(failure) = carried_failure(error) {
        return failure;
    }
    let what = format!("io_uring did not take operations: {error}");
    Failure::system(
        "io_uring.enter",
        error.raw_os_error(),
        what,
        "the kernel refused the call",
        "dmesg | tail; or choose interface psync",
    )
}
