//! A refusal: what is wrong with a job, and what to do about it.

use fsgauge_wire::Failure;

/// A check passes, or refuses the job.
pub(super) type Check = Result<(), Failure>;

pub(super) fn refuse(key: &str, what: String, cause: &str, next: &str) -> Check {
    Err(Failure::job(key, what, cause, next))
}
