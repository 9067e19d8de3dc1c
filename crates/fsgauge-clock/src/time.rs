//! Time as the kernel of this machine has it.

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

const NS_PER_S: u64 = 1_000_000_000;
/// A thread may lose its processor between two clocks: of several tries, the one with the shortest gap counts.
const TRIES: usize = 5;

/// The clocks of a machine.
pub trait Time {
    /// CLOCK_MONOTONIC.
    fn monotonic_ns(&self) -> u64;

    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC: it grows when the machine is suspended, to a few microseconds.
    fn suspended_ns(&self) -> i64;
}

/// The clocks of this machine, in this process's time namespace.
#[derive(Debug, Clone, Copy, Default)]
pub struct KernelTime;

impl Time for KernelTime {
    fn monotonic_ns(&self) -> u64 {
        now_ns()
    }

    fn suspended_ns(&self) -> i64 {
        let once = |_| {
            let (before_ns, boot_ns, after_ns) = (now_ns(), boot_ns(), now_ns());
            let gap_ns = after_ns - before_ns;
            (gap_ns, boot_ns as i64 - (before_ns + gap_ns / 2) as i64)
        };
        (0..TRIES).map(once).min().map_or(0, |(_, suspended_ns)| suspended_ns)
    }
}

/// CLOCK_MONOTONIC of this machine.
#[inline]
pub fn now_ns() -> u64 {
    read_ns(ClockId::Monotonic)
}

/// CLOCK_BOOTTIME of this machine: CLOCK_MONOTONIC, and the time for which it was suspended.
pub fn boot_ns() -> u64 {
    read_ns(ClockId::Boottime)
}

#[inline]
fn read_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * NS_PER_S + now.tv_nsec as u64
}

/// Sleeps until CLOCK_MONOTONIC is `at_ns`; a moment that has passed is no sleep. Signals do not end it.
pub fn sleep_until(at_ns: u64) {
    let at = Timespec { tv_sec: (at_ns / NS_PER_S) as i64, tv_nsec: (at_ns % NS_PER_S) as _ };
    // It fails when a signal came, or for a time that no clock will show.
    while now_ns() < at_ns && clock_nanosleep_absolute(ClockId::Monotonic, &at).is_err() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_ends_when_it_should_and_not_before() {
        let at_ns = now_ns() + 3_000_000;
        sleep_until(at_ns);
        assert!(now_ns() >= at_ns);
        sleep_until(at_ns - 1_000_000);
    }

    #[test]
    fn the_difference_of_the_two_clocks_holds() {
        let (one_ns, other_ns) = (KernelTime.suspended_ns(), KernelTime.suspended_ns());
        assert!((one_ns - other_ns).abs() < 10_000_000, "{one_ns} {other_ns}");
    }
}
