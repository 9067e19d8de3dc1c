//! CPU time of a thread between two moments, exact in sum.
//!
//! getrusage(2) splits it into user and system time, but knows of a running thread only what the last tick has
//! told: of a thread that lives for a few milliseconds, nothing. The thread's CPU clock is exact.

use fsgauge_load::instruments::cpu;

/// The first of the two moments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuTime {
    total_ns: u64,
    user_ns: u64,
    system_ns: u64,
}

impl CpuTime {
    /// Now, of the calling thread.
    pub(crate) fn of_thread() -> Self {
        let (user_ns, system_ns) = cpu::thread_user_system_ns();
        CpuTime { total_ns: cpu::thread_ns(), user_ns, system_ns }
    }

    /// User and system time since then. Their sum is exact, their shares are those that the ticks have seen.
    pub(crate) fn since(&self) -> (u64, u64) {
        let now = CpuTime::of_thread();
        let total_ns = now.total_ns - self.total_ns;
        let user_ns = now.user_ns.saturating_sub(self.user_ns);
        let system_ns = now.system_ns.saturating_sub(self.system_ns);
        let user_ns = match user_ns + system_ns {
            0 => total_ns / 2,
            seen_ns => (u128::from(total_ns) * u128::from(user_ns) / u128::from(seen_ns)) as u64,
        };
        (user_ns, total_ns - user_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_of_work_is_counted() {
        let begin = CpuTime::of_thread();
        let spun = (0..100_000u64).fold(1u64, |sum, value| std::hint::black_box(sum.wrapping_mul(value | 1)));
        let (user_ns, system_ns) = begin.since();
        assert!(user_ns + system_ns > 10_000 && spun != 0, "{user_ns} + {system_ns}");
    }
}
