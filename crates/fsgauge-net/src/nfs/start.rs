//! Starting an operation: which call it needs next, and sending it.

use super::open_files::OpenFile;
use super::operation::{Path, Stage};
use super::procedures::{
    Call, MAY_READ, MAY_WRITE, Stability, put_access, put_commit, put_create, put_list, put_make_directory,
    put_name, put_read, put_write,
};
use super::rpc::finish;
use super::session::State;
use super::{NfsTarget, OF_SESSION, Xid};
use crate::target::{Action, Answer, Handle, Request};

/// No operation needs so many calls but a listing: a path has eight levels, and one try more.
const CALLS_LIMIT: u32 = 64;
/// A directory that takes more replies is taken for a damaged one that has no end.
const LISTINGS_LIMIT: u32 = 1 << 20;
/// Names of one reply, as Linux asks for them at most (fs/nfs/nfs3xdr.c).
const LISTING_BYTES: u32 = 32 << 10;

impl NfsTarget {
    /// Begins an operation; the answer where none has to be waited for.
    #[inline]
    pub(super) fn begin(&mut self, lane: u32, action: Action, request: &Request<'_>) -> Option<Answer> {
        let client = self.client_of(lane);
        match *request {
            Request::Read { handle, offset_bytes, size_bytes } => {
                let open = match self.open_file(client, handle) {
                    Ok(open) => open.file,
                    Err(errno) => return Some(-Answer::from(errno)),
                };
                let size_bytes = size_bytes.min(self.limits.0);
                let state = &mut self.lanes[lane as usize];
                (state.action, state.size_bytes) = (action, size_bytes);
                self.begin_call(lane, Call::Read, Stage::Main);
                put_read(&mut self.message, &open, offset_bytes, size_bytes);
                self.send(lane, &[]);
            }
            Request::Write { handle, offset_bytes, data } => {
                let open = match self.open_file(client, handle) {
                    Ok(open) if open.may_write => open.file,
                    Ok(_) => return Some(-Answer::from(libc::EBADF)),
                    Err(errno) => return Some(-Answer::from(errno)),
                };
                let data = &data[..data.len().min(self.limits.1 as usize)];
                let state = &mut self.lanes[lane as usize];
                (state.action, state.handle, state.size_bytes) = (action, handle, data.len() as u32);
                self.begin_call(lane, Call::Write, Stage::Main);
                let stability = if self.writes_through { Stability::FileSync } else { Stability::Unstable };
                put_write(&mut self.message, &open, offset_bytes, data.len() as u32, stability);
                self.send(lane, data);
            }
            Request::Fsync { handle } => {
                let open = match self.open_file(client, handle) {
                    Ok(open) => *open,
                    Err(errno) => return Some(-Answer::from(errno)),
                };
                return self.commit(lane, action, handle, open);
            }
            Request::Close { handle } => {
                let Some(open) = self.files.get(handle).copied() else {
                    return Some(-Answer::from(libc::EBADF));
                };
                let is_there = self.open_file(client, handle).is_ok();
                self.files.remove(handle);
                match (open.uncommitted, is_there) {
                    // Nobody knows what became of it.
                    (Some(_), false) => return Some(-Answer::from(libc::ECONNRESET)),
                    (None, false) => return Some(0),
                    _ => return self.commit(lane, action, handle, open),
                }
            }
            _ => {
                self.lanes[lane as usize].take(action, &self.base, request);
                if self.keeps_names {
                    self.names.clear();
                }
                return self.enter(lane);
            }
        }
        None
    }

    /// A file that is open on the connection that its client has now.
    #[inline]
    fn open_file(&mut self, client: u32, handle: Handle) -> Result<&mut OpenFile, i32> {
        let session = &self.sessions[client as usize];
        let open = self.files.get(handle).ok_or(libc::EBADF)?;
        if session.state == State::In && session.number == open.connection {
            Ok(open)
        } else {
            Err(libc::ECONNRESET)
        }
    }

    /// Has the server make durable what it took of a file; nothing is sent where it took nothing.
    fn commit(&mut self, lane: u32, action: Action, handle: Handle, open: OpenFile) -> Option<Answer> {
        if open.uncommitted.is_none() {
            return Some(0);
        }
        let state = &mut self.lanes[lane as usize];
        (state.action, state.handle, state.open) = (action, handle, Some(open));
        self.commits |= action == Action::Close;
        self.call_commit(lane);
        None
    }

    /// Calls for what a lane commits.
    pub(super) fn call_commit(&mut self, lane: u32) {
        let Some(open) = self.lanes[lane as usize].open else { return };
        self.begin_call(lane, Call::Commit, Stage::Main);
        put_commit(&mut self.message, &open.file);
        self.send(lane, &[]);
    }

    /// Goes on where the client is in; else it waits for that.
    fn enter(&mut self, lane: u32) -> Option<Answer> {
        let client = self.client_of(lane);
        match self.sessions[client as usize].state {
            State::In => self.go_on(lane),
            State::GivenUp => self.failed(lane, libc::ENOTCONN),
            state => {
                self.lanes[lane as usize].stage = Stage::Parked;
                if state == State::Out {
                    self.set_out(client);
                }
                None
            }
        }
    }

    /// Makes the next call of an operation that begins with a path: looks directories up until they are known.
    pub(super) fn go_on(&mut self, lane: u32) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        state.calls += 1;
        let limit = if state.action == Action::List { LISTINGS_LIMIT } else { CALLS_LIMIT };
        if state.calls > limit {
            return self.failed(lane, libc::ELOOP);
        }
        let client = self.client_of(lane);
        let Some(root) = self.sessions[client as usize].root else {
            return self.failed(lane, libc::ENOTCONN);
        };
        let mut directories = [root; 2];
        let last = usize::from(self.lanes[lane as usize].action == Action::Rename);
        for (which, found) in directories.iter_mut().enumerate().take(last + 1) {
            let state = &mut self.lanes[lane as usize];
            let way = state.paths[which].directory();
            let (mut known, mut end) = (None, way.len());
            while end > 0 {
                known = self.directories.get(&way[..end]);
                if known.is_some() {
                    break;
                }
                end = way[..end].iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            }
            let directory = known.unwrap_or(root);
            if end == way.len() {
                *found = directory;
                continue;
            }
            let begin = if end == 0 { 0 } else { end + 1 };
            let next = way[begin..].iter().position(|byte| *byte == b'/').map_or(way.len(), |at| begin + at);
            state.walking = which;
            self.begin_call(lane, Call::Lookup, Stage::Way { end: next });
            let name = &self.lanes[lane as usize].paths[which].directory()[begin..next];
            put_name(&mut self.message, &directory, name);
            self.send(lane, &[]);
            return None;
        }
        self.call_main(lane, directories);
        None
    }

    /// Makes the call that is the operation; directories are known.
    fn call_main(&mut self, lane: u32, [directory, other]: [super::file_handle::FileHandle; 2]) {
        let call = match self.lanes[lane as usize].action {
            Action::MakeDirectory => Call::MakeDirectory,
            Action::Create => Call::Create,
            Action::Open | Action::Stat => Call::Lookup,
            Action::List => Call::List,
            Action::Rename => Call::Rename,
            Action::Unlink => Call::Remove,
            Action::RemoveDirectory => Call::RemoveDirectory,
            Action::Null | Action::Read | Action::Write | Action::Fsync | Action::Close => Call::Null,
        };
        self.begin_call(lane, call, Stage::Main);
        let (state, message) = (&self.lanes[lane as usize], &mut self.message);
        let name =
            |path: &'_ Path, message: &mut Vec<u8>, directory| put_name(message, directory, path.name());
        match call {
            Call::MakeDirectory => put_make_directory(message, &directory, state.paths[0].name()),
            Call::Create => put_create(message, &directory, state.paths[0].name()),
            Call::List => put_list(message, &directory, state.cookie, state.verifier, LISTING_BYTES),
            Call::Rename => {
                name(&state.paths[0], message, &directory);
                name(&state.paths[1], message, &other);
            }
            Call::Null => {}
            _ => name(&state.paths[0], message, &directory),
        }
        self.send(lane, &[]);
    }

    /// Looks up what was made, or is there already, to know what it is.
    pub(super) fn look_up(&mut self, lane: u32) -> Option<Answer> {
        let client = self.client_of(lane);
        let way = self.lanes[lane as usize].paths[0].directory();
        let known = if way.is_empty() { None } else { self.directories.get(way) };
        let Some(directory) = known.or(self.sessions[client as usize].root) else {
            return self.failed(lane, libc::ENOTCONN);
        };
        self.begin_call(lane, Call::Lookup, Stage::Rest);
        put_name(&mut self.message, &directory, self.lanes[lane as usize].paths[0].name());
        self.send(lane, &[]);
        None
    }

    /// Asks whether the file that was found may be read or written.
    pub(super) fn ask_for_access(&mut self, lane: u32) {
        let state = &self.lanes[lane as usize];
        let (Some(file), wanted) = (state.found, if state.writes { MAY_WRITE } else { MAY_READ }) else {
            return;
        };
        self.begin_call(lane, Call::Access, Stage::Rest);
        put_access(&mut self.message, &file, wanted);
        self.send(lane, &[]);
    }

    /// Asks for the attributes of the file that was found.
    pub(super) fn ask_for_attributes(&mut self, lane: u32) {
        let Some(file) = self.lanes[lane as usize].found else { return };
        self.begin_call(lane, Call::Attributes, Stage::Rest);
        file.put(&mut self.message);
        self.send(lane, &[]);
    }

    #[inline]
    fn begin_call(&mut self, lane: u32, call: Call, stage: Stage) {
        let state = &mut self.lanes[lane as usize];
        state.sequence = state.sequence.wrapping_add(1);
        (state.call, state.stage, state.since_ms) = (call, stage, self.now_ms);
        let slot = if self.outstanding == 1 { 0 } else { lane % self.outstanding };
        debug_assert!(slot < OF_SESSION);
        let xid = Xid::new(state.sequence, slot);
        self.caller.begin(&mut self.message, xid.0, call.procedure());
    }

    /// Sends the call; where that fails, the lane is answered with all others of its client.
    #[inline]
    fn send(&mut self, lane: u32, data: &[u8]) {
        finish(&mut self.message, data);
        let client = self.client_of(lane);
        self.send_message(client, data);
    }
}
