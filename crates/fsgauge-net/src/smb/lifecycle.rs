//! Connections come, go, and come again.

use std::io;
use std::net::TcpStream;

use rustix::rand::{GetRandomFlags, getrandom};

use super::connection::State;
use super::handshake::Handshake;
use super::refusal::Refusal;
use super::session::Session;
use super::socket;
use super::socket::Interest;
use super::target::SmbTarget;
use crate::coarse_clock::coarse_ms;
use crate::dial::{dial, dialled};
use crate::target::{Answer, OUT_OF_REACH, Started};

/// How often connections are looked at that nobody hears of: in general, and while some wait to be tried again.
const LOOK_MS: u64 = 250;
const LOOK_AT_RESTING_MS: u64 = 10;
/// Of those that were lost, so many are set up at a time: hundreds at once would not fit before a server's door.
const AGAIN_AT_A_TIME: u32 = 16;

impl SmbTarget {
    /// Lets a client in, with one try; its first lane is answered.
    pub(super) fn begin_admission(&mut self, client: u32) -> Started {
        let connection = &mut self.connections[client as usize];
        if connection.is_up() {
            return Started::Done(0);
        }
        connection.is_admitted = true;
        connection.backoff.begin(self.now_ms);
        self.try_to_connect(client);
        Started::Pending
    }

    /// Sets a connection up for the operations that wait for it, with several tries.
    pub(super) fn begin_again(&mut self, number: u32) {
        // The last wait may have been long ago.
        self.now_ms = coarse_ms();
        self.connections[number as usize].backoff.begin(self.now_ms);
        self.try_to_connect(number);
    }

    fn try_to_connect(&mut self, number: u32) {
        let connection = &mut self.connections[number as usize];
        if connection.is_out_of_time(self.now_ms, self.trying_limit_ms) {
            return self.give_up(number);
        }
        if !connection.is_admitted && self.under_way >= AGAIN_AT_A_TIME {
            connection.state = State::Resting { until_ms: self.now_ms };
            self.look_ms = self.look_ms.min(self.now_ms + LOOK_AT_RESTING_MS);
            return;
        }
        self.under_way += 1;
        connection.begun_ms = self.now_ms;
        connection.session = Session::new(self.credits_wanted);
        let begun = dial(&self.access.address.socket).map_err(io::Error::from).and_then(|socket| {
            let socket = TcpStream::from(socket);
            socket::watch(&self.epoll, &socket, number, Interest::Write)?;
            Ok(socket)
        });
        match begun {
            Ok(socket) => connection.state = State::Connecting { socket },
            Err(error) => {
                self.refused(number, Refusal::Connection(error.raw_os_error().unwrap_or(libc::EIO)))
            }
        }
    }

    /// The socket has connected, or not.
    #[cold]
    pub(super) fn connected(&mut self, number: u32) {
        let connection = &mut self.connections[number as usize];
        let State::Connecting { socket } = std::mem::replace(&mut connection.state, State::Down) else {
            return;
        };
        let made = dialled(&socket)
            .map_err(io::Error::from)
            .and_then(|()| socket::rewatch(&self.epoll, &socket, number, Interest::Read));
        if let Err(error) = made {
            let errno = error.raw_os_error().unwrap_or(libc::EIO);
            return self.refused(number, Refusal::Connection(errno));
        }
        let mut handshake = Box::new(Handshake::new(self.access.clone()));
        handshake.begin(&mut self.frame, &random());
        connection.state = State::Greeting { socket, handshake };
        if self.transmit(number).is_none() {
            self.refused(number, Refusal::Connection(libc::ECONNRESET));
        }
    }

    /// A session is set up: operations that wait for it continue.
    #[cold]
    pub(super) fn came_up(&mut self, number: u32) {
        let connection = &mut self.connections[number as usize];
        let socket = match std::mem::replace(&mut connection.state, State::Down) {
            State::Greeting { socket, .. } => socket,
            _ => return,
        };
        connection.state = State::Up { socket };
        self.under_way -= 1;
        (self.signing, self.cipher) = (connection.session.signing, connection.session.cipher);
        match std::mem::replace(&mut connection.was_up, true) {
            true => self.traffic.reconnections += 1,
            false => self.traffic.connections += 1,
        }
        if std::mem::take(&mut connection.is_admitted) {
            self.answers.push((number * self.outstanding, 0));
        }
        if !self.send_held(number) {
            self.lose(number, libc::ECONNRESET);
        }
    }

    /// An attempt failed: another one follows, or the waiting operations fail.
    #[cold]
    pub(super) fn refused(&mut self, number: u32, refusal: Refusal) {
        self.refusal = Some(refusal);
        self.under_way -= 1;
        let connection = &mut self.connections[number as usize];
        connection.drop_socket();
        if std::mem::take(&mut connection.is_admitted) {
            self.answers.push((number * self.outstanding, -Answer::from(refusal.errno())));
            return;
        }
        if refusal.is_final() {
            return self.give_up_held(number, -Answer::from(refusal.errno()));
        }
        let connection = &mut self.connections[number as usize];
        match connection.backoff.next_attempt_ms(self.now_ms, self.trying_limit_ms) {
            Some(until_ms) => {
                connection.state = State::Resting { until_ms };
                self.look_ms = self.look_ms.min(self.now_ms + LOOK_AT_RESTING_MS);
            }
            None => self.give_up(number),
        }
    }

    /// The time for trying is over: nobody waits for this connection again.
    fn give_up(&mut self, number: u32) {
        self.connections[number as usize].state = State::GivenUp;
        self.give_up_held(number, OUT_OF_REACH);
    }

    fn give_up_held(&mut self, number: u32, answer: Answer) {
        for lane in number * self.outstanding..(number + 1) * self.outstanding {
            if self.lanes[lane as usize].held.take().is_some() {
                self.answers.push((lane, answer));
            }
        }
    }

    /// Fails the operations that wait for a lost session.
    pub(super) fn give_up_waiting(&mut self) {
        for number in 0..self.connections.len() as u32 {
            if !self.connections[number as usize].is_up() {
                self.give_up_held(number, -Answer::from(libc::ECONNRESET));
            }
        }
    }

    /// A session is gone, with its files and with what was under way. The next operation sets it up again, unless
    /// the server lets clients in and then says nothing.
    #[cold]
    pub(super) fn lose(&mut self, number: u32, errno: i32) {
        // The kinds that count are these; a frame that is no frame is the protocol's.
        let errno = match errno {
            libc::EPROTO | libc::ETIMEDOUT => errno,
            _ => libc::ECONNRESET,
        };
        let connection = &mut self.connections[number as usize];
        connection.drop_socket();
        connection.files.lose_all();
        if errno == libc::ETIMEDOUT && connection.backoff.is_unresponsive() {
            connection.state = State::GivenUp;
        }
        for lane in number * self.outstanding..(number + 1) * self.outstanding {
            let state = &mut self.lanes[lane as usize];
            if state.sent.take().is_some() | state.held.take().is_some() {
                self.answers.push((lane, -Answer::from(errno)));
            }
        }
    }

    /// Looks at connections that nothing is heard of: those that are due to be tried, and those that are late.
    #[cold]
    pub(super) fn look_at_all(&mut self) {
        let mut is_resting = false;
        for number in 0..self.connections.len() as u32 {
            let connection = &self.connections[number as usize];
            let is_late = self.now_ms.saturating_sub(connection.begun_ms) > self.answer_limit_ms
                || connection.is_out_of_time(self.now_ms, self.trying_limit_ms);
            match &connection.state {
                State::Resting { until_ms } if *until_ms <= self.now_ms => self.try_to_connect(number),
                State::Connecting { .. } | State::Greeting { .. } if is_late => {
                    self.refused(number, Refusal::Connection(libc::ETIMEDOUT));
                }
                State::Up { .. } if self.has_late(number) => self.lose(number, libc::ETIMEDOUT),
                _ => {}
            }
            is_resting |= matches!(self.connections[number as usize].state, State::Resting { .. });
        }
        self.look_ms = self.now_ms + if is_resting { LOOK_AT_RESTING_MS } else { LOOK_MS };
    }

    fn has_late(&self, number: u32) -> bool {
        let lanes = number * self.outstanding..(number + 1) * self.outstanding;
        // What is held waits for credits, and at the earliest since this session was begun.
        let begun_ms = self.connections[number as usize].begun_ms;
        lanes.into_iter().any(|lane| {
            let lane = &self.lanes[lane as usize];
            let sent_ms = lane.sent.map(|sent| sent.sent_ms);
            let since_ms = sent_ms.or(lane.held.as_ref().map(|held| held.since_ms.max(begun_ms)));
            since_ms.is_some_and(|since_ms| self.now_ms.saturating_sub(since_ms) > self.answer_limit_ms)
        })
    }
}

/// A name for the client, and what no one else begins with.
fn random() -> [u8; 48] {
    let mut bytes = [0; 48];
    // The kernel has some ever since it is up (getrandom(2)); without, sessions only resemble each other.
    let _ = getrandom(&mut bytes, GetRandomFlags::empty());
    bytes
}
