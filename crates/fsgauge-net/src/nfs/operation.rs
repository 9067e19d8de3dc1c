//! What a lane has under way: an operation is one call, or several.

use std::ffi::CStr;

use super::connection::Record;
use super::file_handle::FileHandle;
use super::open_files::OpenFile;
use super::procedures::Call;
use crate::target::{Action, Handle, Request};

/// Where an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing is under way.
    Idle,
    /// It begins when the connection is there.
    Parked,
    /// A directory on the way is looked up, which ends here in its path.
    Way { end: usize },
    /// The call that is the operation.
    Main,
    /// What the answer to it left open.
    Rest,
    /// The server asked for patience: it is begun again a little later.
    Delayed,
}

/// A path below the export: its directory, and the name in it.
#[derive(Debug, Default)]
pub(super) struct Path {
    bytes: Vec<u8>,
    directory_end: usize,
    name_begin: usize,
}

impl Stage {
    /// Whether a reply is waited for.
    #[inline]
    pub(super) fn is_under_way(self) -> bool {
        !matches!(self, Stage::Idle | Stage::Parked | Stage::Delayed)
    }
}

impl Path {
    /// Takes a path below `base`, which ends in a slash or is empty; of a directory itself, `whole`.
    #[inline]
    fn set(&mut self, base: &[u8], path: &CStr, whole: bool) {
        self.bytes.clear();
        self.bytes.extend_from_slice(base);
        self.bytes.extend_from_slice(path.to_bytes());
        let slash = self.bytes.iter().rposition(|byte| *byte == b'/');
        (self.directory_end, self.name_begin) = match slash {
            _ if whole => (self.bytes.len(), self.bytes.len()),
            Some(at) => (at, at + 1),
            None => (0, 0),
        };
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.directory_end, self.name_begin) = (0, 0);
    }

    pub(super) fn directory(&self) -> &[u8] {
        &self.bytes[..self.directory_end]
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.bytes[self.name_begin..]
    }
}

/// A lane.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) action: Action,
    pub(super) stage: Stage,
    /// What was called last, and when; answers to others are too late.
    pub(super) call: Call,
    pub(super) sequence: u32,
    pub(super) since_ms: u64,
    /// The path, and of a renaming also where to.
    pub(super) paths: [Path; 2],
    /// Which of the two is on its way.
    pub(super) walking: usize,
    pub(super) calls: u32,
    pub(super) began_anew: bool,
    /// How often in a row the server has asked for patience.
    pub(super) delays: u32,
    /// Whether a file is opened to be written.
    pub(super) writes: bool,
    pub(super) handle: Handle,
    pub(super) size_bytes: u32,
    /// A file that is closed, or is to be opened.
    pub(super) open: Option<OpenFile>,
    pub(super) found: Option<FileHandle>,
    /// Of a listing: how far it is.
    pub(super) names: u64,
    pub(super) cookie: u64,
    pub(super) verifier: u64,
    /// What its last read gave, in what its connection received.
    pub(super) incoming: Record,
}

impl Lane {
    pub(super) fn new() -> Self {
        Lane {
            action: Action::Null,
            stage: Stage::Idle,
            call: Call::Null,
            sequence: 0,
            since_ms: 0,
            paths: Default::default(),
            walking: 0,
            calls: 0,
            began_anew: false,
            delays: 0,
            writes: false,
            handle: 0,
            size_bytes: 0,
            open: None,
            found: None,
            names: 0,
            cookie: 0,
            verifier: 0,
            incoming: Record { begin: 0, end: 0 },
        }
    }

    /// Takes an operation that begins with a path. Paths are below `base`.
    #[inline]
    pub(super) fn take(&mut self, action: Action, base: &[u8], request: &Request<'_>) {
        debug_assert_eq!(self.stage, Stage::Idle, "the lane has an operation in flight");
        self.action = action;
        (self.walking, self.calls, self.began_anew) = (0, 0, false);
        (self.names, self.cookie, self.verifier) = (0, 0, 0);
        (self.open, self.found) = (None, None);
        self.paths[1].clear();
        match *request {
            Request::MakeDirectory { path }
            | Request::Create { path }
            | Request::Stat { path }
            | Request::Unlink { path }
            | Request::RemoveDirectory { path } => self.paths[0].set(base, path, false),
            Request::Open { path, write } => {
                self.writes = write;
                self.paths[0].set(base, path, false);
            }
            Request::List { path } => self.paths[0].set(base, path, true),
            Request::Rename { from, to } => {
                self.paths[0].set(base, from, false);
                self.paths[1].set(base, to, false);
            }
            Request::Read { .. }
            | Request::Write { .. }
            | Request::Fsync { .. }
            | Request::Close { .. }
            | Request::Null => self.paths[0].clear(),
        }
    }
}
