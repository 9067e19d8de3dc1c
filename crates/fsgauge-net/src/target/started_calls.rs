//! Which operations were started, and which call carries each.

use fsgauge_wire::{ClientOperation, OperationCall};

use crate::target::Request;

/// What a target has one call for. The order is that of the operations in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "each is the request of its name")]
pub enum Action {
    MakeDirectory,
    Create,
    Open,
    Read,
    Write,
    Fsync,
    Close,
    Stat,
    List,
    Rename,
    Unlink,
    RemoveDirectory,
    Null,
}

impl Action {
    /// Those that are operations of the result; the others are the engine's own.
    pub const ALL: [Action; 11] = [
        Action::MakeDirectory,
        Action::Create,
        Action::Open,
        Action::Read,
        Action::Write,
        Action::Fsync,
        Action::Close,
        Action::Stat,
        Action::List,
        Action::Rename,
        Action::Unlink,
    ];

    /// The action that a request asks for.
    #[inline]
    pub fn of(request: &Request<'_>) -> Self {
        match request {
            Request::MakeDirectory { .. } => Action::MakeDirectory,
            Request::Create { .. } => Action::Create,
            Request::Open { .. } => Action::Open,
            Request::Read { .. } => Action::Read,
            Request::Write { .. } => Action::Write,
            Request::Fsync { .. } => Action::Fsync,
            Request::Close { .. } => Action::Close,
            Request::Stat { .. } => Action::Stat,
            Request::List { .. } => Action::List,
            Request::Rename { .. } => Action::Rename,
            Request::Unlink { .. } => Action::Unlink,
            Request::RemoveDirectory { .. } => Action::RemoveDirectory,
            Request::Null => Action::Null,
        }
    }

    /// What the result calls it.
    fn operation(self) -> ClientOperation {
        match self {
            Action::MakeDirectory | Action::RemoveDirectory | Action::Null => ClientOperation::Connect,
            Action::Create => ClientOperation::Create,
            Action::Open => ClientOperation::Open,
            Action::Read => ClientOperation::Read,
            Action::Write => ClientOperation::Write,
            Action::Fsync => ClientOperation::Fsync,
            Action::Close => ClientOperation::Close,
            Action::Stat => ClientOperation::Stat,
            Action::List => ClientOperation::List,
            Action::Rename => ClientOperation::Rename,
            Action::Unlink => ClientOperation::Unlink,
        }
    }

    /// What io_uring calls it.
    pub fn ring_call(self) -> &'static str {
        match self {
            Action::Read => "read",
            Action::Write => "write",
            Action::Stat => "statx",
            other => other.plain_call(),
        }
    }

    /// The plain system call.
    pub fn plain_call(self) -> &'static str {
        match self {
            Action::MakeDirectory => "mkdirat",
            Action::Create | Action::Open => "openat",
            Action::Read => "pread",
            Action::Write => "pwrite",
            Action::Fsync => "fsync",
            Action::Close => "close",
            Action::Stat => "newfstatat",
            Action::List => "getdents64",
            Action::Rename => "renameat",
            Action::Unlink | Action::RemoveDirectory => "unlinkat",
            Action::Null => "none",
        }
    }
}

/// A set of actions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Actions(u16);

impl Actions {
    /// The set of these.
    pub fn of(actions: &[Action]) -> Self {
        let mut set = Actions::default();
        actions.iter().for_each(|action| set.add(*action));
        set
    }

    /// The actions that are in both.
    pub fn and(self, other: Actions) -> Self {
        Actions(self.0 & other.0)
    }

    /// Adds an action.
    #[inline]
    pub fn add(&mut self, action: Action) {
        self.0 |= 1 << action as u8;
    }

    /// Whether an action is in it.
    #[inline]
    pub fn has(self, action: Action) -> bool {
        self.0 & (1 << action as u8) != 0
    }

    /// The calls of these actions, as `call` names each with the reason why it is not io_uring.
    pub fn calls(self, call: impl Fn(Action) -> (String, Option<String>)) -> Vec<OperationCall> {
        let one = |action: &Action| {
            let (call, reason) = call(*action);
            OperationCall { operation: action.operation(), call, reason }
        };
        Action::ALL.iter().filter(|action| self.has(**action)).map(one).collect()
    }
}
