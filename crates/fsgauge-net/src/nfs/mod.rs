//! The target of an NFS server, version 3 (RFC 1813): a connection a client, and nothing of the kernel's client.
//!
//! Calls go out when an operation is started, each with one write; [`Target::wait`] takes replies as they come,
//! with one read a connection. An operation is the calls that an operating system's client makes for it: opening
//! is LOOKUP and ACCESS, and closing what was written is COMMIT (Linux, fs/nfs/file.c, nfs_file_flush). Handles of
//! directories are kept, as such a client keeps them. Nothing else is: every record is sent, every read asked for.

mod connection;
mod directories;
mod file_handle;
mod housekeeper;
mod link;
mod open_files;
mod operation;
mod procedures;
mod replies;
mod rpc;
mod session;
mod start;
mod status;
#[cfg(test)]
mod tests;
mod xdr;

use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use fsgauge_wire::{Failure, OperationCall, Outcome};
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use self::directories::Directories;
use self::open_files::OpenFiles;
use self::operation::{Lane, Stage};
use self::rpc::Caller;
use self::session::{Session, State};
use crate::address::Address;
use crate::coarse_clock::coarse_ms;
use crate::target::{
    Action, Actions, Answer, LONGEST_WAIT, ListedNames, Opening, Request, Started, Target, Traffic,
};
use crate::tries::TRYING_LIMIT_MS;

/// An operation without an answer for so long has failed; a client tries so long to come back.
const PATIENCE_MS: u64 = TRYING_LIMIT_MS;
/// How often is looked for what has taken too long, and for clients that try again.
const LOOK_MS: u64 = 250;
const LOOK_UNDER_WAY_MS: u64 = 10;
/// Connections that are answered in one look.
const EVENTS: usize = 256;

/// An export of a server, and who its clients say they are.
#[derive(Debug, Clone)]
pub struct Export {
    pub(crate) address: Address,
    /// None: as the portmapper says.
    pub(crate) mount_port: Option<u16>,
    pub(crate) path: String,
    pub(crate) user_id: u32,
    pub(crate) group_id: u32,
}

impl Export {
    /// Where its server is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The export that a job names.
    pub fn of(job: &fsgauge_wire::NfsTarget) -> Outcome<Export> {
        Ok(Export {
            address: Address::resolve(&job.host, job.port)?,
            mount_port: job.mount_port,
            path: job.export.clone(),
            user_id: job.user_id,
            group_id: job.group_id,
        })
    }
}

/// A loop's clients on an export.
pub struct NfsTarget {
    export: Export,
    /// Who is asked for the port of MOUNT where the export does not name it, and that port.
    portmapper: SocketAddr,
    mount_port: Option<u16>,
    /// Before every path: empty, or a directory with a slash at its end.
    base: Vec<u8>,
    caller: Caller,
    record_size_bytes: u32,
    outstanding: u32,
    sessions: Vec<Session>,
    lanes: Vec<Lane>,
    files: OpenFiles,
    directories: Directories,
    epoll: OwnedFd,
    /// The call that is sent next.
    message: Vec<u8>,
    /// Answers that are known and not told yet.
    answers: Vec<(u32, Answer)>,
    /// The server's largest read and write, as it last said.
    limits: (u32, u32),
    started: Actions,
    commits: bool,
    makes_directories: bool,
    /// The time when replies were last taken, to some milliseconds.
    now_ms: u64,
    look_ms: u64,
    /// How long an answer, or a way back, is waited for.
    patience_ms: u64,
    /// Clients on their way in.
    under_way: u32,
    traffic: Traffic,
    /// Where the last client was that was refused.
    refused: State,
    /// Whether names of listings are kept, and those of the last.
    keeps_names: bool,
    names: ListedNames,
    /// Whether the server answers a write when it is durable.
    writes_through: bool,
}

impl NfsTarget {
    /// Clients with `outstanding` lanes each; paths are below `directory` of the export. Nobody is connected yet.
    pub fn new(
        export: &Export,
        directory: &str,
        record_size_bytes: u32,
        clients: u32,
        outstanding: u32,
    ) -> Outcome<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|errno| {
            let what = format!("the connections cannot be waited for: {errno}");
            let next = "ulimit -n";
            Failure::system("network.wait", Some(errno.raw_os_error()), what, "the kernel refused it", next)
        })?;
        let base = if directory.is_empty() { Vec::new() } else { format!("{directory}/").into_bytes() };
        let now_ms = coarse_ms();
        Ok(NfsTarget {
            caller: Caller::new(export.user_id, export.group_id),
            export: export.clone(),
            portmapper: session::portmapper(export.address.socket.ip()),
            mount_port: export.mount_port,
            base,
            record_size_bytes,
            outstanding,
            sessions: (0..clients).map(|_| Session::new()).collect(),
            lanes: (0..clients * outstanding).map(|_| Lane::new()).collect(),
            files: OpenFiles::default(),
            directories: Directories::default(),
            epoll,
            message: Vec::with_capacity(1024),
            answers: Vec::new(),
            limits: (u32::MAX, u32::MAX),
            started: Actions::default(),
            commits: false,
            makes_directories: false,
            now_ms,
            look_ms: now_ms + LOOK_MS,
            patience_ms: PATIENCE_MS,
            under_way: 0,
            traffic: Traffic::default(),
            refused: State::Out,
            keeps_names: false,
            names: ListedNames::default(),
            writes_through: false,
        })
    }

    /// A session with several lanes, which opens files so; paths begin at the export's root.
    pub fn worker(export: &Export, lanes: u32, block_size_bytes: u32, opening: Opening) -> Outcome<Self> {
        let mut target = NfsTarget::new(export, "", block_size_bytes, 1, lanes)?;
        target.writes_through = opening.is_durable;
        Ok(target)
    }

    /// The main thread's own: paths begin at the export's root.
    pub fn housekeeper(export: &Export, record_size_bytes: u32) -> Outcome<Self> {
        let mut target = NfsTarget::new(export, "", record_size_bytes, 1, 1)?;
        target.keeps_names = true;
        Ok(target)
    }

    /// The same, waiting no longer than so for an answer, and for a way back to the server.
    #[must_use]
    pub fn with_patience(mut self, limit: Duration) -> Self {
        self.patience_ms = limit.as_millis() as u64;
        self
    }

    /// The client of a lane.
    #[inline]
    fn client_of(&self, lane: u32) -> u32 {
        if self.outstanding == 1 { lane } else { lane / self.outstanding }
    }

    /// The lanes of a client.
    fn lanes_of(&self, client: u32) -> std::ops::Range<u32> {
        client * self.outstanding..(client + 1) * self.outstanding
    }

    /// What a lane's operation came to; none while it is under way.
    fn done(&mut self, lane: u32, answer: Answer) -> Option<Answer> {
        let state = &mut self.lanes[lane as usize];
        (state.stage, state.delays) = (Stage::Idle, 0);
        Some(answer)
    }

    fn failed(&mut self, lane: u32, errno: i32) -> Option<Answer> {
        self.done(lane, -Answer::from(errno))
    }

    /// Waits for connections that can be read or written. A signal ends it.
    #[inline]
    fn poll<'room>(
        &self,
        room: &'room mut [MaybeUninit<epoll::Event>],
        limit: Duration,
    ) -> io::Result<&'room [epoll::Event]> {
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
        match epoll::wait(&self.epoll, room, Some(&limit)) {
            Ok((events, _)) => Ok(events),
            Err(Errno::INTR) => Ok(&[]),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Target for NfsTarget {
    #[inline]
    fn incoming(&self, lane: u32) -> &[u8] {
        let record = self.lanes[lane as usize].incoming;
        match &self.sessions[self.client_of(lane) as usize].connection {
            Some(connection) => connection.record(record),
            None => self.sessions[self.client_of(lane) as usize]
                .heard
                .get(record.begin..record.end)
                .unwrap_or(&[]),
        }
    }

    #[inline]
    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started {
        let action = Action::of(request);
        self.started.add(action);
        self.makes_directories |= action == Action::MakeDirectory;
        self.now_ms = coarse_ms();
        match self.begin(lane, action, request) {
            Some(answer) => Started::Done(answer),
            None => Started::Pending,
        }
    }

    fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        let mut limit = limit.min(LONGEST_WAIT);
        if self.under_way > 0 {
            limit = limit.min(Duration::from_millis(LOOK_UNDER_WAY_MS));
        }
        let limit = if self.answers.is_empty() { limit } else { Duration::ZERO };
        let mut room = [const { MaybeUninit::uninit() }; EVENTS];
        let events = self.poll(&mut room, limit)?;
        self.now_ms = coarse_ms();
        for event in events {
            self.take(event.data.u64() as u32, event.flags, each);
        }
        if self.now_ms >= self.look_ms || self.under_way > 0 {
            self.look_after();
        }
        self.answers.drain(..).for_each(|(lane, answer)| each(lane, answer));
        Ok(())
    }

    fn calls(&self) -> Vec<OperationCall> {
        self.started.calls(|action| self.call(action))
    }

    fn admit(&mut self, client: u32) -> Started {
        let session = &mut self.sessions[client as usize];
        if session.state == State::In {
            return Started::Done(0);
        }
        session.admits = true;
        self.started.add(Action::MakeDirectory);
        self.now_ms = coarse_ms();
        self.set_out(client);
        Started::Pending
    }

    fn time_is_up(&mut self) {
        self.give_up_waiting();
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(self.traffic)
    }
}

impl NfsTarget {
    /// The calls that carry an action, and why these.
    fn call(&self, action: Action) -> (String, Option<String>) {
        let call = match action {
            // A client's way in.
            Action::MakeDirectory if self.makes_directories => "MOUNT MNT, NFS FSINFO, MKDIR",
            Action::MakeDirectory => "MOUNT MNT, NFS FSINFO",
            Action::Create => "NFS CREATE",
            Action::Open => "NFS LOOKUP, ACCESS",
            Action::Read => "NFS READ",
            Action::Write => "NFS WRITE",
            Action::Fsync => "NFS COMMIT",
            Action::Close if self.commits => "NFS COMMIT",
            Action::Close => "none",
            Action::Stat => "NFS LOOKUP",
            Action::List => "NFS READDIR",
            Action::Rename => "NFS RENAME",
            Action::Unlink => "NFS REMOVE",
            Action::RemoveDirectory => "NFS RMDIR",
            Action::Null => "NFS NULL",
        };
        let reason = match action {
            Action::Close if self.commits => Some(
                "NFS 3 has no close: what was written is committed, as an operating system's client does",
            ),
            Action::Close => Some("NFS 3 has no close, and nothing was written"),
            _ => None,
        };
        (call.into(), reason.map(String::from))
    }
}

/// What a message is to a lane: its number, and which lane of its client's sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Xid(u32);

/// Of a client's own, beside its lanes.
const OF_SESSION: u32 = 1 << 10;
const SLOT_BITS: u32 = 11;

impl Xid {
    fn new(sequence: u32, slot: u32) -> Self {
        Xid(sequence << SLOT_BITS | slot)
    }

    fn slot(self) -> u32 {
        self.0 & ((1 << SLOT_BITS) - 1)
    }

    fn is_of(self, sequence: u32) -> bool {
        self.0 >> SLOT_BITS == sequence & (u32::MAX >> SLOT_BITS)
    }
}
