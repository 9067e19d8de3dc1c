//! What a wanted start must be.

use fsgauge_wire::{Failure, Outcome, WantedStart};

use crate::failures;
use crate::time::now_ns;

/// Who is told to wait for longer has the time of another machine.
const LONGEST_WAIT_NS: u64 = 3_600_000_000_000;

/// Checks what a job says about its start, before anything is touched.
pub fn check_start(wanted: &WantedStart) -> Outcome<()> {
    let refuse = |what: &str, cause: &str, next: &str| Err(Failure::job("start_on_order", what, cause, next));
    if wanted.on_order && wanted.at_ns.is_some() {
        let what = "start_on_order is true, and start_at_ns is given";
        return refuse(what, "there is one start", "leave one of them out");
    }
    if wanted.on_order && !wanted.has_lease {
        let what = "start_on_order is true, and there is no lease";
        return refuse(what, "orders come over the control pipe, which a lease keeps open", "add a lease");
    }
    wanted.at_ns.map_or(Ok(()), check_moment)
}

/// Checks that a start is still to come, and soon.
pub(super) fn check_moment(start_at_ns: u64) -> Outcome<()> {
    let now_ns = now_ns();
    if start_at_ns <= now_ns {
        return Err(failures::missed(now_ns - start_at_ns));
    }
    let ahead_ns = start_at_ns - now_ns;
    if ahead_ns > LONGEST_WAIT_NS {
        let what = format!("the start is {} ahead, more than an hour", failures::shown(ahead_ns));
        let cause = "it may be by the clock of another machine";
        return Err(Failure::job("start_at_ns", what, cause, "give it by CLOCK_MONOTONIC of this machine"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_one_and_to_come_and_soon() {
        let (now_ns, second_ns) = (now_ns(), 1_000_000_000);
        let code = |at_ns, on_order, has_lease| {
            check_start(&WantedStart { at_ns, on_order, has_lease }).map_err(|failure| failure.code)
        };
        assert_eq!(code(None, false, false), Ok(()));
        assert_eq!(code(Some(now_ns + second_ns), false, false), Ok(()));
        assert_eq!(code(None, true, true), Ok(()));
        assert_eq!(code(None, true, false), Err("job.start_on_order".into()));
        assert_eq!(code(Some(now_ns + second_ns), true, true), Err("job.start_on_order".into()));
        assert_eq!(code(Some(now_ns), false, false), Err("start.missed".into()));
        assert_eq!(code(Some(0), false, false), Err("start.missed".into()));
        assert_eq!(code(Some(now_ns + 100_000 * second_ns), false, false), Err("job.start_at_ns".into()));
        assert_eq!(code(Some(u64::MAX), false, false), Err("job.start_at_ns".into()));
    }
}
