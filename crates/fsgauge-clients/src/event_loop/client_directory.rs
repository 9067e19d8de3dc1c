//! Clients that failed to connect: one that connects later creates its directory first.

use fsgauge_net::{Answer, Request, Started, Target, kind_of, message_of};
use fsgauge_wire::{ClientErrorKind, ClientOperation, FileOrder};

use super::EventLoop;
use crate::client::Sequence;
use crate::file_set::{Directory, FileNumber, PathBuffer};
use crate::plan::Plan;

/// The state of a client's directory, as its lanes know it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum DirectoryState {
    /// It exists, or the phase needs none.
    #[default]
    Ready,
    /// Its client has to read it before it knows which file is first.
    Unread,
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
        if plan.job.order == FileOrder::Directory { DirectoryState::Unread } else { DirectoryState::Ready }
    }
}

impl<T: Target> EventLoop<'_, T> {
    /// Reads the directory of a lane's client, whose files come in its order from now on.
    #[cold]
    pub(super) fn read_directory(&mut self, lane: u32) {
        let client = self.lanes[lane as usize].client;
        let member = &mut self.clients[client as usize];
        let (number, files) = (member.count.number, self.context.plan.job.files.files_per_client);
        let (mut path, mut numbers) = (PathBuffer::new(), Vec::with_capacity(files as usize));
        let path = self.context.plan.names.directory(Directory::Client { client: number }, &mut path);
        let begin_ns = self.context.clock.now_ns();
        let answer = self.target.read_directory(path, &mut |name| {
            let found = FileNumber::of_name(name.to_bytes());
            numbers
                .extend(found.filter(|found| found.client == number && found.file < files).map(|of| of.file));
        });
        self.now_ns = self.context.clock.now_ns();
        let kind = (answer < 0).then(|| kind_of(-answer as i32));
        match kind {
            None => {
                let asked_ns = self.times[lane as usize].asked_ns;
                let (response_ns, service_ns) =
                    (self.now_ns.saturating_sub(asked_ns), self.now_ns - begin_ns);
                self.tally.of(ClientOperation::List).record(response_ns, service_ns);
                member.client.follow(Sequence::listed(numbers, files));
            }
            // Its files come by number then, and say what is wrong with them.
            Some(kind) => {
                let words = || (self.context.plan.shown(path), message_of(-answer as i32));
                self.tally.error(ClientOperation::List, kind, self.now_ns, words);
            }
        }
        let outstanding = self.context.plan.job.outstanding;
        let lanes = (client * outstanding) as usize..((client + 1) * outstanding) as usize;
        let now_ns = self.now_ns;
        self.times[lanes].iter_mut().for_each(|times| times.directory = DirectoryState::Ready);
        self.times[lane as usize].asked_ns = now_ns;
    }

    /// Marks the directory of a client that failed to connect: its lanes create it before anything else. Where the
    /// server refused the directory itself nothing is retried: the answer would be the same for each file.
    pub(super) fn mark_directory_missing(&mut self, client: u32, kind: ClientErrorKind) {
        if !is_of_connection(kind) {
            return;
        }
        let outstanding = self.context.plan.job.outstanding;
        let lanes = (client * outstanding) as usize..((client + 1) * outstanding) as usize;
        self.times[lanes].iter_mut().for_each(|times| times.directory = DirectoryState::Missing);
    }

    /// Starts to create the directory of a lane's client.
    #[cold]
    pub(super) fn create_directory(&mut self, lane: u32) {
        let client = self.lanes[lane as usize].client;
        let number = self.clients[client as usize].count.number;
        let mut path = PathBuffer::new();
        let path = self.context.plan.names.directory(Directory::Client { client: number }, &mut path);
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
            let number = self.clients[client as usize].count.number;
            let mut path = PathBuffer::new();
            let path = self.context.plan.names.directory(Directory::Client { client: number }, &mut path);
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
