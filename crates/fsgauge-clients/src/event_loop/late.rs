//! Clients that did not get through the door: one that gets in later makes its directory first.

use fsgauge_net::{Answer, Request, Started, Target, kind_of, message_of};
use fsgauge_wire::{ClientErrorKind, ClientOperation};

use super::EventLoop;
use crate::file_set::{Directory, PathBuffer};

/// What a lane knows of its client's directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// It is there, or nobody needs it.
    #[default]
    There,
    /// Its client was refused before it could make it.
    Missing,
    /// The lane makes it.
    Making,
    /// The connection was lost again: the file that is under way fails by itself, and the next one tries again.
    Failed,
}

impl<T: Target> EventLoop<'_, T> {
    /// The lanes of a client that did not get in make its directory before anything else. A server that has
    /// answered is not asked again: its answer would be the same, once for each file.
    pub(super) fn comes_late(&mut self, client: u32, kind: ClientErrorKind) {
        if !is_of_connection(kind) {
            return;
        }
        let outstanding = self.around.plan.job.outstanding;
        let lanes = (client * outstanding) as usize..((client + 1) * outstanding) as usize;
        self.times[lanes].iter_mut().for_each(|times| times.place = Place::Missing);
    }

    /// Starts making the directory of a lane's client.
    #[cold]
    pub(super) fn make_place(&mut self, lane: u32) {
        let client = self.lanes[lane as usize].client;
        let number = self.clients[client as usize].count.number;
        let mut path = PathBuffer::new();
        let path = self.around.plan.names.directory(Directory::Client { client: number }, &mut path);
        self.times[lane as usize].place = Place::Making;
        match self.target.start(lane, &Request::MakeDirectory { path }) {
            Started::Done(answer) => {
                self.now_ns = self.around.clock.now_ns();
                self.place_made(lane, answer, self.now_ns);
            }
            Started::Pending => self.pending += 1,
        }
    }

    /// Takes the answer. The lane stands in line again; what it waited is in no response.
    #[cold]
    pub(super) fn place_made(&mut self, lane: u32, answer: Answer, at_ns: u64) {
        let client = self.lanes[lane as usize].client;
        let kind = kind_of(-answer as i32);
        let times = &mut self.times[lane as usize];
        times.asked_ns = at_ns;
        times.place = if answer < 0 && is_of_connection(kind) { Place::Failed } else { Place::There };
        if self.is_draining() {
            // Making its directory is no operation: it has not asked for any.
            self.late(lane, at_ns);
        } else {
            self.ready.push_back(lane);
        }
        if answer < 0 {
            let number = self.clients[client as usize].count.number;
            let mut path = PathBuffer::new();
            let path = self.around.plan.names.directory(Directory::Client { client: number }, &mut path);
            let errno = -answer as i32;
            let words = || (self.around.plan.shown(path), message_of(errno));
            self.tally.error(ClientOperation::Connect, kind, at_ns, words);
        }
    }
}

fn is_of_connection(kind: ClientErrorKind) -> bool {
    use ClientErrorKind::{ConnectionLost, ConnectionRefused, LoginRefused, Protocol, TimedOut};
    matches!(kind, ConnectionLost | ConnectionRefused | LoginRefused | Protocol | TimedOut)
}
