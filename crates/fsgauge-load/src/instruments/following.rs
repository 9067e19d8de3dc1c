//! Following: what the main thread does while the threads of a run work. It passes their intervals on, sees that the
//! run is to stop, and gives up on threads that do not come back.

use std::time::{Duration, Instant};

use fsgauge_wire::{Event, Interval, Listener, Pauses, Stop};

use super::Clock;
use super::pauses::PauseWatch;
use super::series::Series;
use super::tell::tell;

/// How often the main thread looks up from waiting.
pub const TICK: Duration = Duration::from_millis(50);
/// How long threads that were told to stop are waited for: they are in the kernel, on a device that hangs.
pub const STOP_LIMIT: Duration = Duration::from_millis(800);

/// When a run is to end at the latest.
#[derive(Debug)]
pub struct Deadline {
    clock: Clock,
    stop: Stop,
    late_ns: u64,
    told_to_stop: Option<Instant>,
}

impl Deadline {
    /// Who still runs at `late_ns` is not waited for.
    pub fn new(clock: Clock, stop: Stop, late_ns: u64) -> Self {
        Deadline { clock, stop, late_ns, told_to_stop: None }
    }

    /// Whether to wait on. A run that is to stop is told so at once, and again whenever nothing is heard of it: a
    /// nudge between two waits of a thread is lost.
    pub fn goes_on(&mut self, is_quiet: bool, tell_to_stop: impl FnOnce()) -> bool {
        if !self.stop.is_set() {
            return self.clock.now_ns() <= self.late_ns;
        }
        if self.told_to_stop.is_none() || is_quiet {
            tell_to_stop();
        }
        self.told_to_stop.get_or_insert_with(Instant::now).elapsed() <= STOP_LIMIT
    }
}

/// A run from its first moment on.
#[derive(Debug)]
pub struct Following {
    stop: Stop,
    zero_ns: u64,
    series: Series,
    watch: PauseWatch,
    deadline: Deadline,
}

impl Following {
    /// Watches from now on. What begins at `zero_ns` is measured from `measured_from_ns` on.
    pub fn begin(
        clock: Clock,
        zero_ns: u64,
        measured_from_ns: u64,
        series: Series,
        deadline: Deadline,
    ) -> Self {
        let watch = PauseWatch::start(clock, zero_ns, measured_from_ns);
        Following { stop: deadline.stop, zero_ns, series, watch, deadline }
    }

    /// A thread's next interval.
    pub fn add(&mut self, thread: u32, interval: Interval) {
        self.series.add(thread, interval);
    }

    /// A thread that reports no more is not waited for.
    pub fn done(&mut self, thread: u32) {
        self.series.done(thread);
    }

    /// Passes on the intervals that are complete; whether to wait on, as [`Deadline::goes_on`] has it. A run whose
    /// listener is gone is to stop.
    pub fn goes_on(
        &mut self,
        listener: &mut dyn Listener,
        is_quiet: bool,
        tell_to_stop: impl FnOnce(),
    ) -> bool {
        self.series.ready().for_each(|interval| tell(listener, &self.stop, Event::Interval(interval)));
        if listener.gone() {
            self.stop.set();
        }
        self.deadline.goes_on(is_quiet, tell_to_stop)
    }

    /// All are done, or given up, and what was measured ended at `end_ns`. Gives all intervals, and what kept the
    /// process from its work.
    pub fn end(mut self, listener: &mut dyn Listener, end_ns: u64) -> (Vec<Interval>, Pauses) {
        let pauses = self.watch.end();
        self.series
            .settle(end_ns.saturating_sub(self.zero_ns))
            .for_each(|interval| tell(listener, &self.stop, Event::Interval(interval)));
        (self.series.all(), pauses)
    }
}

/// Calls `tell_to_stop` until it says that nobody runs any more, for so long and no longer.
pub fn stop_all(mut tell_to_stop: impl FnMut() -> bool) {
    let begin = Instant::now();
    while tell_to_stop() && begin.elapsed() < STOP_LIMIT {
        std::thread::sleep(Duration::from_millis(1));
    }
}
