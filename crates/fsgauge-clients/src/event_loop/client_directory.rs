//! A client's own directory: entered, read for the order of its files, or created first by a client that failed to
//! connect and connects later.

use std::ffi::CStr;

use fsgauge_net::{Answer, Request, Started, Target, kind_of, message_of};
use fsgauge_wire::{ClientErrorKind, ClientOperation, FileOrder};

use super::EventLoop;
use crate::client::Listed;
use crate::file_set::{Directory, PathBuffer};
use crate::plan::Plan;

/// The state of a client's directory, as its lanes know it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum DirectoryState {
    /// It exists, or the phase needs none.
    #[default]
    Ready,
    /// Its client comes to its files as it gives their names.
    Listed,
    /// Its client could not connect to create it.
    Missing,
    /// The lane is creating it.
    Creating,
    /// The connection was lost again: the current file fails, and the next one retries.
    Failed,
}

impl DirectoryState {
    /// The state in which a job begins.
    pub(super) fn at_first(plan: &Plan) -> Self {
        if plan.job.order == FileOrder::Directory { DirectoryState::Listed } else { DirectoryState::Ready }
    }
}

impl<T: Target> EventLoop<'_, T> {
    /// Whether a lane that is to take its next file has to read names first.
    #[inline]
    pub(super) fn is_short_of_names(&self, lane: u32) -> bool {
        let state = &self.lanes[lane as usize];
        state.is_idle() && self.clients[state.client as usize].client.is_short_of_names()
    }

    /// Reads more names of the directory of a lane's client, those of one call: an operation of its own. The lane is
    /// ready again, unless the time is up.
    #[cold]
    pub(super) fn read_names(&mut self, lane: u32) {
        let client = self.lanes[lane as usize].client;
        let begin_ns = self.context.clock.now_ns();
        let answer = self.next_names(client);
        self.now_ns = self.context.clock.now_ns();
        if self.now_ns >= self.window.next_ns {
            self.cross(self.now_ns);
        }
        let times = &mut self.times[lane as usize];
        let (response_ns, service_ns) = (self.now_ns.saturating_sub(times.asked_ns), self.now_ns - begin_ns);
        times.asked_ns = self.now_ns;
        match answer {
            Ok(()) => self.tally.of(ClientOperation::List).record(response_ns, service_ns),
            // What it has not given comes by number then, and says what is wrong with it.
            Err(answer) => {
                let mut path = PathBuffer::new();
                let path = self.own_directory(client, &mut path);
                let (kind, plan) = (kind_of(-answer as i32), self.context.plan);
                let words = || (plan.shown(path), message_of(-answer as i32));
                self.tally.error(ClientOperation::List, kind, self.now_ns, words);
                self.set_directory(client, DirectoryState::Ready);
            }
        }
        if self.is_draining() {
            self.drained.operations += u64::from(answer.is_ok());
            return self.lane_ended(lane, self.now_ns);
        }
        self.ready.push_back(lane);
    }

    /// The names of one call, of a directory that is opened first where it is not open yet.
    fn next_names(&mut self, client: u32) -> Result<(), Answer> {
        let mut path = PathBuffer::new();
        let path = self.own_directory(client, &mut path);
        let member = &mut self.clients[client as usize];
        if member.client.listed().is_none() {
            let directory = self.target.open_directory(path)?;
            let files = member.client.files();
            member.client.follow(Listed::new(member.count.number, files, directory));
        }
        let Some(listed) = member.client.listed() else { return Ok(()) };
        listed.read_on(|directory, each| Ok(self.target.read_names(directory, each)?.is_some()))
    }

    /// Enters the directory of a loop's only client: nothing else is asked for.
    pub(crate) fn enter_directory(&mut self) {
        let mut path = PathBuffer::new();
        let path = self.own_directory(0, &mut path);
        self.target.enter(path);
    }

    /// The path of a client's own directory.
    fn own_directory<'path>(&self, client: u32, path: &'path mut PathBuffer) -> &'path CStr {
        let number = self.clients[client as usize].count.number;
        self.context.plan.names.directory(Directory::Client { client: number }, path)
    }

    /// What all lanes of a client know of its directory from now on.
    fn set_directory(&mut self, client: u32, state: DirectoryState) {
        let outstanding = self.context.plan.job.outstanding;
        let lanes = (client * outstanding) as usize..((client + 1) * outstanding) as usize;
        self.times[lanes].iter_mut().for_each(|times| times.directory = state);
    }

    /// Marks the directory of a client that failed to connect: its lanes create it before anything else. Where the
    /// server refused the directory itself nothing is retried: the answer would be the same for each file.
    pub(super) fn mark_directory_missing(&mut self, client: u32, kind: ClientErrorKind) {
        if !is_of_connection(kind) {
            return;
        }
        self.set_directory(client, DirectoryState::Missing);
    }

    /// Starts to create the directory of a lane's client.
    #[cold]
    pub(super) fn create_directory(&mut self, lane: u32) {
        let client = self.lanes[lane as usize].client;
        let mut path = PathBuffer::new();
        let path = self.own_directory(client, &mut path);
        self.times[lane as usize].directory = DirectoryState::Creating;
        match self.target.start(lane, &Request::MakeDirectory { path }) {
            Started::Done(answer) => {
                self.now_ns = self.context.clock.now_ns();
                self.directory_created(lane, answer, self.now_ns);
            }
            Started::Pending => self.pending += 1,
        }
    }

    /// Takes the answer. The lane is ready again; this wait is in no response time.
    #[cold]
    pub(super) fn directory_created(&mut self, lane: u32, answer: Answer, at_ns: u64) {
        let client = self.lanes[lane as usize].client;
        let kind = kind_of(-answer as i32);
        let times = &mut self.times[lane as usize];
        times.asked_ns = at_ns;
        times.directory =
            if answer < 0 && is_of_connection(kind) { DirectoryState::Failed } else { DirectoryState::Ready };
        if self.is_draining() {
            // Creating its directory is not an operation: the lane has requested none.
            self.lane_ended(lane, at_ns);
        } else {
            self.ready.push_back(lane);
        }
        if answer < 0 {
            let mut path = PathBuffer::new();
            let path = self.own_directory(client, &mut path);
            let errno = -answer as i32;
            let words = || (self.context.plan.shown(path), message_of(errno));
            self.tally.error(ClientOperation::Connect, kind, at_ns, words);
        }
    }
}

fn is_of_connection(kind: ClientErrorKind) -> bool {
    use ClientErrorKind::{ConnectionLost, ConnectionRefused, LoginRefused, Protocol, TimedOut};
    matches!(kind, ConnectionLost | ConnectionRefused | LoginRefused | Protocol | TimedOut)
}
