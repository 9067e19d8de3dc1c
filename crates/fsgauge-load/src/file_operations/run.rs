//! The loop: wait until it is due, draw, carry out, read the clock, count.

use std::sync::mpsc::Sender;
use std::time::Duration;

use fsgauge_wire::{Ended, Failure, FileOperation, Interval, IntervalCount, Pauses, Stop};

use super::counted::Counted;
use super::{Done, FileLoop};
use crate::instruments::{Boundary, Clock, RunQueue, Window, cpu};
use crate::outcome::{JobOutcome, Report};
use crate::pace::{BACKLOG_LIMIT_NS, Pace};

/// A paced wait sleeps up to this long before the next start, and polls the rest: waking up takes time.
const POLL_NS: u64 = 20_000;
/// No wait is longer: it ends soon after a stop.
const LONGEST_SLEEP_NS: u64 = 50_000_000;
/// Operations that may be drawn in a row without one that can be done; then each is tried in its turn. Where all files are
/// removed before the one in a million comes that makes one, nothing else could go on.
const MOST_DRAWS: u32 = 1000;

/// What a loop has measured so far.
struct Measured<'a> {
    job: u32,
    window: Window,
    reports: Option<&'a Sender<Report>>,
    counted: Counted,
    /// What both sides had at the last boundary.
    counts: [IntervalCount; 2],
    in_flight_ns: u64,
    backlog_dropped: u64,
    run_queue: RunQueue,
    cpu_begin_ns: (u64, u64),
    begin_ns: Option<u64>,
}

impl FileLoop {
    /// Runs to the end of the window, or until it is stopped.
    pub(crate) fn run<P: Pace>(
        mut self,
        mut pace: P,
        clock: Clock,
        stop: Stop,
        window: Window,
        reports: Option<&Sender<Report>>,
    ) -> Result<JobOutcome, Failure> {
        let late_start_ns = clock.now_ns().saturating_sub(window.measured_from_ns());
        let mut measured = Measured::new(self.job, window, reports);
        let mut drained = None;
        let (ended, end_ns) = loop {
            let start_ns = clock.now_ns();
            if start_ns >= measured.window.next_ns && measured.cross(start_ns) {
                break (Ended::Duration, measured.window.next_ns);
            }
            if stop.is_set() {
                break (Ended::Interrupted, start_ns);
            }
            if P::PACED && measured.waited(&mut pace, start_ns) {
                continue;
            }
            let due_ns = pace.due_ns();
            pace.advance();
            let (operation, done) = self.next(&clock)?;
            let now_ns = clock.now_ns();
            let is_over = now_ns >= measured.window.next_ns && measured.cross(now_ns);
            measured.count::<P>(operation, done, (due_ns, start_ns, now_ns));
            if is_over {
                drained = Some(now_ns - measured.window.next_ns);
                break (Ended::Duration, now_ns);
            }
        };
        if P::OPEN {
            while pace.due_ns() < end_ns {
                measured.backlog_dropped += 1;
                pace.advance();
            }
        }
        Ok(measured.outcome(ended, end_ns, drained, late_start_ns))
    }

    /// Draws operations until one can be done, and does it.
    #[inline]
    fn next(&mut self, clock: &Clock) -> Result<(FileOperation, Done), Failure> {
        for _ in 0..MOST_DRAWS {
            let operation = self.draws.next(&mut self.random);
            if let Some(done) = self.work.carry_out(operation, &mut self.random, clock)? {
                return Ok((operation, done));
            }
        }
        for operation in self.draws.all() {
            if let Some(done) = self.work.carry_out(operation, &mut self.random, clock)? {
                return Ok((operation, done));
            }
        }
        let what = "no operation of this load can be done on its files".to_string();
        let cause = "all of them need contents, and the files are empty; or there are none";
        Err(Failure::job("operations", what, cause, "files with contents, or other operations"))
    }
}

impl<'a> Measured<'a> {
    fn new(job: u32, window: Window, reports: Option<&'a Sender<Report>>) -> Self {
        let mut measured = Measured {
            job,
            reports,
            counted: Counted::new(),
            counts: Default::default(),
            in_flight_ns: 0,
            backlog_dropped: 0,
            run_queue: RunQueue::of_thread(),
            cpu_begin_ns: (0, 0),
            begin_ns: None,
            window,
        };
        if !measured.window.in_warm_up() {
            measured.begin(measured.window.zero_ns);
        }
        measured
    }

    /// Waits a while where the next operation is not due; gives whether it did.
    #[inline]
    fn waited<P: Pace>(&mut self, pace: &mut P, now_ns: u64) -> bool {
        pace.has_room(now_ns);
        while P::OPEN && pace.due_ns() + BACKLOG_LIMIT_NS < now_ns {
            self.backlog_dropped += 1;
            pace.advance();
        }
        let distance_ns = pace.due_ns().min(self.window.next_ns).saturating_sub(now_ns);
        if distance_ns > POLL_NS {
            std::thread::sleep(Duration::from_nanos(distance_ns.min(LONGEST_SLEEP_NS) - POLL_NS));
        }
        distance_ns > 0
    }

    #[inline]
    fn count<P: Pace>(&mut self, operation: FileOperation, done: Done, times: (u64, u64, u64)) {
        let (_, start_ns, now_ns) = times;
        let begin_ns = self.begin_ns.unwrap_or(now_ns);
        self.in_flight_ns += now_ns.saturating_sub(start_ns.max(begin_ns));
        self.counted.count::<P>(operation, done, times);
    }

    /// Steps over all boundaries up to now. True at the end.
    #[cold]
    fn cross(&mut self, now_ns: u64) -> bool {
        while now_ns >= self.window.next_ns {
            let at_ns = self.window.next_ns;
            if self.window.is_at_end() {
                return true;
            }
            self.report(at_ns);
            if self.window.step() == Boundary::WarmUpEnd {
                self.begin(at_ns);
            }
        }
        false
    }

    fn report(&mut self, end_ns: u64) {
        let counts = self.counted.sides();
        let begin_ns = self.window.interval_begin_ns;
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns.saturating_sub(begin_ns),
            warm_up: self.window.in_warm_up(),
            read: counts[0].since(&self.counts[0]),
            write: counts[1].since(&self.counts[1]),
        };
        self.counts = counts;
        if let Some(reports) = self.reports {
            // The receiver is gone only when the load is aborted.
            let _ = reports.send(Report::Interval { job: self.job, interval });
        }
    }

    fn begin(&mut self, at_ns: u64) {
        self.counted.clear();
        self.counts = Default::default();
        (self.in_flight_ns, self.backlog_dropped) = (0, 0);
        self.cpu_begin_ns = cpu::thread_user_system_ns();
        self.run_queue.begin();
        self.begin_ns = Some(at_ns);
    }

    fn outcome(mut self, ended: Ended, end_ns: u64, drained: Option<u64>, late_start_ns: u64) -> JobOutcome {
        if end_ns > self.window.interval_begin_ns {
            self.report(end_ns);
        }
        let (user_ns, system_ns) = cpu::thread_user_system_ns();
        let is_measured = self.begin_ns.is_some();
        if !is_measured {
            self.begin(end_ns);
        }
        let (tallies, file_operations) = self.counted.told();
        JobOutcome {
            tallies,
            begin_ns: self.begin_ns.unwrap_or(end_ns),
            end_ns,
            in_flight_ns: self.in_flight_ns,
            backlog_dropped: self.backlog_dropped,
            issued: 0,
            drained: u64::from(drained.is_some()),
            drain_ns: drained.unwrap_or(0),
            unfinished: 0,
            syncs: None,
            file_operations,
            user_ns: user_ns.saturating_sub(self.cpu_begin_ns.0),
            system_ns: system_ns.saturating_sub(self.cpu_begin_ns.1),
            finish: None,
            pauses: Pauses { late_start_ns, starved_ns: self.run_queue.waited_ns(), ..Pauses::default() },
            ended,
            true_start: None,
        }
    }
}
