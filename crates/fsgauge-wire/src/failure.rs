//! A failure as a person reads it: what happened, the likely cause, the next step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a job that was stopped.
const INTERRUPTED: &str = "interrupted";

/// Why a job was refused or did not finish. Sentences carry no final full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EngineFault")]
pub struct Failure {
    /// What happened, with path, offset and size where there are any.
    pub what: String,
    /// The likely cause.
    pub cause: String,
    /// What to do next, as a command where there is one.
    pub next: String,
    /// The kernel's error number, where the kernel refused.
    pub errno: Option<i32>,
    /// A stable name: "job.*" for a wrong job, else the part that failed.
    pub code: String,
}

impl Failure {
    /// A job that cannot be right: the caller changes it. `code` goes without "job.".
    pub fn job(
        code: &str,
        what: impl Into<String>,
        cause: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        let code = format!("job.{code}");
        Failure { what: what.into(), cause: cause.into(), next: next.into(), errno: None, code }
    }

    /// A kernel, device or machine that did not do what a right job asked.
    pub fn system(
        code: &str,
        errno: Option<i32>,
        what: impl Into<String>,
        cause: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Failure { what: what.into(), cause: cause.into(), next: next.into(), errno, code: code.into() }
    }

    /// A job that was stopped before it had anything to give.
    pub fn interrupted(what: impl Into<String>) -> Self {
        Failure::system(INTERRUPTED, None, what, "SIGINT, SIGTERM, or an order to stop", "run it again")
    }

    /// The engine's exit code: 2 for a wrong job, 130 for one that was stopped, 3 for a machine that failed.
    pub fn exit_code(&self) -> u8 {
        match self.code.as_str() {
            INTERRUPTED => 130,
            code if code.starts_with("job.") => 2,
            _ => 3,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {} ({})", self.code, self.what, self.cause)
    }
}

impl std::error::Error for Failure {}
