//! The loop of a job. Fill, enter, look at the clock, reap, and again.
//!
//! The clock is read once before a group is submitted and once after a group has been reaped. Every operation
//! gets the stamp of its group; operations with equal stamps are recorded together.
//!
//! When the time is up, nothing more starts, and what is in flight counts until it is answered. The measured part
//! lasts as long: each place of the queue until its own last answer, on average. So a stall that reaches beyond
//! the end is in the latencies and in the rate, and one slow operation among many does not make the others idle.

use std::sync::mpsc::Sender;
use std::time::Duration;

use fsgauge_wire::{Ended, Failure, Interval, IntervalCount, Pauses, Stop, Target};

use crate::buffers::Buffers;
use crate::group::Group;
use crate::halts::Halts;
use crate::instruments::{Boundary, Clock, RunQueue, Tally, Window, cpu};
use crate::outcome::{JobOutcome, Report};
use crate::pace::{BACKLOG_LIMIT_NS, Pace};
use crate::pattern::{Order, Pattern};
use crate::queue::{Queue, carried_failure};
use crate::slots::{Slot, Slots};
use crate::target::describe_io_failure;

/// A paced wait sleeps up to this long before the next start, and polls the rest: waking up takes time.
const POLL_NS: u64 = 20_000;
/// How often in a row operations are tried again (EAGAIN, EINTR) before that is an error.
const RETRY_LIMIT: u32 = 1000;
/// How long operations in flight are waited for after the end.
pub(crate) const DRAIN_NS: u64 = 60_000_000_000;
/// The same after an interrupt.
const INTERRUPTED_DRAIN_NS: u64 = 400_000_000;

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
    pub(crate) halts: Halts<'a>,
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
    /// Writes that may be prepared before the next halt, and how many have been allowed in all.
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
    /// How far a call that makes writes durable reached beyond that, or the start of what was prepared.
    beyond_ns: u64,
    troubled: Vec<(u32, i32)>,
    retries_in_row: u32,
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
        let writes = setup.halts.distance();
        let troubled = Vec::with_capacity(setup.depth as usize);
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
            beyond_ns: 0,
            troubled,
            retries_in_row: 0,
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
            let start_ns = self.setup.clock.now_ns();
            if start_ns >= self.window.next_ns && self.cross(start_ns) {
                // What was prepared starts when the rest is waited for, and counts like it: its places were taken
                // before the end, however long the thread did not come to start it.
                self.slots.stamp_taken(taken, start_ns);
                self.beyond_ns = (start_ns - self.end_ns) * taken as u64 / u64::from(self.setup.depth);
                self.integrate(start_ns);
                self.in_flight += taken as u32;
                return Ok(Ended::Duration);
            }
            self.enter(taken, start_ns)?;
            if self.now_ns >= self.window.next_ns && self.cross(self.now_ns) {
                return Ok(Ended::Duration);
            }
            self.reap()?;
            if self.setup.stop.is_set() {
                self.close(self.now_ns);
                return Ok(Ended::Interrupted);
            }
            if self.is_held()
                && self.in_flight == 0
                && let Some(ended) = self.halt()?
            {
                return Ok(ended);
            }
        }
    }

    /// Whether nothing may start before everything in flight has completed.
    #[inline]
    fn is_held(&self) -> bool {
        self.remaining_bytes == 0 || self.writes_left == 0
    }

    /// Nothing is in flight: makes the writes durable, lets the next pass begin, or ends.
    #[inline(never)]
    fn halt(&mut self) -> Result<Option<Ended>, Failure> {
        if self.writes_left == 0 {
            if self.sync()? {
                return Ok(Some(Ended::Duration));
            }
            self.writes_left = self.setup.halts.distance();
            self.writes_allowed = self.writes_allowed.saturating_add(self.writes_left);
        }
        if self.remaining_bytes > 0 {
            return Ok(None);
        }
        self.close(self.now_ns);
        Ok(Some(Ended::SizeLimit))
    }

    /// Makes the writes durable where that is due. True when the time was up meanwhile: the measured part lasts
    /// until the call has returned, for nothing else was under way.
    fn sync(&mut self) -> Result<bool, Failure> {
        let begin_ns = self.now_ns;
        let Some(syncs) = self.setup.halts.reach() else { return Ok(false) };
        if !syncs.call(self.setup.stop)? {
            return Ok(false);
        }
        self.now_ns = self.setup.clock.now_ns();
        let is_over = self.now_ns >= self.window.next_ns && self.cross(self.now_ns);
        if is_over {
            self.beyond_ns = self.now_ns - self.end_ns;
        }
        self.setup.halts.record(self.now_ns - begin_ns);
        Ok(is_over)
    }

    /// Prepares as many operations as are due, free and allowed in one batch. Gives their number.
    #[inline]
    fn fill(&mut self) -> usize {
        let room = self.slots.free_count().min(self.setup.batch as usize);
        if P::PACED {
            self.now_ns = self.setup.clock.now_ns();
            self.drop_backlog();
        }
        for taken in 0..room {
            if self.is_held() || (P::PACED && self.pace.due_ns() > self.now_ns) {
                return taken;
            }
            let operation = self.pattern.next();
            self.remaining_bytes = self.remaining_bytes.saturating_sub(u64::from(operation.size_bytes));
            let index = self.slots.take(Slot::new(&operation, self.pace.due_ns()));
            if operation.write {
                self.writes_left -= 1;
                self.buffers.refresh(index, &operation);
            }
            self.queue.push(index, &operation, self.buffers.address(index, operation.write));
            self.pace.advance();
        }
        room
    }

    /// Gives up operations that are due for too long.
    fn drop_backlog(&mut self) {
        while self.pace.due_ns() + BACKLOG_LIMIT_NS < self.now_ns {
            self.backlog_dropped += 1;
            self.pace.advance();
        }
    }

    /// Stamps and submits the operations that were just prepared, and waits if there is nothing else to do.
    #[inline]
    fn enter(&mut self, taken: usize, start_ns: u64) -> Result<(), Failure> {
        self.slots.stamp_taken(taken, start_ns);
        self.integrate(start_ns);
        self.in_flight += taken as u32;
        let is_full = self.slots.free_count() == 0 || self.is_held();
        let entered = if P::PACED && taken == 0 && !is_full {
            self.wait_for_due(start_ns)
        } else {
            self.queue.enter(if is_full { self.setup.wanted.min(self.in_flight) } else { 0 })
        };
        self.now_ns = self.setup.clock.now_ns();
        entered.map_err(|error| enter_failure(&error))
    }

    /// Waits for a completion, the next start or the next boundary, whatever comes first.
    fn wait_for_due(&mut self, now_ns: u64) -> std::io::Result<()> {
        let until_ns = self.pace.due_ns().min(self.window.next_ns);
        let distance_ns = until_ns.saturating_sub(now_ns);
        if distance_ns <= POLL_NS {
            return self.queue.enter(0);
        }
        self.queue.enter_for(Duration::from_nanos(distance_ns - POLL_NS), self.in_flight == 0)
    }

    /// Brings the time integral of operations in flight up to `now_ns`.
    #[inline]
    fn integrate(&mut self, now_ns: u64) {
        self.in_flight_ns += u64::from(self.in_flight) * now_ns.saturating_sub(self.integrated_ns);
        self.integrated_ns = now_ns;
    }

    /// Takes everything that has completed.
    #[inline]
    fn reap(&mut self) -> Result<(), Failure> {
        self.integrate(self.now_ns);
        let (mut group, mut reaped) = (Group::EMPTY, 0);
        let JobLoop { queue, slots, tallies, troubled, now_ns, .. } = self;
        queue.reap(|index, result| {
            let slot = slots.get(index);
            let size_bytes = slot.size_bytes();
            if result != size_bytes as i32 {
                troubled.push((index, result));
                return;
            }
            if slot.start_ns != group.start_ns || slot.is_write() != group.write {
                group.record(tallies, *now_ns);
                group = Group { start_ns: slot.start_ns, write: slot.is_write(), ..Group::EMPTY };
            }
            group.operations += 1;
            group.size_bytes += u64::from(size_bytes);
            if P::PACED {
                let response = &mut tallies[usize::from(slot.is_write())].response;
                response.record(now_ns.saturating_sub(slot.due_ns), 1);
            }
            slots.release(index);
            reaped += 1;
        });
        group.record(&mut self.tallies, self.now_ns);
        self.in_flight -= reaped;
        if !self.troubled.is_empty() {
            return self.retry();
        }
        Ok(())
    }

    /// Tries again what the kernel asks to try again; everything else ends the load.
    #[cold]
    fn retry(&mut self) -> Result<(), Failure> {
        while let Some((index, result)) = self.troubled.pop() {
            let slot = *self.slots.get(index);
            let operation = slot.operation();
            let is_passing = matches!(-result, libc::EAGAIN | libc::EINTR);
            if !is_passing || self.retries_in_row == RETRY_LIMIT {
                self.in_flight -= 1 + self.troubled.len() as u32;
                return Err(describe_io_failure(self.setup.target, &operation, result));
            }
            self.retries_in_row += 1;
            self.tallies[usize::from(operation.write)].retries += 1;
            self.queue.push(index, &operation, self.buffers.address(index, operation.write));
        }
        Ok(())
    }

    /// Steps over all boundaries up to now. True at the end. Every stamp is checked before it is used, so that
    /// nothing is counted on the wrong side, however long the thread was kept from its processor.
    #[cold]
    fn cross(&mut self, now_ns: u64) -> bool {
        self.retries_in_row = 0;
        while now_ns >= self.window.next_ns {
            let at_ns = self.window.next_ns;
            if self.window.is_at_end() {
                self.close(at_ns);
                return true;
            }
            self.integrate(at_ns);
            self.report_interval(at_ns);
            if self.window.step() == Boundary::WarmUpEnd {
                self.begin_measuring(at_ns);
            }
        }
        false
    }

    /// Nothing starts any more. The current interval is the last, and goes on until everything is answered.
    fn close(&mut self, at_ns: u64) {
        self.integrate(at_ns);
        (self.end_ns, self.in_flight_at_end_ns) = (at_ns, self.in_flight_ns);
    }

    /// Operations that have completed in the measured part so far.
    fn completed(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.operations).sum()
    }

    fn report_interval(&mut self, end_ns: u64) {
        let counts = [self.tallies[0].count(), self.tallies[1].count()];
        let begin_ns = self.window.interval_begin_ns;
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns - begin_ns,
            warm_up: self.window.in_warm_up(),
            read: counts[0].since(&self.interval_counts[0]),
            write: counts[1].since(&self.interval_counts[1]),
        };
        self.interval_counts = counts;
        if let Some(reports) = self.setup.reports {
            // Nobody listens only when the load is being given up.
            let _ = reports.send(Report::Interval { job: self.setup.job, interval });
        }
    }

    /// Forgets the warm-up. Operations in flight count as part of the size limit: they will be counted.
    fn begin_measuring(&mut self, at_ns: u64) {
        let started_bytes = u64::MAX - self.remaining_bytes;
        let completed_bytes = self.tallies[0].size_bytes + self.tallies[1].size_bytes;
        let in_flight_bytes = started_bytes - completed_bytes;
        let limit_bytes = self.setup.size_limit_bytes.unwrap_or(u64::MAX);
        self.remaining_bytes = limit_bytes.saturating_sub(in_flight_bytes);
        self.tallies.iter_mut().for_each(Tally::clear);
        self.setup.halts.begin_measuring();
        self.interval_counts = Default::default();
        self.in_flight_ns = 0;
        self.backlog_dropped = 0;
        self.cpu_begin_ns = cpu::thread_user_system_ns();
        self.run_queue.begin();
        self.begin_ns = Some(at_ns);
    }

    /// What was measured, taken when everything was answered or given up. `completed` is what had completed when
    /// nothing more started.
    fn outcome(&mut self, ended: Ended, late_start_ns: u64, completed: u64) -> JobOutcome {
        if P::PACED {
            while self.pace.due_ns() < self.end_ns {
                self.backlog_dropped += 1;
                self.pace.advance();
            }
        }
        let drain_ns = self.beyond_ns.max(self.integrated_ns.saturating_sub(self.end_ns));
        // Each place of the queue counts until its own last answer.
        let places_ns = (self.in_flight_ns - self.in_flight_at_end_ns) / u64::from(self.setup.depth);
        let end_ns = self.end_ns + self.beyond_ns + places_ns;
        if end_ns > self.window.interval_begin_ns {
            self.report_interval(end_ns);
        }
        let (user_ns, system_ns) = cpu::thread_user_system_ns();
        let mut outcome = JobOutcome {
            begin_ns: self.begin_ns.unwrap_or(end_ns),
            end_ns,
            in_flight_ns: self.in_flight_ns,
            backlog_dropped: self.backlog_dropped,
            issued: self.writes_allowed - self.writes_left,
            drained: self.completed() - completed,
            drain_ns,
            unfinished: self.in_flight,
            syncs: self.setup.halts.take_latency(),
            tallies: std::mem::take(&mut self.tallies),
            user_ns: user_ns - self.cpu_begin_ns.0,
            system_ns: system_ns - self.cpu_begin_ns.1,
            pauses: Pauses { late_start_ns, starved_ns: self.run_queue.waited_ns(), ..Pauses::default() },
            ended,
        };
        if self.begin_ns.is_none() {
            // Interrupted during the warm-up: nothing was measured.
            outcome.tallies = Default::default();
            (outcome.in_flight_ns, outcome.user_ns, outcome.system_ns, outcome.backlog_dropped) =
                (0, 0, 0, 0);
            outcome.drained = 0;
        }
        outcome
    }

    /// Waits for what is in flight and counts it. An error of such an operation still ends the load as failed.
    fn drain(&mut self) -> Result<(), Failure> {
        let begin_ns = self.setup.clock.now_ns();
        while self.in_flight > 0 {
            let waited_ns = self.setup.clock.now_ns() - begin_ns;
            if waited_ns > INTERRUPTED_DRAIN_NS && (self.setup.stop.is_set() || waited_ns > DRAIN_NS) {
                break;
            }
            self.queue.enter(1).map_err(|error| enter_failure(&error))?;
            self.now_ns = self.setup.clock.now_ns();
            self.reap()?;
        }
        Ok(())
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

#[cfg(test)]
mod tests {
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
            halts: Halts::none(),
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
}
