//! The series: the intervals of several threads as one, while they come in. Addition only.

use fsgauge_wire::Interval;

use super::warm_up::WarmUp;

/// The intervals of several threads, added up as they come in. The k-th interval of every thread is the same time.
#[derive(Debug)]
pub struct Series {
    merged: Vec<Interval>,
    /// How many intervals each thread has reported.
    reported: Vec<usize>,
    /// How many merged intervals have been passed on.
    passed: usize,
    /// When the time is up: so long after the warm-up. An interval that ends there or later is the last, and its
    /// length is known when all threads are done.
    warm_up: WarmUp,
    duration_ns: u64,
}

impl Series {
    /// No intervals yet, of so many threads.
    pub fn new(threads: usize, warm_up: impl Into<WarmUp>, duration_ns: u64) -> Self {
        let (merged, reported) = (Vec::new(), vec![0; threads]);
        Series { merged, reported, passed: 0, warm_up: warm_up.into(), duration_ns }
    }

    /// Adds a thread's next interval.
    pub fn add(&mut self, thread: u32, interval: Interval) {
        let index = self.reported[thread as usize];
        self.reported[thread as usize] += 1;
        match self.merged.get_mut(index) {
            None => self.merged.push(interval),
            Some(merged) => {
                merged.elapsed_ns = merged.elapsed_ns.max(interval.elapsed_ns);
                merged.read.add(&interval.read);
                merged.write.add(&interval.write);
            }
        }
    }

    /// A thread that reports no more is not waited for.
    pub fn done(&mut self, thread: u32) {
        self.reported[thread as usize] = usize::MAX;
    }

    /// Intervals that every running thread has reported and that were not given before.
    pub fn ready(&mut self) -> impl Iterator<Item = Interval> + '_ {
        let complete = self.reported.iter().copied().min().unwrap_or(0).min(self.known());
        let begin = self.passed;
        self.passed = complete.max(begin);
        self.merged[begin..self.passed].iter().copied()
    }

    /// How many intervals have a length that is known.
    fn known(&self) -> usize {
        let ends_ns = |interval: &Interval| interval.start_ns + interval.elapsed_ns;
        let time_up_ns = self.warm_up.end_ns().saturating_add(self.duration_ns);
        let is_last = self.merged.last().is_some_and(|interval| ends_ns(interval) >= time_up_ns);
        self.merged.len() - usize::from(is_last)
    }

    /// All threads are done and the run ended at `end_ns` since its first moment: gives what was held back.
    pub fn settle(&mut self, end_ns: u64) -> impl Iterator<Item = Interval> + '_ {
        let known = self.known();
        if let Some(last) = self.merged[known..].last_mut() {
            last.elapsed_ns = end_ns.saturating_sub(last.start_ns);
        }
        let begin = std::mem::replace(&mut self.passed, self.merged.len());
        self.merged[begin..].iter().copied()
    }

    /// The whole series.
    pub fn all(self) -> Vec<Interval> {
        self.merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::IntervalCount;

    fn interval(start_ns: u64, operations: u64) -> Interval {
        let read = IntervalCount { operations, ..IntervalCount::default() };
        Interval { start_ns, elapsed_ns: 10, read, ..Interval::default() }
    }

    #[test]
    fn an_interval_is_passed_on_once_and_when_every_thread_has_it() {
        let mut series = Series::new(2, 0, 100);
        series.add(0, interval(0, 3));
        assert_eq!(series.ready().count(), 0);
        series.add(1, interval(0, 4));
        assert_eq!(series.ready().map(|interval| interval.read.operations).collect::<Vec<_>>(), [7]);
        series.add(0, interval(10, 5));
        series.done(1);
        assert_eq!(series.ready().map(|interval| interval.read.operations).collect::<Vec<_>>(), [5]);
        assert_eq!(series.all().len(), 2);
    }

    #[test]
    fn the_last_interval_is_passed_on_when_all_threads_are_done_and_has_the_end_of_the_run() {
        let mut series = Series::new(2, 10, 10);
        for (thread, elapsed_ns) in [(0, 12), (1, 16)] {
            series.add(thread, interval(0, 3));
            series.add(thread, Interval { elapsed_ns, ..interval(10, 4) });
            series.done(thread);
        }
        assert_eq!(series.ready().count(), 1);
        let held: Vec<Interval> = series.settle(24).collect();
        assert_eq!((held.len(), held[0].elapsed_ns, held[0].read.operations), (1, 14, 8));
        assert_eq!(series.ready().count(), 0);
    }
}
