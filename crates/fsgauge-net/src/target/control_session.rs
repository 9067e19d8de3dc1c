//! The control session: the main thread's own session on a server.

use fsgauge_wire::Failure;

use crate::target::{Answer, Target};

/// A target of one client with one lane, whose paths begin at the root of the share or the export.
pub trait ControlSession: Target + Send {
    /// Why it was not let in, out of the answer to its admission: a failure of code "network.*".
    fn refusal(&self, answer: Answer) -> Failure;

    /// What was agreed with the server, as the result names it: "SMB 3.0.2, unsigned", "NFS 3".
    fn protocol(&self) -> String;

    /// The names in the directory that was listed last, without its own and its parent's.
    fn names(&self) -> &[String];
}
