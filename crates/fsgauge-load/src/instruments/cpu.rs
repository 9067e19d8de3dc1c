//! CPU time: of the calling thread, and of the whole machine.
//!
//! Unsafe code: getrusage(2), which rustix does not wrap.

use fsgauge_wire::MachineCpu;
use rustix::time::{ClockId, clock_gettime};

/// User and system time of the calling thread, in nanoseconds.
pub fn thread_user_system_ns() -> (u64, u64) {
    let nanoseconds = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    // SAFETY: a zeroed rusage is valid and the call fills it; RUSAGE_THREAD has existed since Linux 2.6.26.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    (nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime))
}

/// CPU time of the calling thread, exact.
pub fn thread_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// How long the thread that made it has waited for a processor, as the scheduler says (schedstat).
#[derive(Debug)]
pub struct RunQueue {
    file: Option<std::fs::File>,
    begin_ns: u64,
}

impl RunQueue {
    /// Of the calling thread; opened now, so that reading it later is one call.
    pub fn of_thread() -> Self {
        let mut queue =
            RunQueue { file: std::fs::File::open("/proc/thread-self/schedstat").ok(), begin_ns: 0 };
        queue.begin();
        queue
    }

    /// Counts from now on.
    pub fn begin(&mut self) {
        self.begin_ns = self.read().unwrap_or(0);
    }

    /// Ready to run and without a processor since the beginning; none where the kernel does not say.
    pub fn waited_ns(&self) -> Option<u64> {
        self.read().map(|now_ns| now_ns.saturating_sub(self.begin_ns))
    }

    fn read(&self) -> Option<u64> {
        let mut text = [0; 128];
        let length = rustix::io::pread(self.file.as_ref()?, &mut text, 0).ok()?;
        parse_schedstat(std::str::from_utf8(&text[..length]).ok()?)
    }
}

/// Nanoseconds on a processor, nanoseconds in a run queue, slices. All are 0 where the kernel does not count.
fn parse_schedstat(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace().map(str::parse::<u64>);
    let (_, waited_ns, slices) = (words.next()?.ok()?, words.next()?.ok()?, words.next()?.ok()?);
    (slices > 0).then_some(waited_ns)
}

/// CPU time of the machine since it started; zeros where /proc/stat cannot be read.
pub fn machine() -> MachineCpu {
    parse_stat(&std::fs::read_to_string("/proc/stat").unwrap_or_default())
}

/// The first line of /proc/stat: user nice system idle iowait irq softirq steal (guest time is in user).
fn parse_stat(text: &str) -> MachineCpu {
    let nanoseconds_per_tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<u64> =
        line.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    let total: u64 = ticks.iter().sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    MachineCpu { busy_ns: (total - idle) * nanoseconds_per_tick, total_ns: total * nanoseconds_per_tick }
}

/// What the machine spent between two readings.
pub fn machine_between(begin: &MachineCpu, end: &MachineCpu) -> MachineCpu {
    MachineCpu {
        busy_ns: end.busy_ns.saturating_sub(begin.busy_ns),
        total_ns: end.total_ns.saturating_sub(begin.total_ns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_not_busy() {
        let cpu = parse_stat("cpu  10 1 5 100 20 2 3 4 50 0\ncpu0 1 1 1 1\n");
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        assert_eq!((cpu.busy_ns, cpu.total_ns), (25 * tick, 145 * tick));
    }

    #[test]
    fn waiting_for_a_processor_is_read_where_the_kernel_counts_it() {
        assert_eq!(parse_schedstat("1200 340 7\n"), Some(340));
        assert_eq!(parse_schedstat("0 0 0\n"), None);
        assert_eq!(parse_schedstat(""), None);
        assert!(RunQueue::of_thread().waited_ns().is_none_or(|waited_ns| waited_ns < 60_000_000_000));
    }

    #[test]
    fn work_is_counted() {
        let begin = thread_ns();
        let spun =
            (0..2_000_000u64).fold(1u64, |sum, value| std::hint::black_box(sum.wrapping_mul(value | 1)));
        assert!(thread_ns() > begin && spun != 0);
    }
}
