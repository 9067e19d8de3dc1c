//! Real-time priority of the calling thread, for the moments before a start.
//!
//! Unsafe code: sched_getscheduler(2), sched_getparam(2) and sched_setscheduler(2), which rustix does not wrap. They
//! are called as system calls: musl's functions of these names refuse.

use libc::{SCHED_FIFO, SCHED_RR, c_int, sched_param};

/// The lowest real-time priority is above all ordinary ones.
const PRIORITY: c_int = 1;

/// The calling thread has real-time priority until this is dropped, in the same thread.
#[derive(Debug)]
pub(crate) struct RealTime {
    /// Policy and priority that it had; none where those were real-time already.
    before: Option<(c_int, c_int)>,
    /// It belongs to its thread: pointers are not sent.
    _own_thread: std::marker::PhantomData<*const ()>,
}

impl RealTime {
    /// Asks the kernel for it; none where that is not allowed (CAP_SYS_NICE, or RLIMIT_RTPRIO).
    pub(crate) fn ask() -> Option<RealTime> {
        let (policy, priority) = scheduler()?;
        let had = [SCHED_FIFO, SCHED_RR].contains(&policy);
        if !had && !set_scheduler(SCHED_FIFO, PRIORITY) {
            return None;
        }
        let before = (!had).then_some((policy, priority));
        Some(RealTime { before, _own_thread: std::marker::PhantomData })
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        if let Some((policy, priority)) = self.before {
            // Giving up is always allowed.
            set_scheduler(policy, priority);
        }
    }
}

/// Policy and priority of the calling thread.
fn scheduler() -> Option<(c_int, c_int)> {
    let mut param = sched_param { sched_priority: 0 };
    // SAFETY: 0 is the calling thread; nothing is written.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    // SAFETY: 0 is the calling thread; the call fills the structure, which lives on this stack.
    let filled = unsafe { libc::syscall(libc::SYS_sched_getparam, 0, &raw mut param) };
    (policy >= 0 && filled == 0).then_some((policy as c_int, param.sched_priority))
}

fn set_scheduler(policy: c_int, priority: c_int) -> bool {
    let param = sched_param { sched_priority: priority };
    // SAFETY: 0 is the calling thread; the structure is read during the call only.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const param) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_is_given_back_as_it_was() {
        let before = scheduler().unwrap();
        let Some(real_time) = RealTime::ask() else {
            eprintln!("skipped: real-time priority is not allowed here");
            return;
        };
        assert_eq!(scheduler().unwrap(), (SCHED_FIFO, PRIORITY));
        drop(real_time);
        assert_eq!(scheduler().unwrap(), before);
    }
}
