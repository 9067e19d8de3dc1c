//! The first session: whether the server takes the clients, what nothing costs, and the target's directory.

use std::ffi::CString;
use std::time::Instant;

use fsgauge_net::{Address, ControlSession, Request, Waiting, admit, ask, make_directories, wait_failure};
use fsgauge_wire::{ClientsJob, Failure, Outcome, Phase};

use super::paths::directory_of;

/// So many operations that do nothing are timed; the median counts.
const NULLS: usize = 21;
/// On one machine nothing takes some 50 microseconds. Forty milliseconds are a delayed acknowledgement that waits
/// for Nagle's algorithm, and would be in every operation that is measured.
const NULL_LIMIT_NS: u64 = 5_000_000;

/// Lets the first session in. Gives the protocol as agreed, and how long an operation takes that does nothing.
pub(super) fn prepare(
    control_session: &mut dyn ControlSession,
    job: &ClientsJob,
    address: &Address,
    waiting: &Waiting,
) -> Outcome<(String, u64)> {
    admit(control_session, waiting)?;
    let nulls_ns = null_operations_ns(control_session, waiting)?;
    if address.is_loopback() && is_slow(&nulls_ns) {
        return Err(slow_null(address, nulls_ns[NULLS / 2]));
    }
    if matches!(job.phase, Phase::Write { .. }) {
        make_directories(control_session, directory_of(&job.target), address, waiting)?;
    }
    Ok((control_session.protocol(), nulls_ns[NULLS / 2]))
}

/// What operations took that do nothing, the fastest first.
fn null_operations_ns(control_session: &mut dyn ControlSession, waiting: &Waiting) -> Outcome<[u64; NULLS]> {
    let mut times_ns = [0; NULLS];
    for time_ns in &mut times_ns {
        let begin = Instant::now();
        let answer = ask(control_session, &Request::Null, waiting).map_err(|error| wait_failure(&error))?;
        if answer < 0 {
            return Err(control_session.refusal(answer));
        }
        *time_ns = begin.elapsed().as_nanos() as u64;
    }
    times_ns.sort_unstable();
    Ok(times_ns)
}

/// Whether something holds messages back. Then all are slow; of a busy machine's, some are not.
fn is_slow(nulls_ns: &[u64; NULLS]) -> bool {
    nulls_ns[NULLS / 4] > NULL_LIMIT_NS
}

/// A path for a request; jobs whose paths have a zero in them are refused.
pub(super) fn c_path(path: &str) -> CString {
    CString::new(path).unwrap_or_default()
}

fn slow_null(address: &Address, null_operation_ns: u64) -> Failure {
    let what = format!(
        "a null operation takes {} microseconds on {address}, on this machine",
        null_operation_ns / 1000
    );
    let cause = "small messages are delayed (Nagle's algorithm, a shaped loopback device), or the \
                 machine is overloaded: every operation would be measured with it";
    Failure::system("network.slow_null", None, what, cause, "uptime; tc qdisc show dev lo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_every_message_back_is_seen_and_a_busy_machine_is_not_it() {
        assert!(is_slow(&[40_000_000; NULLS]));
        let busy = |at: usize| if at < 8 { 200_000 } else { 20_000_000 };
        assert!(!is_slow(&std::array::from_fn(busy)));
    }
}
