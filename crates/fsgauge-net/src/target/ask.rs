//! Synchronous requests, one at a time: what the engine does on a server beside the clients.

use std::io;
use std::time::Duration;

use fsgauge_wire::{Failure, Outcome};

use super::{Answer, ControlSession, Request, Started, Target, Waiting};

/// The longest wait; then the stop flag is checked.
const LOOK: Duration = Duration::from_millis(20);

/// Starts a request on the target's first lane and waits for its answer; `-EINTR` when it is to stop.
pub fn ask(
    target: &mut dyn Target,
    request: &Request<'_>,
    waiting: impl Into<Waiting>,
) -> io::Result<Answer> {
    let waiting = waiting.into();
    // An earlier request may still be on the lane that it was given up on.
    if waiting.is_over() {
        return Ok(-Answer::from(libc::ETIMEDOUT));
    }
    let started = target.start(0, request);
    ask_for(target, started, waiting)
}

/// Waits for the answer of what was started on the target's first lane; `-EINTR` when it is to stop.
pub fn ask_for(target: &mut dyn Target, started: Started, waiting: impl Into<Waiting>) -> io::Result<Answer> {
    let waiting = waiting.into();
    let mut given = match started {
        Started::Done(answer) => Some(answer),
        Started::Pending => None,
    };
    while given.is_none() {
        if waiting.is_stopped() {
            return Ok(-Answer::from(libc::EINTR));
        }
        if waiting.is_over() {
            return Ok(-Answer::from(libc::ETIMEDOUT));
        }
        target.wait(LOOK, &mut |_, answer| given = Some(answer))?;
    }
    Ok(given.unwrap_or_default())
}

/// Connects the control session; `network.*` where it is refused.
pub fn admit(control_session: &mut dyn ControlSession, waiting: impl Into<Waiting>) -> Outcome<()> {
    let started = control_session.admit(0);
    let answer = ask_for(control_session, started, waiting).map_err(|error| wait_failure(&error))?;
    if answer < 0 { Err(control_session.refusal(answer)) } else { Ok(()) }
}

/// Sockets cannot be waited for.
pub fn wait_failure(error: &io::Error) -> Failure {
    let what = format!("waiting for the server's answers failed: {error}");
    Failure::system("network.wait", error.raw_os_error(), what, "the kernel refused it", "dmesg | tail")
}
