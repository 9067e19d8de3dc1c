//! Replies: to which operation each belongs, and what it means to that.

use rustix::event::epoll;
use rustix::io::Errno;

use super::connection::Record;
use super::file_handle::FileHandle;
use super::open_files::OpenFile;
use super::operation::Stage;
use super::procedures::{Attributes, Call, MAY_READ, MAY_WRITE, Reply, listed_names, results};
use super::session::{State, came};
use super::{LOOK_MS, NfsTarget, OF_SESSION, PATIENCE_MS, Xid, rpc};
use crate::target::{Action, Answer, NAMES_LIMIT, TooManyNames};

/// So often in a row a server may ask for patience: for as long as an answer is waited for.
const DELAYS_LIMIT: u32 = (PATIENCE_MS / LOOK_MS) as u32;

impl NfsTarget {
    /// A connection can be written to, or something has come.
    #[inline]
    pub(super) fn take(&mut self, client: u32, flags: epoll::EventFlags, each: &mut dyn FnMut(u32, Answer)) {
        let session = &mut self.sessions[client as usize];
        if !session.is_connected {
            return self.connected(client);
        }
        if flags.contains(epoll::EventFlags::OUT) && !self.send_more(client) {
            return;
        }
        let only_out = epoll::EventFlags::OUT;
        if flags != only_out
            && let Err(errno) = self.receive(client, each)
        {
            self.lost(client, errno);
        }
    }

    #[inline]
    fn receive(&mut self, client: u32, each: &mut dyn FnMut(u32, Answer)) -> Result<(), Errno> {
        let Some(connection) = &mut self.sessions[client as usize].connection else { return Ok(()) };
        self.traffic.received_bytes += connection.receive()? as u64;
        // A reply may end this connection and begin another, which has nothing yet.
        while let Some(connection) = &mut self.sessions[client as usize].connection {
            let Some(record) = connection.next_record()? else { break };
            self.take_record(client, record, each)?;
        }
        Ok(())
    }

    #[inline]
    fn take_record(
        &mut self,
        client: u32,
        record: Record,
        each: &mut dyn FnMut(u32, Answer),
    ) -> Result<(), Errno> {
        let session = &self.sessions[client as usize];
        let Some(connection) = &session.connection else { return Ok(()) };
        let (xid, reply) = rpc::reply(connection.record(record)).map_err(|_| Errno::PROTO)?;
        let xid = Xid(xid);
        if xid.slot() == OF_SESSION {
            if session.state != State::In && xid.is_of(session.sequence) {
                let came = reply.and_then(|results| came(session.state, results));
                self.step(client, came);
            }
            return Ok(());
        }
        let lane = client * self.outstanding + xid.slot();
        let state = match self.lanes.get_mut(lane as usize) {
            Some(state) if xid.slot() < self.outstanding => state,
            _ => return Err(Errno::PROTO),
        };
        if !state.stage.is_under_way() || !xid.is_of(state.sequence) {
            // Too late: that operation has failed.
            return Ok(());
        }
        let found = reply.and_then(|decoder| {
            if self.keeps_names && state.call == Call::List {
                listed_names(decoder, &mut self.names).map_err(|TooManyNames| libc::ELOOP)?;
            }
            results(state.call, decoder)
        });
        if let Ok(Reply::Read { behind, .. }) = found {
            state.incoming = Record { begin: record.end - behind, end: record.end };
        }
        if let Some(answer) = self.told(lane, found) {
            self.sessions[client as usize].tries.heard();
            each(lane, answer);
        }
        Ok(())
    }

    /// What a reply means to its operation; the answer where it is done.
    #[inline]
    fn told(&mut self, lane: u32, found: Result<Reply, i32>) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        match found {
            Err(errno) => self.refused_call(lane, errno),
            Ok(Reply::Read { size_bytes, .. }) if size_bytes <= state.size_bytes => {
                self.done(lane, size_bytes.into())
            }
            // A server may give more than was asked for, and never less.
            Ok(Reply::Written { is_durable: false, .. }) if self.writes_through => {
                self.failed(lane, libc::EPROTO)
            }
            Ok(Reply::Written { size_bytes, is_durable, verifier }) if size_bytes <= state.size_bytes => {
                let handle = state.handle;
                if let Some(open) = self.files.get(handle) {
                    open.took(is_durable, verifier);
                }
                self.done(lane, size_bytes.into())
            }
            Ok(Reply::Committed { verifier }) => self.committed(lane, verifier),
            Ok(Reply::Found { file, attributes }) => self.found(lane, file, attributes),
            Ok(Reply::Allowed(allowed)) => self.allowed(lane, allowed),
            Ok(Reply::Attributes(attributes)) => self.done(lane, attributes.size()),
            Ok(Reply::Made(made)) => self.made(lane, made),
            Ok(Reply::Listed { names, cookie, verifier }) => self.listed(lane, names, cookie, verifier),
            Ok(Reply::Done) => self.done(lane, 0),
            // More than was asked for.
            Ok(_) => self.failed(lane, libc::EPROTO),
        }
    }

    /// An operation is refused, unless what it began with has changed since: then it begins anew, once.
    #[cold]
    fn refused_call(&mut self, lane: u32, errno: i32) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        let has_path = !matches!(state.call, Call::Read | Call::Write | Call::Commit | Call::Null);
        if errno == libc::ESTALE && has_path && !state.began_anew {
            state.began_anew = true;
            state.paths.iter().for_each(|path| self.directories.forget(path.directory()));
            (state.names, state.cookie, state.verifier) = (0, 0, 0);
            self.names.clear();
            return self.go_on(lane);
        }
        if errno == libc::EAGAIN && state.delays < DELAYS_LIMIT {
            state.delays += 1;
            state.stage = Stage::Delayed;
            return None;
        }
        if errno == libc::EEXIST && state.call == Call::MakeDirectory {
            // Fine, if it is a directory.
            return self.look_up(lane);
        }
        self.failed(lane, if errno == libc::EAGAIN { libc::ETIMEDOUT } else { errno })
    }

    /// What was committed is durable, unless the server has begun anew since it was written.
    fn committed(&mut self, lane: u32, verifier: u64) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        let Some(open) = state.open.take() else { return self.failed(lane, libc::EPROTO) };
        let is_lost = open.is_lost || open.uncommitted != Some(verifier);
        let handle = state.handle;
        if let Some(open) = self.files.get(handle) {
            (open.uncommitted, open.is_lost) = (None, false);
        }
        if is_lost { self.failed(lane, libc::EIO) } else { self.done(lane, 0) }
    }

    fn found(&mut self, lane: u32, file: FileHandle, attributes: Option<Attributes>) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        let is_directory = attributes.is_none_or(|attributes| attributes.is_directory);
        match (state.stage, state.action) {
            (Stage::Way { .. }, _) if !is_directory => self.failed(lane, libc::ENOTDIR),
            (Stage::Way { end }, _) => {
                self.directories.add(&state.paths[state.walking].directory()[..end], file);
                self.go_on(lane)
            }
            (_, Action::MakeDirectory) if is_directory => self.done(lane, 0),
            (_, Action::MakeDirectory) => self.failed(lane, libc::EEXIST),
            (_, Action::Create) => self.opened(lane, file, true),
            (_, Action::Stat) => match attributes {
                Some(attributes) => self.done(lane, attributes.size()),
                None => {
                    state.found = Some(file);
                    self.ask_for_attributes(lane);
                    None
                }
            },
            _ => {
                state.found = Some(file);
                self.ask_for_access(lane);
                None
            }
        }
    }

    fn allowed(&mut self, lane: u32, allowed: u32) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        let (wanted, writes) = (if state.writes { MAY_WRITE } else { MAY_READ }, state.writes);
        match state.found.take() {
            Some(file) if allowed & wanted == wanted => self.opened(lane, file, writes),
            _ => self.failed(lane, libc::EACCES),
        }
    }

    fn opened(&mut self, lane: u32, file: FileHandle, may_write: bool) -> Option<Answer> {
        let connection = self.sessions[self.client_of(lane) as usize].number;
        let open = OpenFile { file, may_write, connection, uncommitted: None, is_lost: false };
        let handle = self.files.add(open);
        self.done(lane, handle as Answer)
    }

    fn made(&mut self, lane: u32, made: Option<FileHandle>) -> Option<Answer> {
        match (self.lanes[lane as usize].action, made) {
            (Action::Create, Some(file)) => self.opened(lane, file, true),
            (Action::Create, None) => self.look_up(lane),
            _ => self.done(lane, 0),
        }
    }

    fn listed(&mut self, lane: u32, names: u32, cookie: Option<u64>, verifier: u64) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        state.names += u64::from(names);
        let Some(cookie) = cookie else {
            let names = state.names;
            return self.done(lane, names as Answer);
        };
        // The place that was asked for, once more; or more names than a directory has.
        if cookie == state.cookie {
            return self.failed(lane, libc::EPROTO);
        }
        if state.names > NAMES_LIMIT {
            return self.failed(lane, libc::ELOOP);
        }
        (state.cookie, state.verifier) = (cookie, verifier);
        self.go_on(lane)
    }
}

impl OpenFile {
    /// The server has taken data.
    fn took(&mut self, is_durable: bool, verifier: u64) {
        self.is_lost |= self.uncommitted.is_some_and(|before| before != verifier);
        if !is_durable {
            self.uncommitted = Some(verifier);
        }
    }
}
