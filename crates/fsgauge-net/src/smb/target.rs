//! The target: operations become frames, sockets are waited for, frames become answers.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use fsgauge_wire::{Failure, OperationCall, Outcome};
use rustix::event::epoll::{self, CreateFlags, Event};
use rustix::io::Errno;
use rustix::time::Timespec;

use super::access::{SmbAccess, name_of};
use super::connection::Connection;
use super::files::FileId;
use super::lanes::{Kind, Lane, Size};
use super::message::Frame;
use super::refusal::Refusal;
use super::requests;
use super::requests::{LISTING_BYTES, Requests};
use super::seal::CipherKind;
use super::sign::SigningKind;
use crate::coarse_clock::coarse_ms;
use crate::target::{
    Action, Actions, Answer, Handle, Housekeeper, ListedNames, Opening, Request, Started, Target, Traffic,
};
use crate::tries::TRYING_LIMIT_MS;

/// Header, body and padding of a message beside its data.
const AROUND_DATA_BYTES: usize = 512;
/// Records that are larger go in several messages, as no server takes more in one (Samba: 8 MiB).
const DATA_LIMIT_BYTES: u32 = 8 << 20;
/// An operation, and one try to connect, that are not answered for so long have no answer.
const ANSWER_LIMIT_MS: u64 = 30_000;
/// Sockets that one wait tells of.
const EVENTS: usize = 256;
/// Messages that one lane may have under way, and so its credits beside data.
const MESSAGES_OF_LANE: u32 = 3;

/// A thread's clients of one share.
pub struct SmbTarget {
    pub(super) access: Arc<SmbAccess>,
    pub(super) outstanding: u32,
    pub(super) credits_wanted: u32,
    requests: Requests,
    pub(super) connections: Vec<Connection>,
    pub(super) lanes: Vec<Lane>,
    pub(super) epoll: OwnedFd,
    /// What goes out next.
    pub(super) frame: Frame,
    /// Answers that came about outside a wait.
    pub(super) answers: Vec<(u32, Answer)>,
    pub(super) traffic: Traffic,
    started: Actions,
    pub(super) now_ms: u64,
    pub(super) look_ms: u64,
    /// Connections that are being set up.
    pub(super) under_way: u32,
    pub(super) refusal: Option<Refusal>,
    pub(super) signing: Option<SigningKind>,
    pub(super) cipher: Option<CipherKind>,
    pub(super) answer_limit_ms: u64,
    /// How long a lost connection is tried to be made again.
    pub(super) trying_limit_ms: u64,
    pub(super) keeps_names: bool,
    pub(super) names: ListedNames,
}

impl SmbAccess {
    /// A target for a thread's clients; paths are below the job's directory.
    pub fn clients(
        self: &Arc<Self>,
        clients: u32,
        outstanding: u32,
        record_size_bytes: u32,
    ) -> Outcome<SmbTarget> {
        SmbTarget::new(self.clone(), Size { clients, outstanding, record_size_bytes }, &self.job.directory)
    }

    /// The main thread's own session, which reads blocks of a size (0 where it reads none); paths begin at the
    /// share's root.
    pub fn housekeeper(self: &Arc<Self>, record_size_bytes: u32) -> Outcome<SmbTarget> {
        let size = Size { clients: 1, outstanding: 1, record_size_bytes };
        SmbTarget::new(self.clone(), size, "").map(SmbTarget::keeping_names)
    }

    /// A session with several lanes, which opens files so; paths begin at the share's root.
    pub fn worker(
        self: &Arc<Self>,
        lanes: u32,
        block_size_bytes: u32,
        opening: Opening,
    ) -> Outcome<SmbTarget> {
        let size = Size { clients: 1, outstanding: lanes, record_size_bytes: block_size_bytes };
        let mut target = SmbTarget::new(self.clone(), size, "")?;
        target.requests = Requests::new("", self.job.oplocks).opening_so(opening);
        Ok(target)
    }
}

impl SmbTarget {
    pub(super) fn new(access: Arc<SmbAccess>, size: Size, directory: &str) -> Outcome<Self> {
        let (clients, outstanding) = (size.clients, size.outstanding);
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(|errno| {
            let what = format!("sockets cannot be waited for: {errno}");
            let number = Some(errno.raw_os_error());
            Failure::system("network.epoll", number, what, "too many files are open", "ulimit -n 65536")
        })?;
        let of_lane = size.record_size_bytes.min(DATA_LIMIT_BYTES) as usize + AROUND_DATA_BYTES;
        let incoming_bytes = (outstanding as usize * of_lane).max(LISTING_BYTES as usize + AROUND_DATA_BYTES);
        let charge = u32::from(requests::charge(size.record_size_bytes.min(DATA_LIMIT_BYTES)));
        let requests = Requests::new(directory, access.job.oplocks);
        Ok(SmbTarget {
            access,
            outstanding,
            credits_wanted: outstanding.saturating_mul(charge.max(MESSAGES_OF_LANE)).saturating_add(4),
            requests,
            connections: (0..clients).map(|_| Connection::new(incoming_bytes)).collect(),
            lanes: (0..clients * outstanding).map(|_| Lane::default()).collect(),
            epoll,
            frame: Frame::new(),
            answers: Vec::new(),
            traffic: Traffic::default(),
            started: Actions::default(),
            now_ms: coarse_ms(),
            look_ms: 0,
            under_way: 0,
            refusal: None,
            signing: None,
            cipher: None,
            answer_limit_ms: ANSWER_LIMIT_MS,
            trying_limit_ms: TRYING_LIMIT_MS,
            keeps_names: false,
            names: ListedNames::default(),
        })
    }

    /// The same, remembering the names of what it lists.
    pub(super) fn keeping_names(mut self) -> Self {
        self.keeps_names = true;
        self
    }

    /// The same, waiting no longer than so for an answer, and for a way back to the server.
    #[must_use]
    pub fn with_patience(mut self, limit: Duration) -> Self {
        self.answer_limit_ms = limit.as_millis() as u64;
        self.trying_limit_ms = self.answer_limit_ms;
        self
    }

    /// The connection of a lane.
    #[inline]
    pub(super) fn of_lane(&self, lane: u32) -> u32 {
        lane / self.outstanding
    }

    /// Writes a request into the frame; an answer where it is known at once.
    #[inline]
    fn write(&mut self, lane: u32, request: &Request<'_>) -> Result<Kind, Answer> {
        let connection = &mut self.connections[(lane / self.outstanding) as usize];
        let file = |handle: Handle| -> Result<FileId, Answer> {
            connection.files.find(handle).map_err(|errno| -Answer::from(errno))
        };
        let (requests, frame) = (&self.requests, &mut self.frame);
        frame.clear();
        Ok(match *request {
            Request::Read { handle, offset_bytes, size_bytes } => {
                let file = file(handle)?;
                let limit = data_limit(connection.session.read_limit_bytes, connection.session.credits);
                let size_bytes = size_bytes.min(limit);
                requests::read(frame, &file, offset_bytes, size_bytes);
                Kind::Read(size_bytes)
            }
            Request::Write { handle, offset_bytes, data } => {
                let file = file(handle)?;
                let limit = data_limit(connection.session.write_limit_bytes, connection.session.credits);
                let data = &data[..data.len().min(limit as usize)];
                requests::write(frame, &file, offset_bytes, data);
                Kind::Write(data.len() as u32)
            }
            Request::Fsync { handle } => {
                requests::flush(frame, &file(handle)?);
                Kind::Simple
            }
            Request::Close { handle } => {
                requests::close(frame, Some(&file(handle)?));
                connection.files.remove(handle);
                Kind::Simple
            }
            Request::Create { path } => {
                requests.create(frame, path);
                Kind::Create
            }
            Request::Open { path, write } => {
                requests.open(frame, path, write);
                Kind::Open
            }
            Request::MakeDirectory { path } => {
                requests.make_directory(frame, path);
                Kind::MakeDirectory
            }
            Request::Stat { path } => {
                requests.stat(frame, path);
                Kind::Stat
            }
            Request::List { path } => {
                requests.list(frame, path);
                Kind::ListFirst([0; 16])
            }
            Request::Rename { from, to } => {
                requests.rename(frame, from, to);
                Kind::Chain
            }
            Request::Unlink { path } => {
                requests.unlink(frame, path);
                Kind::Chain
            }
            Request::RemoveDirectory { path } => {
                requests.remove_directory(frame, path);
                Kind::Chain
            }
            Request::Null => {
                requests::echo(frame);
                Kind::Simple
            }
        })
    }
}

impl Target for SmbTarget {
    #[inline]
    fn incoming(&self, lane: u32) -> &[u8] {
        let connection = &self.connections[self.of_lane(lane) as usize];
        connection.incoming.bytes(self.lanes[lane as usize].read.clone())
    }

    #[inline]
    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started {
        self.started.add(Action::of(request));
        if matches!(request, Request::List { .. }) {
            self.names.clear();
            self.lanes[lane as usize].listings = 0;
        }
        match self.write(lane, request) {
            Ok(kind) => self.send_or_hold(lane, kind),
            Err(answer) => Started::Done(answer),
        }
    }

    #[inline]
    fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        let limit = if self.answers.is_empty() { limit } else { Duration::ZERO };
        let timeout = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS];
        let found = match epoll::wait(&self.epoll, &mut events, Some(&timeout)) {
            Ok((events, _)) => Ok(&*events),
            Err(Errno::INTR) => Ok(&[][..]),
            Err(errno) => Err(errno),
        };
        self.now_ms = coarse_ms();
        let found = found?;
        found.iter().for_each(|event| self.happened(event.data.u64() as u32, event.flags));
        if self.now_ms >= self.look_ms {
            self.look_at_all();
        }
        self.answers.drain(..).for_each(|(lane, answer)| each(lane, answer));
        Ok(())
    }

    fn calls(&self) -> Vec<OperationCall> {
        self.started.calls(|action| (message_names(action).into(), None))
    }

    fn admit(&mut self, client: u32) -> Started {
        self.started.add(Action::MakeDirectory);
        self.now_ms = coarse_ms();
        self.begin_admission(client)
    }

    fn time_is_up(&mut self) {
        self.give_up_waiting();
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(self.traffic)
    }
}

impl Housekeeper for SmbTarget {
    fn refusal(&self, answer: Answer) -> Failure {
        let refusal = self.refusal.unwrap_or(Refusal::Connection(-answer as i32));
        refusal.failure(&self.access)
    }

    fn protocol(&self) -> String {
        let job = &self.access.job;
        let protection = match (self.cipher, self.signing) {
            (Some(cipher), _) => format!("encrypted ({})", cipher.name()),
            (None, Some(signing)) => format!("signed ({})", signing.name()),
            (None, None) => "unsigned".to_string(),
        };
        format!("SMB {}, {protection}", name_of(job.dialect))
    }

    fn names(&self) -> &[String] {
        self.names.all()
    }
}

/// The most data of a message: what the server takes, and what credits allow. While there is no session it
/// is what one credit does.
#[inline]
fn data_limit(limit_bytes: u32, credits: u32) -> u32 {
    limit_bytes.min(DATA_LIMIT_BYTES).min(credits.max(1).saturating_mul(65536)).max(1)
}

/// The messages of an operation.
fn message_names(action: Action) -> &'static str {
    match action {
        Action::MakeDirectory => {
            "SMB2 NEGOTIATE, SESSION_SETUP, TREE_CONNECT; CREATE and CLOSE of the directory"
        }
        Action::Create | Action::Open => "SMB2 CREATE",
        Action::Read => "SMB2 READ",
        Action::Write => "SMB2 WRITE",
        Action::Fsync => "SMB2 FLUSH",
        Action::Close => "SMB2 CLOSE",
        Action::Stat | Action::Unlink => "SMB2 CREATE and CLOSE in one frame",
        Action::List => "SMB2 CREATE, QUERY_DIRECTORY, CLOSE",
        Action::Rename | Action::RemoveDirectory => "SMB2 CREATE, SET_INFO and CLOSE in one frame",
        Action::Null => "SMB2 ECHO",
    }
}
