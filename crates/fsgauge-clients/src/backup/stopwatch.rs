//! The stopwatch of a backup: times every operation, keeps the series of its reads, and knows when it is over. It
//! is stopped while the engine verifies what was read, which no backup does.

use std::sync::mpsc::Sender;

use fsgauge_load::instruments::{Clock, Window};
use fsgauge_net::{kind_of, message_of};
use fsgauge_wire::{ClientErrorKind, ClientOperation, Ended, Interval, IntervalCount, Stop};
use rustix::io::Errno;

use crate::clients_tally::ClientsTally;

/// Times and counts what one reader does.
#[derive(Debug)]
pub(super) struct Stopwatch {
    clock: Clock,
    stop: Stop,
    deadline_ns: u64,
    window: Window,
    reports: Sender<Interval>,
    pub(super) tally: ClientsTally,
    /// In calls, those included that failed or only found the end of a file.
    busy_ns: u64,
    /// Reads before the current interval.
    before: IntervalCount,
    /// When the clock was last read.
    now_ns: u64,
    /// How long it has stood still.
    aside_ns: u64,
}

/// What was counted in all.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) tally: ClientsTally,
    pub(super) busy_ns: u64,
    pub(super) elapsed_ns: u64,
    pub(super) aside_ns: u64,
}

impl Stopwatch {
    /// The measured part begins now. Intervals go to `reports`.
    pub(super) fn start(
        clock: Clock,
        stop: Stop,
        time_limit_ns: u64,
        interval_ns: u64,
        reports: Sender<Interval>,
    ) -> Self {
        let begin_ns = clock.now_ns();
        Stopwatch {
            clock,
            stop,
            deadline_ns: begin_ns.saturating_add(time_limit_ns),
            // The last operation may end beyond the limit and is counted: the series goes on as long.
            window: Window::new(begin_ns, 0, u64::MAX, interval_ns),
            reports,
            tally: ClientsTally::default(),
            busy_ns: 0,
            before: IntervalCount::default(),
            now_ns: begin_ns,
            aside_ns: 0,
        }
    }

    /// The moment before a call.
    #[inline]
    pub(super) fn begin(&self) -> u64 {
        self.clock.now_ns() - self.aside_ns
    }

    /// Does what is the engine's own, in no time that is measured. The storage may read ahead meanwhile, so the time
    /// that a backup would have taken lies between what is measured and that plus what was put aside.
    #[inline]
    pub(super) fn aside<R>(&mut self, work: impl FnOnce(&mut ClientsTally) -> R) -> R {
        let begin_ns = self.clock.now_ns();
        let done = work(&mut self.tally);
        self.aside_ns += self.clock.now_ns() - begin_ns;
        done
    }

    /// An operation succeeded.
    #[inline]
    pub(super) fn done(&mut self, operation: ClientOperation, begin_ns: u64, size_bytes: u64) {
        self.spent(begin_ns);
        let latency_ns = self.now_ns - begin_ns;
        let tally = self.tally.of(operation);
        tally.size_bytes += size_bytes;
        // Nothing waits for anything else: the response is the service.
        tally.record(latency_ns, latency_ns);
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
        let number = errno.raw_os_error();
        self.tally.error(operation, kind_of(number), self.now_ns, || (path(), message_of(number)));
    }

    /// A file ended before its size.
    pub(super) fn short(&mut self, words: impl FnOnce() -> (String, String)) {
        self.tally.error(ClientOperation::Read, ClientErrorKind::Short, self.now_ns, words);
    }

    /// An operation is tried again.
    pub(super) fn retry(&mut self, begin_ns: u64) {
        self.spent(begin_ns);
        self.tally.of(ClientOperation::Read).retries += 1;
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
        self.now_ns = self.begin();
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
        (self.now_ns + self.aside_ns >= self.deadline_ns).then_some(Ended::Duration)
    }

    /// Since the beginning, as of the last look at the clock.
    pub(super) fn elapsed_ns(&self) -> u64 {
        self.now_ns - self.window.zero_ns
    }

    /// Ends the series and gives everything.
    pub(super) fn finish(mut self) -> Timed {
        self.look();
        if self.now_ns > self.window.interval_begin_ns {
            self.close_interval(self.now_ns);
        }
        Timed {
            elapsed_ns: self.elapsed_ns(),
            tally: self.tally,
            busy_ns: self.busy_ns,
            aside_ns: self.aside_ns,
        }
    }

    fn close_interval(&mut self, end_ns: u64) {
        let all = self.tally.reads();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn intervals_add_up_and_the_limit_is_seen() {
        let (sender, intervals) = channel();
        let mut watch = Stopwatch::start(Clock::new().0, Stop::new(), 10_000_000, 2_000_000, sender);
        let mut reads = 0;
        while watch.over().is_none() {
            let begin_ns = watch.begin();
            std::thread::sleep(Duration::from_micros(300));
            watch.done(ClientOperation::Read, begin_ns, 7);
            reads += 1;
        }
        assert_eq!(watch.over(), Some(Ended::Duration));
        let timed = watch.finish();
        let series: Vec<Interval> = intervals.iter().collect();
        assert!(series.len() >= 5, "{}", series.len());
        assert_eq!(series.iter().map(|interval| interval.read.operations).sum::<u64>(), reads);
        assert_eq!(series.iter().map(|interval| interval.elapsed_ns).sum::<u64>(), timed.elapsed_ns);
        let [operation] = &timed.tally.results()[..] else { panic!() };
        assert_eq!((operation.operations, operation.size_bytes), (reads, 7 * reads));
        assert!(timed.busy_ns <= timed.elapsed_ns);
    }

    #[test]
    fn the_watch_stands_still_while_the_engine_does_its_own() {
        let (sender, _intervals) = channel();
        let mut watch = Stopwatch::start(Clock::new().0, Stop::new(), 80_000_000, 1_000_000_000, sender);
        let begin_ns = watch.begin();
        for _ in 0..3 {
            watch.aside(|_| std::thread::sleep(Duration::from_millis(30)));
            watch.look();
        }
        assert!(watch.begin() - begin_ns < 30_000_000, "{}", watch.begin() - begin_ns);
        // The limit is one of time that passes.
        assert_eq!(watch.over(), Some(Ended::Duration));
        let timed = watch.finish();
        assert!(timed.aside_ns >= 90_000_000 && timed.elapsed_ns < 30_000_000, "{timed:?}");
    }
}
