//! Pauses: what kept the engine itself from its work while it measured.
//!
//! A device that stalls and an engine that is stopped look the same to an operation that waits. The thread that
//! waits for reports knows the difference: it sleeps for a moment at a time, and a sleep that lasts much longer than
//! was asked for is a process that was stopped or frozen, or a machine that stood still. Where the scheduler says
//! that the thread was ready and had no processor, it was starved instead, as its jobs are, which count that apart.
//! Nothing of this is on the path of an operation.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fsgauge_wire::Pauses;
use rustix::time::{ClockId, clock_gettime};

use crate::clock::Clock;
use crate::cpu::RunQueue;

/// Oversleeping by less is no pause: a busy machine does that.
const PAUSE_NS: u64 = 100_000_000;

/// Watches the thread that made it, from the load's first moment on.
#[derive(Debug)]
pub(crate) struct PauseWatch {
    clock: Clock,
    zero_ns: u64,
    measured_from_ns: u64,
    run_queue: RunQueue,
    begin: Clocks,
    pauses: Pauses,
}

impl PauseWatch {
    /// A load begins at `zero_ns` and is measured from `measured_from_ns` on, by its own clock.
    pub(crate) fn new(clock: Clock, zero_ns: u64, measured_from_ns: u64) -> Self {
        let (run_queue, begin) = (RunQueue::of_thread(), Clocks::now(&clock));
        PauseWatch { clock, zero_ns, measured_from_ns, run_queue, begin, pauses: Pauses::default() }
    }

    /// Waits for a report, no longer than `tick`, and notes when it was longer.
    pub(crate) fn recv<R>(&mut self, reports: &Receiver<R>, tick: Duration) -> Result<R, RecvTimeoutError> {
        self.run_queue.begin();
        let begin_ns = boot_ns();
        let report = reports.recv_timeout(tick);
        let overslept_ns = (boot_ns() - begin_ns).saturating_sub(tick.as_nanos() as u64);
        if overslept_ns >= PAUSE_NS {
            self.overslept(overslept_ns);
        }
        report
    }

    #[cold]
    fn overslept(&mut self, overslept_ns: u64) {
        let now_ns = self.clock.now_ns();
        let was_starved = self.run_queue.waited_ns().is_some_and(|waited_ns| waited_ns > overslept_ns / 2);
        if was_starved || now_ns <= self.measured_from_ns {
            return;
        }
        self.pauses.total_ns += overslept_ns;
        if overslept_ns > self.pauses.longest_ns {
            self.pauses.longest_ns = overslept_ns;
            let start_ns = now_ns.saturating_sub(overslept_ns).saturating_sub(self.zero_ns);
            self.pauses.longest_start_ns = Some(start_ns);
        }
    }

    /// What was noted, and how far the clocks have moved apart.
    pub(crate) fn end(self) -> Pauses {
        let (begin, end) = (self.begin, Clocks::now(&self.clock));
        let boot_ns = end.boot_ns - begin.boot_ns;
        Pauses {
            clock_error_ns: boot_ns - (end.engine_ns - begin.engine_ns),
            wall_clock_step_ns: (end.wall_ns - begin.wall_ns) - boot_ns,
            ..self.pauses
        }
    }
}

/// Puts together what several jobs or processes noted. Pauses are those of the process that lost most: a machine that
/// stands still stops all of them at once. Waiting for processors adds up.
pub(crate) fn merge(all: &mut Pauses, other: &Pauses) {
    if other.total_ns > all.total_ns {
        all.total_ns = other.total_ns;
    }
    if other.longest_ns > all.longest_ns {
        (all.longest_ns, all.longest_start_ns) = (other.longest_ns, other.longest_start_ns);
    }
    all.late_start_ns = all.late_start_ns.max(other.late_start_ns);
    all.starved_ns = match (all.starved_ns, other.starved_ns) {
        (Some(mine), Some(theirs)) => Some(mine + theirs),
        (mine, theirs) => mine.or(theirs),
    };
    for (mine, theirs) in [
        (&mut all.clock_error_ns, other.clock_error_ns),
        (&mut all.wall_clock_step_ns, other.wall_clock_step_ns),
    ] {
        if theirs.unsigned_abs() > mine.unsigned_abs() {
            *mine = theirs;
        }
    }
}

/// The three clocks at one moment: the engine's, that of the time since the machine started, suspended or not, and
/// that of the wall.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    engine_ns: i64,
    boot_ns: i64,
    wall_ns: i64,
}

impl Clocks {
    fn now(clock: &Clock) -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i64);
        Clocks { engine_ns: clock.now_ns() as i64, boot_ns: boot_ns() as i64, wall_ns: wall }
    }
}

fn boot_ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_wait_as_long_as_asked_for_is_no_pause() {
        let clock = Clock::new().0;
        let mut watch = PauseWatch::new(clock, clock.now_ns(), 0);
        let (_sender, reports) = channel::<()>();
        for _ in 0..3 {
            assert!(watch.recv(&reports, Duration::from_millis(10)).is_err());
        }
        let pauses = watch.end();
        assert_eq!((pauses.total_ns, pauses.longest_start_ns), (0, None));
        assert!(pauses.clock_error_ns.abs() < 5_000_000, "{pauses:?}");
    }

    #[test]
    fn pauses_add_up_from_the_measured_part_on() {
        let clock = Clock::new().0;
        let mut watch = PauseWatch::new(clock, clock.now_ns(), clock.now_ns());
        std::thread::sleep(Duration::from_millis(2));
        watch.overslept(200_000_000);
        watch.overslept(300_000_000);
        watch.measured_from_ns = u64::MAX;
        watch.overslept(900_000_000);
        let pauses = watch.end();
        assert_eq!((pauses.total_ns, pauses.longest_ns), (500_000_000, 300_000_000));
    }

    #[test]
    fn the_process_that_lost_most_stands_for_all_and_waits_add_up() {
        let mut all = Pauses { total_ns: 5, longest_ns: 4, starved_ns: Some(1), ..Pauses::default() };
        let other = Pauses {
            total_ns: 3,
            longest_ns: 9,
            longest_start_ns: Some(7),
            late_start_ns: 2,
            starved_ns: Some(2),
            clock_error_ns: -8,
            wall_clock_step_ns: 0,
        };
        merge(&mut all, &other);
        assert_eq!((all.total_ns, all.longest_ns, all.longest_start_ns), (5, 9, Some(7)));
        assert_eq!((all.late_start_ns, all.starved_ns, all.clock_error_ns), (2, Some(3), -8));
    }
}
