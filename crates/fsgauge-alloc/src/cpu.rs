//! Processor time of the engine.
//!
//! Unsafe code: getrusage(2), which rustix does not wrap.

/// Time in user mode and in the kernel, in nanoseconds.
pub(crate) fn user_system_ns() -> (u64, u64) {
    let nanoseconds = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    // SAFETY: a zeroed rusage is valid and the call fills it; RUSAGE_SELF exists everywhere.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    (nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime))
}
