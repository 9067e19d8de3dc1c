//! Frames on their way out.

use super::connection::State;
use super::lanes::{Held, Kind, Sent};
use super::requests;
use super::session::credits_of;
use super::socket::{self, Interest};
use super::target::SmbTarget;
use crate::target::{Answer, OUT_OF_REACH, Started};

const LOST: Answer = -(libc::ECONNRESET as Answer);
/// What a connection may have to say beside what its lanes do.
const BACKLOG_BYTES: usize = 64 << 10;

impl SmbTarget {
    /// Sends the frame as an operation of a lane. Without a session or credits it is kept, and the connection set
    /// up where there is none.
    #[inline]
    pub(super) fn send_or_hold(&mut self, lane: u32, kind: Kind) -> Started {
        let number = self.of_lane(lane);
        let connection = &self.connections[number as usize];
        if connection.is_up() && credits_of(self.frame.body()) <= connection.session.credits {
            return match self.send_as(lane, kind, 0) {
                true => Started::Pending,
                false => {
                    // Counted for this lane here, for the connection's other lanes with the next wait.
                    self.lanes[lane as usize].sent = None;
                    self.lose(number, libc::ECONNRESET);
                    Started::Done(LOST)
                }
            };
        }
        self.hold(lane, kind)
    }

    #[cold]
    fn hold(&mut self, lane: u32, kind: Kind) -> Started {
        let number = self.of_lane(lane);
        if self.connections[number as usize].is_given_up() {
            return Started::Done(OUT_OF_REACH);
        }
        let (body, messages) = (self.frame.body().to_vec(), self.frame.messages());
        self.lanes[lane as usize].held = Some(Held { kind, body, messages, since_ms: self.now_ms });
        if self.connections[number as usize].is_down() {
            self.begin_again(number);
        } else if self.connections[number as usize].is_up() {
            self.ask_for_credits(number);
        }
        Started::Pending
    }

    /// Sends the frame as an operation of a lane that stands at `answer` so far; whether it went out.
    #[inline]
    pub(super) fn send_as(&mut self, lane: u32, kind: Kind, answer: Answer) -> bool {
        let (messages, number) = (self.frame.messages(), self.of_lane(lane));
        let Some(first_id) = self.transmit(number) else { return false };
        let sent_ms = self.now_ms;
        self.lanes[lane as usize].sent =
            Some(Sent { kind, first_id, missing: Sent::all_of(messages), answer, sent_ms });
        true
    }

    /// Sends the frame; gives the number of its first message, none where the connection is broken.
    #[inline]
    pub(super) fn transmit(&mut self, number: u32) -> Option<u64> {
        let connection = &mut self.connections[number as usize];
        let (first_id, begin) = connection.session.complete(&mut self.frame)?;
        if let State::Greeting { handshake, .. } = &mut connection.state {
            handshake.sent(self.frame.body());
        }
        let bytes = &self.frame.bytes_mut()[begin..];
        self.traffic.sent_bytes += bytes.len() as u64;
        let written = match connection.socket() {
            Some(socket) if connection.backlog.is_empty() => socket::write(socket, bytes).ok()?,
            Some(_) => 0,
            None => return None,
        };
        if written < bytes.len() {
            // A server that asks without reading has us say more and more; lanes alone have no more than this.
            if connection.backlog.len() > 2 * connection.incoming.size_bytes() + BACKLOG_BYTES {
                return None;
            }
            let is_first = connection.backlog.is_empty();
            connection.backlog.extend_from_slice(&bytes[written..]);
            if is_first {
                socket::rewatch(&self.epoll, connection.socket()?, number, Interest::Both).ok()?;
            }
        }
        Some(first_id)
    }

    /// The socket has room again; whether the connection is whole.
    pub(super) fn send_backlog(&mut self, number: u32) -> bool {
        let connection = &mut self.connections[number as usize];
        let Some(socket) = connection.socket() else { return false };
        let Ok(written) = socket::write(socket, &connection.backlog) else { return false };
        if written == connection.backlog.len() {
            let is_changed = socket::rewatch(&self.epoll, socket, number, Interest::Read).is_ok();
            connection.backlog.clear();
            return is_changed;
        }
        connection.backlog.drain(..written);
        true
    }

    /// Sends what lanes of a connection wait with, as far as credits allow; whether the connection is whole.
    pub(super) fn send_held(&mut self, number: u32) -> bool {
        for lane in number * self.outstanding..(number + 1) * self.outstanding {
            let credits = self.connections[number as usize].session.credits;
            let Some(held) = &self.lanes[lane as usize].held else { continue };
            if held.credits() > credits {
                return self.ask_for_credits(number);
            }
            let Some(held) = self.lanes[lane as usize].held.take() else { continue };
            self.frame.copy_from(&held.body, held.messages);
            if !self.send_as(lane, held.kind, 0) {
                // It has nothing under way any more, so nobody else answers it.
                self.answers.push((lane, LOST));
                return false;
            }
        }
        true
    }

    /// Nothing is under way that would bring credits: a message that does nothing brings some.
    #[cold]
    fn ask_for_credits(&mut self, number: u32) -> bool {
        let lanes = number * self.outstanding..(number + 1) * self.outstanding;
        let is_idle = lanes.into_iter().all(|lane| self.lanes[lane as usize].sent.is_none());
        if !is_idle || self.connections[number as usize].session.credits == 0 {
            return true;
        }
        self.frame.clear();
        requests::echo(&mut self.frame);
        self.transmit(number).is_some()
    }
}
