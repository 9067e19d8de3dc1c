//! The steps that a file is taken through.

use fsgauge_wire::ClientOperation;

use crate::plan::Task;

/// What is asked for next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing: a file is to be taken first.
    Begin,
    Create,
    /// The second half of a creation in two steps.
    CloseCreated,
    OpenToWrite,
    OpenToRead,
    Write,
    Read,
    Fsync,
    Close,
    /// To the name beside a file's own.
    RenameAway,
    /// From there to its own.
    Rename,
    Stat,
    List,
    Unlink,
    /// Closes a file that is given up.
    CloseFailed,
    /// Removes a file that is given up.
    UnlinkFailed,
}

impl Step {
    /// The first step of a task.
    pub(super) fn first(task: Task) -> Step {
        match task {
            Task::Write | Task::WriteInTwoSteps | Task::Make | Task::Save => Step::Create,
            Task::Read => Step::OpenToRead,
            Task::Stat => Step::Stat,
            Task::Rename => Step::RenameAway,
            Task::List => Step::List,
            Task::Unlink | Task::Clear | Task::Drop => Step::Unlink,
        }
    }

    /// The operation that a step belongs to.
    #[inline]
    pub(super) fn operation(self) -> ClientOperation {
        match self {
            Step::Create | Step::CloseCreated => ClientOperation::Create,
            Step::OpenToWrite | Step::OpenToRead => ClientOperation::Open,
            Step::Write => ClientOperation::Write,
            Step::Read => ClientOperation::Read,
            Step::Fsync => ClientOperation::Fsync,
            Step::Close | Step::CloseFailed => ClientOperation::Close,
            Step::RenameAway | Step::Rename => ClientOperation::Rename,
            Step::Stat | Step::Begin => ClientOperation::Stat,
            Step::List => ClientOperation::List,
            Step::Unlink | Step::UnlinkFailed => ClientOperation::Unlink,
        }
    }

    /// What follows when this step has failed; a handle is gone whatever its close says.
    pub(super) fn after_failure(self, leaves_behind: bool) -> Step {
        match self {
            Step::Write | Step::Read | Step::Fsync => Step::CloseFailed,
            Step::Close | Step::CloseFailed | Step::Rename if leaves_behind => Step::UnlinkFailed,
            _ => Step::Begin,
        }
    }

    /// What follows when this step is not asked for any more.
    pub(super) fn after_abandoning(self, leaves_behind: bool) -> Step {
        match self {
            Step::CloseCreated | Step::Write | Step::Read | Step::Fsync | Step::Close | Step::CloseFailed => {
                Step::CloseFailed
            }
            Step::Rename | Step::UnlinkFailed if leaves_behind => Step::UnlinkFailed,
            // A file that was renamed gets its own name back.
            Step::Rename => Step::Rename,
            _ => Step::Begin,
        }
    }
}
