//! The clock: nanoseconds since it was made, as cheaply as this machine can.
//!
//! Takes the processor's time stamp counter where it is invariant and the kernel trusts it, calibrated
//! against CLOCK_MONOTONIC; else clock_gettime. Every thread of a run copies the same clock, so their stamps
//! can be compared.
//!
//! Unsafe code: RDTSC, which has no safe wrapper.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fsgauge_clock::now_ns as monotonic_ns;
use fsgauge_wire::{ClockKind, Note, SelfMeasure};
use serde::{Deserialize, Serialize};

/// How long the counter is compared with CLOCK_MONOTONIC. Both ends are known to some 30 ns: about 2 ppm.
const CALIBRATION: Duration = Duration::from_millis(20);

/// What a clock's scale is multiplied by: 2^32.
const SCALE: f64 = 4_294_967_296.0;

/// A clock; cheap to copy. Processes of one machine may share it: both sources count the same for all.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Clock {
    kind: ClockKind,
    /// Counter or monotonic nanoseconds at zero.
    origin: u64,
    /// Nanoseconds per tick, times 2^32.
    scale: u64,
}

impl Clock {
    /// The best clock of this machine, and a note when it is not the counter.
    pub fn new() -> (Clock, Option<Note>) {
        match counter::trusted() {
            Ok(()) => (Clock::calibrated(), None),
            Err(reason) => {
                let text = format!("time is read with clock_gettime, because {reason}");
                (Clock::from_kernel(), Some(Note { code: "clock.tsc_missing".into(), text }))
            }
        }
    }

    /// The clock that a process of this machine has calibrated; a new one where that was not the counter.
    pub fn like(measured: &SelfMeasure) -> (Clock, Option<Note>) {
        let scale = (measured.clock_ns_per_tick * SCALE) as u64;
        if measured.clock != ClockKind::Tsc || scale == 0 || counter::trusted().is_err() {
            return Clock::new();
        }
        (Clock { kind: ClockKind::Tsc, origin: counter::read(), scale }, None)
    }

    fn from_kernel() -> Clock {
        Clock { kind: ClockKind::ClockGettime, origin: monotonic_ns(), scale: 0 }
    }

    fn calibrated() -> Clock {
        let (begin_ns, begin_ticks) = paired_read();
        std::thread::sleep(CALIBRATION);
        let (end_ns, end_ticks) = paired_read();
        let ticks = end_ticks.wrapping_sub(begin_ticks).max(1);
        let scale = ((u128::from(end_ns - begin_ns) << 32) / u128::from(ticks)) as u64;
        Clock { kind: ClockKind::Tsc, origin: counter::read(), scale }
    }

    /// Nanoseconds of one tick of the counter; 0 where the kernel is asked.
    pub fn ns_per_tick(&self) -> f64 {
        self.scale as f64 / SCALE
    }

    /// Where this clock reads.
    pub fn kind(&self) -> ClockKind {
        self.kind
    }

    /// Nanoseconds since the clock was made.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        if self.kind == ClockKind::Tsc {
            let ticks = counter::read().wrapping_sub(self.origin);
            ((u128::from(ticks) * u128::from(self.scale)) >> 32) as u64
        } else {
            monotonic_ns() - self.origin
        }
    }

    /// A moment of CLOCK_MONOTONIC by this clock; 0 where that is before the clock was made.
    pub fn at_monotonic(&self, monotonic_ns: u64) -> u64 {
        let (now_ns, kernel_ns) = self.paired_now();
        now_ns.saturating_add_signed(monotonic_ns.wrapping_sub(kernel_ns) as i64)
    }

    /// A moment of this clock by CLOCK_MONOTONIC.
    pub fn to_monotonic(&self, at_ns: u64) -> u64 {
        let (now_ns, kernel_ns) = self.paired_now();
        kernel_ns.saturating_add_signed(at_ns.wrapping_sub(now_ns) as i64)
    }

    /// This clock and CLOCK_MONOTONIC at the same moment.
    fn paired_now(&self) -> (u64, u64) {
        let once = |_| {
            let before_ns = self.now_ns();
            let kernel_ns = monotonic_ns();
            let gap_ns = self.now_ns() - before_ns;
            (gap_ns, before_ns + gap_ns / 2, kernel_ns)
        };
        (0..32).map(once).min().map_or((0, 0), |(_, now_ns, kernel_ns)| (now_ns, kernel_ns))
    }

    /// What one read costs, in nanoseconds: the best of several runs.
    pub fn cost_ns(&self) -> f64 {
        const READS: u32 = 4000;
        let run = || {
            let begin = monotonic_ns();
            for _ in 0..READS {
                std::hint::black_box(self.now_ns());
            }
            (monotonic_ns() - begin) as f64 / f64::from(READS)
        };
        (0..8).map(|_| run()).fold(f64::INFINITY, f64::min)
    }
}

/// The wall's time, in nanoseconds since 1970.
pub fn unix_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// CLOCK_MONOTONIC and the counter at the same moment: of several tries, the one with the shortest gap.
fn paired_read() -> (u64, u64) {
    let once = || {
        let before = counter::read();
        let ns = monotonic_ns();
        let gap = counter::read().wrapping_sub(before);
        (gap, ns, before.wrapping_add(gap / 2))
    };
    let (_, ns, ticks) = (0..32).map(|_| once()).min().unwrap_or_else(once);
    (ns, ticks)
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use std::arch::x86_64::{__cpuid, _rdtsc};

    const SOURCES: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

    #[inline]
    pub(super) fn read() -> u64 {
        // SAFETY: every x86_64 processor has RDTSC; the kernel forbids it only to processes that ask for that.
        unsafe { _rdtsc() }
    }

    /// Invariant by CPUID 8000_0007h EDX bit 8, and not thrown out by the kernel's watchdog.
    pub(super) fn trusted() -> Result<(), &'static str> {
        let invariant = __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
        if !invariant {
            return Err("the processor's time stamp counter is not invariant");
        }
        let sources = std::fs::read_to_string(SOURCES).unwrap_or_default();
        if sources.split_whitespace().any(|source| source == "tsc") {
            return Ok(());
        }
        Err("the kernel does not offer the time stamp counter as a clock source")
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    pub(super) fn read() -> u64 {
        fsgauge_clock::now_ns()
    }

    pub(super) fn trusted() -> Result<(), &'static str> {
        Err("this processor has no time stamp counter that fsgauge knows")
    }
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::Stamps;

    use super::*;

    #[test]
    fn a_clock_like_another_counts_as_it_does() {
        let first = Clock::new().0;
        let measured = SelfMeasure {
            null_ns_per_operation: 1.0,
            clock_ns_per_read: 1.0,
            clock_ns_per_tick: first.ns_per_tick(),
            clock: first.kind(),
            stamps: Stamps::Operation,
        };
        let second = Clock::like(&measured).0;
        assert_eq!((second.kind, second.scale), (first.kind, first.scale));
        assert_eq!(
            Clock::like(&SelfMeasure { clock: ClockKind::ClockGettime, ..measured }).0.kind,
            first.kind
        );
    }

    #[test]
    fn both_clocks_agree_on_a_tenth_of_a_second() {
        let (clock, kernel) = (Clock::new().0, Clock::from_kernel());
        let (begin, kernel_begin) = (clock.now_ns(), kernel.now_ns());
        std::thread::sleep(Duration::from_millis(100));
        let (end, kernel_end) = (clock.now_ns(), kernel.now_ns());
        let ratio = (end - begin) as f64 / (kernel_end - kernel_begin) as f64;
        assert!((0.98..1.02).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_moment_goes_to_the_kernels_clock_and_back() {
        for clock in [Clock::new().0, Clock::from_kernel()] {
            let kernel_ns = monotonic_ns();
            let later_ns = clock.at_monotonic(kernel_ns + 5_000_000);
            assert!(later_ns.abs_diff(clock.now_ns() + 5_000_000) < 5_000_000);
            assert!(clock.to_monotonic(later_ns).abs_diff(kernel_ns + 5_000_000) < 100_000);
            assert_eq!(clock.at_monotonic(0), 0);
        }
    }

    #[test]
    fn time_does_not_run_backwards() {
        let clock = Clock::new().0;
        let stamps: Vec<u64> = (0..10_000).map(|_| clock.now_ns()).collect();
        assert!(stamps.is_sorted());
    }
}
