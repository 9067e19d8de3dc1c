//! Pauses: what kept the engine itself from its work while it measured.
//!
//! A device that stalls and an engine that is stopped look the same to an operation that waits. A thread that does
//! nothing else knows the difference: it sleeps for a moment at a time, and a sleep that lasts much longer than was
//! asked for is a process that was stopped or frozen, or a machine that stood still. Where the scheduler says that the
//! thread was ready and had no processor, it was starved instead, as the threads that drive are, which count that apart. Nothing of
//! this is on the path of an operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fsgauge_clock::boot_ns;
use fsgauge_wire::Pauses;

use crate::instruments::{Clock, RunQueue, WarmUp};

/// Oversleeping by less is no pause: a busy machine does that.
const PAUSE_NS: u64 = 100_000_000;
/// How long the thread sleeps at a time.
const TICK: Duration = Duration::from_millis(50);
const STACK_BYTES: usize = 128 << 10;

/// Watches the process, from the run's first moment to the end.
#[derive(Debug)]
pub struct PauseWatch {
    clock: Clock,
    begin: Clocks,
    is_over: Arc<AtomicBool>,
    /// None where a limit on processes leaves no room for it.
    sleeper: Option<JoinHandle<Pauses>>,
}

impl PauseWatch {
    /// A run begins at `zero_ns`, by its own clock, and is measured from the end of its warm-up on.
    pub fn start(clock: Clock, zero_ns: u64, warm_up: impl Into<WarmUp>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let noted = Noted { clock, zero_ns, warm_up: warm_up.into(), pauses: Pauses::default() };
        let told = is_over.clone();
        let builder = std::thread::Builder::new().name("pauses".into()).stack_size(STACK_BYTES);
        let sleeper = builder.spawn(move || noted.sleep_until(&told)).ok();
        PauseWatch { clock, begin: Clocks::now(&clock), is_over, sleeper }
    }

    /// What was noted, and how far the clocks have moved apart.
    pub fn end(mut self) -> Pauses {
        let (begin, end) = (self.begin, Clocks::now(&self.clock));
        let boot_ns = end.boot_ns - begin.boot_ns;
        Pauses {
            clock_error_ns: boot_ns - (end.engine_ns - begin.engine_ns),
            wall_clock_step_ns: (end.wall_ns - begin.wall_ns) - boot_ns,
            ..self.wake().unwrap_or_default()
        }
    }

    /// Ends the thread; gives what it noted.
    fn wake(&mut self) -> Option<Pauses> {
        self.is_over.store(true, Ordering::Relaxed);
        let sleeper = self.sleeper.take()?;
        sleeper.thread().unpark();
        sleeper.join().ok()
    }
}

impl Drop for PauseWatch {
    fn drop(&mut self) {
        self.wake();
    }
}

/// What the thread has noted.
#[derive(Debug)]
struct Noted {
    clock: Clock,
    zero_ns: u64,
    warm_up: WarmUp,
    pauses: Pauses,
}

impl Noted {
    /// Sleeps until it is stopped.
    fn sleep_until(mut self, is_over: &AtomicBool) -> Pauses {
        let mut run_queue = RunQueue::of_thread();
        let mut begin_ns = boot_ns();
        while !is_over.load(Ordering::Relaxed) {
            run_queue.begin();
            std::thread::park_timeout(TICK);
            let end_ns = boot_ns();
            let overslept_ns = (end_ns - begin_ns).saturating_sub(TICK.as_nanos() as u64);
            begin_ns = end_ns;
            if overslept_ns >= PAUSE_NS
                && run_queue.waited_ns().is_none_or(|waited| waited < overslept_ns / 2)
            {
                self.overslept(overslept_ns);
            }
        }
        self.pauses
    }

    #[cold]
    fn overslept(&mut self, overslept_ns: u64) {
        let now_ns = self.clock.now_ns();
        if now_ns <= self.zero_ns.saturating_add(self.warm_up.end_ns()) {
            return;
        }
        self.pauses.total_ns += overslept_ns;
        if overslept_ns > self.pauses.longest_ns {
            self.pauses.longest_ns = overslept_ns;
            let start_ns = now_ns.saturating_sub(overslept_ns).saturating_sub(self.zero_ns);
            self.pauses.longest_start_ns = Some(start_ns);
        }
    }
}

/// Puts together what several threads or processes noted. Pauses are those of the process that lost most: a machine that
/// stands still stops all of them at once. Waiting for processors adds up.
pub fn merge(all: &mut Pauses, other: &Pauses) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_add_up_from_the_measured_part_on() {
        let clock = Clock::new().0;
        let now_ns = clock.now_ns();
        let warm_up = WarmUp::from(0);
        let mut noted = Noted { clock, zero_ns: now_ns, warm_up, pauses: Pauses::default() };
        std::thread::sleep(Duration::from_millis(2));
        noted.overslept(200_000_000);
        noted.overslept(300_000_000);
        noted.warm_up = WarmUp::from(u64::MAX);
        noted.overslept(900_000_000);
        assert_eq!((noted.pauses.total_ns, noted.pauses.longest_ns), (500_000_000, 300_000_000));
    }

    #[test]
    fn the_clocks_agree_on_a_tenth_of_a_second_and_the_end_comes_at_once() {
        let clock = Clock::new().0;
        let watch = PauseWatch::start(clock, clock.now_ns(), 0);
        std::thread::sleep(Duration::from_millis(100));
        let pauses = watch.end();
        assert!(pauses.clock_error_ns.abs() < 5_000_000, "{pauses:?}");
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
