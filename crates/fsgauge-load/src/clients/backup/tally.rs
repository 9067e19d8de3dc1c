//! The tally of a backup: every operation timed, the series of its reads, and when it is over.

use std::sync::mpsc::Sender;

use fsgauge_wire::{
    ClientError, ClientErrorKind, ClientOperation, ClientOperationResult, Ended, Interval, IntervalCount,
    Recorder,
};
use rustix::io::Errno;

use super::errors::Errors;
use crate::clock::Clock;
use crate::stop::Stop;
use crate::window::Window;

/// The operations of a backup.
const OPERATIONS: [ClientOperation; 4] =
    [ClientOperation::Open, ClientOperation::Read, ClientOperation::Close, ClientOperation::List];
const READ: usize = 1;

/// Operations of one kind that succeeded.
#[derive(Debug, Default)]
struct Kind {
    operations: u64,
    size_bytes: u64,
    latency: Recorder,
}

/// Counts and times what one reader does.
#[derive(Debug)]
pub(super) struct Tally {
    clock: Clock,
    stop: Stop,
    deadline_ns: u64,
    window: Window,
    reports: Sender<Interval>,
    kinds: [Kind; OPERATIONS.len()],
    errors: Errors,
    retries: u64,
    /// In calls, those included that failed or only found the end of a file.
    busy_ns: u64,
    /// Reads before the current interval.
    before: IntervalCount,
    /// When the clock was last read.
    now_ns: u64,
}

/// What was counted in all.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) operations: Vec<ClientOperationResult>,
    pub(super) errors: Vec<ClientError>,
    pub(super) retries: u64,
    pub(super) busy_ns: u64,
    pub(super) elapsed_ns: u64,
}

impl Tally {
    /// The measured part begins now. Intervals go to `reports`.
    pub(super) fn new(
        clock: Clock,
        stop: Stop,
        time_limit_ns: u64,
        interval_ns: u64,
        reports: Sender<Interval>,
    ) -> Self {
        let begin_ns = clock.now_ns();
        Tally {
            clock,
            stop,
            deadline_ns: begin_ns.saturating_add(time_limit_ns),
            // The last operation may end beyond the limit and is counted: the series goes on as long.
            window: Window::new(begin_ns, 0, u64::MAX, interval_ns),
            reports,
            kinds: Default::default(),
            errors: Errors::default(),
            retries: 0,
            busy_ns: 0,
            before: IntervalCount::default(),
            now_ns: begin_ns,
        }
    }

    /// The moment before a call.
    #[inline]
    pub(super) fn begin(&self) -> u64 {
        self.clock.now_ns()
    }

    /// An operation succeeded.
    #[inline]
    pub(super) fn done(&mut self, operation: ClientOperation, begin_ns: u64, size_bytes: u64) {
        self.spent(begin_ns);
        let kind = &mut self.kinds[place_of(operation)];
        kind.operations += 1;
        kind.size_bytes += size_bytes;
        kind.latency.record(self.now_ns - begin_ns, 1);
    }

    /// An operation failed.
    pub(super) fn failed(
        &mut self,
        operation: ClientOperation,
        begin_ns: u64,
        errno: Errno,
        path: impl FnOnce() -> String,
    ) {
        self.spent(begin_ns);
        self.errors.add(operation, errno, path);
    }

    /// A file ended before its size.
    pub(super) fn short(&mut self, path: impl FnOnce() -> String, message: impl FnOnce() -> String) {
        self.errors.count(ClientOperation::Read, ClientErrorKind::Short, path, message);
    }

    /// A read was interrupted and is tried again.
    pub(super) fn retry(&mut self, begin_ns: u64) {
        self.spent(begin_ns);
        self.retries += 1;
    }

    /// A call that is no operation of its own took time.
    #[inline]
    pub(super) fn spent(&mut self, begin_ns: u64) {
        self.look();
        self.busy_ns += self.now_ns - begin_ns;
    }

    /// Reads the clock and ends the intervals that are over.
    #[inline]
    pub(super) fn look(&mut self) {
        self.now_ns = self.clock.now_ns();
        while self.now_ns >= self.window.next_ns {
            self.close_interval(self.window.next_ns);
            self.window.step();
        }
    }

    /// Why to end before the end, as of the last look at the clock.
    #[inline]
    pub(super) fn over(&self) -> Option<Ended> {
        if self.stop.is_set() {
            return Some(Ended::Interrupted);
        }
        (self.now_ns >= self.deadline_ns).then_some(Ended::Duration)
    }

    /// Since the beginning, as of the last look at the clock.
    pub(super) fn elapsed_ns(&self) -> u64 {
        self.now_ns - self.window.zero_ns
    }

    /// Ends the series and gives everything.
    pub(super) fn finish(mut self) -> Counted {
        self.look();
        let elapsed_ns = self.elapsed_ns();
        if self.now_ns > self.window.interval_begin_ns {
            self.close_interval(self.now_ns);
        }
        let results = OPERATIONS.iter().zip(&self.kinds).filter_map(|(operation, kind)| {
            let errors = self.errors.of(*operation);
            (kind.operations + errors > 0).then(|| result(*operation, kind, errors))
        });
        let operations = results.collect();
        let errors = self.errors.take();
        Counted { operations, errors, retries: self.retries, busy_ns: self.busy_ns, elapsed_ns }
    }

    fn close_interval(&mut self, end_ns: u64) {
        let kind = &self.kinds[READ];
        let latency_sum_ns = kind.latency.sum_ns();
        let all = IntervalCount { operations: kind.operations, size_bytes: kind.size_bytes, latency_sum_ns };
        let begin_ns = self.window.interval_begin_ns;
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns - begin_ns,
            warm_up: false,
            read: all.since(&self.before),
            write: IntervalCount::default(),
        };
        self.before = all;
        // Nobody takes it when the main thread has given this one up.
        let _ = self.reports.send(interval);
    }
}

#[inline]
fn place_of(operation: ClientOperation) -> usize {
    match operation {
        ClientOperation::Open => 0,
        ClientOperation::Read => READ,
        ClientOperation::Close => 2,
        _ => 3,
    }
}

fn result(operation: ClientOperation, kind: &Kind, errors: u64) -> ClientOperationResult {
    let latency = kind.latency.to_histogram();
    ClientOperationResult {
        operation,
        operations: kind.operations,
        size_bytes: kind.size_bytes,
        errors,
        response_latency: latency.clone(),
        service_latency: latency,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn operations_have_their_places() {
        let places: Vec<_> = OPERATIONS.iter().map(|operation| place_of(*operation)).collect();
        assert_eq!(places, [0, 1, 2, 3]);
    }

    #[test]
    fn intervals_add_up_and_the_limit_is_seen() {
        let (sender, intervals) = channel();
        let mut tally = Tally::new(Clock::new().0, Stop::new(), 10_000_000, 2_000_000, sender);
        let mut reads = 0;
        while tally.over().is_none() {
            let begin_ns = tally.begin();
            std::thread::sleep(Duration::from_micros(300));
            tally.done(ClientOperation::Read, begin_ns, 7);
            reads += 1;
        }
        assert_eq!(tally.over(), Some(Ended::Duration));
        let counted = tally.finish();
        let series: Vec<Interval> = intervals.iter().collect();
        assert!(series.len() >= 5, "{}", series.len());
        assert_eq!(series.iter().map(|interval| interval.read.operations).sum::<u64>(), reads);
        assert_eq!(series.iter().map(|interval| interval.elapsed_ns).sum::<u64>(), counted.elapsed_ns);
        assert_eq!((counted.operations[0].size_bytes, counted.operations.len()), (7 * reads, 1));
        assert!(counted.busy_ns <= counted.elapsed_ns);
    }
}
