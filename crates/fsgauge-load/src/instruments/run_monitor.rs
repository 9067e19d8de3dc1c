//! What the main thread does while the threads of a run work: it forwards their intervals, requests them to stop, and
//! abandons threads that hang in the kernel.

use std::time::{Duration, Instant};

use fsgauge_wire::{Event, Interval, Listener, Pauses, Stop};

use super::Clock;
use super::pauses::PauseWatch;
use super::send_event::send_event;
use super::series::Series;
use super::warm_up::WarmUp;

/// How long the main thread waits before it checks the deadline and the stop flag.
pub const TICK: Duration = Duration::from_millis(50);
/// How long threads are waited for after a stop request: they may be in the kernel, on a device that hangs.
pub const STOP_LIMIT: Duration = Duration::from_millis(800);

/// When a run is to end at the latest.
#[derive(Debug)]
pub struct Deadline {
    clock: Clock,
    stop: Stop,
    late_ns: u64,
    stop_requested: Option<Instant>,
}

impl Deadline {
    /// A thread that still runs at `late_ns` is abandoned.
    pub fn new(clock: Clock, stop: Stop, late_ns: u64) -> Self {
        Deadline { clock, stop, late_ns, stop_requested: None }
    }

    /// Whether to keep waiting. A stop is requested at once, and again whenever no report came meanwhile: a signal
    /// that arrives between two waits of a thread is lost.
    pub fn should_continue(&mut self, is_quiet: bool, request_stop: impl FnOnce()) -> bool {
        if !self.stop.is_set() {
            return self.clock.now_ns() <= self.late_ns;
        }
        if self.stop_requested.is_none() || is_quiet {
            request_stop();
        }
        self.stop_requested.get_or_insert_with(Instant::now).elapsed() <= STOP_LIMIT
    }
}

/// A run from its first moment on.
#[derive(Debug)]
pub struct RunMonitor {
    stop: Stop,
    zero_ns: u64,
    series: Series,
    watch: PauseWatch,
    deadline: Deadline,
}

impl RunMonitor {
    /// Watches from now on. What begins at `zero_ns` is measured from the end of its warm-up on.
    pub fn begin(
        clock: Clock,
        zero_ns: u64,
        warm_up: impl Into<WarmUp>,
        series: Series,
        deadline: Deadline,
    ) -> Self {
        let watch = PauseWatch::start(clock, zero_ns, warm_up);
        RunMonitor { stop: deadline.stop, zero_ns, series, watch, deadline }
    }

    /// A thread's next interval.
    pub fn add(&mut self, thread: u32, interval: Interval) {
        self.series.add(thread, interval);
    }

    /// A thread reports no more: intervals do not wait for it.
    pub fn done(&mut self, thread: u32) {
        self.series.done(thread);
    }

    /// Forwards the intervals that are complete. Gives whether to keep waiting ([`Deadline::should_continue`]). A run
    /// whose listener is gone is stopped.
    pub fn should_continue(
        &mut self,
        listener: &mut dyn Listener,
        is_quiet: bool,
        request_stop: impl FnOnce(),
    ) -> bool {
        self.series.ready().for_each(|interval| send_event(listener, &self.stop, Event::Interval(interval)));
        if listener.gone() {
            self.stop.set();
        }
        self.deadline.should_continue(is_quiet, request_stop)
    }

    /// All threads are done or abandoned; the measured part ended at `end_ns`. Gives all intervals and the pauses of
    /// this process.
    pub fn end(mut self, listener: &mut dyn Listener, end_ns: u64) -> (Vec<Interval>, Pauses) {
        let pauses = self.watch.end();
        self.series
            .settle(end_ns.saturating_sub(self.zero_ns))
            .for_each(|interval| send_event(listener, &self.stop, Event::Interval(interval)));
        (self.series.all(), pauses)
    }
}

/// Calls `request_stop` until it returns false (no thread runs any more), or [`STOP_LIMIT`] has passed.
pub fn stop_all(mut request_stop: impl FnMut() -> bool) {
    let begin = Instant::now();
    while request_stop() && begin.elapsed() < STOP_LIMIT {
        std::thread::sleep(Duration::from_millis(1));
    }
}
