//! The link to the server: clients get in, are lost, and come back.

use std::net::SocketAddr;

use rustix::event::epoll;
use rustix::io::Errno;

use super::connection::Connection;
use super::operation::Stage;
use super::rpc::finish;
use super::session::{Came, State, call_of};
use super::{LOOK_MS, NfsTarget, OF_SESSION, Xid};
use crate::target::{Action, Answer, OUT_OF_REACH};

impl NfsTarget {
    /// A client that is out sets out.
    pub(super) fn set_out(&mut self, client: u32) {
        let session = &mut self.sessions[client as usize];
        if session.state.is_under_way() {
            return;
        }
        session.backoff.begin(self.now_ms);
        self.under_way += 1;
        self.try_again(client);
    }

    fn try_again(&mut self, client: u32) {
        if self.sessions[client as usize].was_in {
            // A server that begins anew may have MOUNT on another port.
            self.mount_port = self.export.mount_port;
        }
        let state = if self.mount_port.is_some() { State::Mounting } else { State::Locating };
        self.connect(client, state);
    }

    /// Connects to what a client asks next.
    fn connect(&mut self, client: u32, state: State) {
        let host = self.export.address.socket.ip();
        let address = match state {
            State::Locating => self.portmapper,
            State::Mounting => SocketAddr::new(host, self.mount_port.unwrap_or_default()),
            _ => self.export.address.socket,
        };
        let session = &mut self.sessions[client as usize];
        (session.state, session.is_connected) = (state, false);
        // The one before, to MOUNT, has served.
        (session.connection, session.heard) = (None, Vec::new());
        let begun = Connection::begin(address, self.record_size_bytes as usize).and_then(|connection| {
            let events = epoll::EventFlags::OUT;
            epoll::add(&self.epoll, connection.socket(), epoll::EventData::new_u64(client.into()), events)?;
            Ok(connection)
        });
        match begun {
            Ok(connection) => session.connection = Some(connection),
            Err(errno) => self.step(client, Err(errno.raw_os_error())),
        }
    }

    /// A connection is there, or was refused: the first call goes out.
    pub(super) fn connected(&mut self, client: u32) {
        let session = &mut self.sessions[client as usize];
        let Some(connection) = &session.connection else { return };
        if let Err(errno) = connection.connected() {
            return self.step(client, Err(errno.raw_os_error()));
        }
        session.is_connected = true;
        session.sequence = session.sequence.wrapping_add(1);
        let (procedure, arguments) = call_of(session, &self.export.path);
        self.caller.begin(&mut self.message, Xid::new(session.sequence, OF_SESSION).0, procedure);
        self.message.extend_from_slice(&arguments);
        finish(&mut self.message, &[]);
        self.watch(client);
        self.send_message(client, &[]);
    }

    /// A client takes a step on its way in, or fails to.
    pub(super) fn step(&mut self, client: u32, came: Result<Came, i32>) {
        match came {
            Ok(Came::Port(port)) => {
                self.mount_port = Some(port);
                self.connect(client, State::Mounting);
            }
            Ok(Came::Export(root)) => {
                self.sessions[client as usize].root = Some(root);
                self.connect(client, State::Attaching);
            }
            Ok(Came::Limits { read_bytes, write_bytes }) => {
                self.limits = (read_bytes, write_bytes);
                self.is_in(client);
            }
            Err(errno) => self.refused_way(client, errno),
        }
    }

    fn is_in(&mut self, client: u32) {
        let session = &mut self.sessions[client as usize];
        session.state = State::In;
        session.number = session.number.wrapping_add(1);
        self.under_way -= 1;
        if std::mem::replace(&mut session.was_in, true) {
            self.traffic.reconnections += 1;
        } else {
            self.traffic.connections += 1;
        }
        if std::mem::take(&mut session.admits) {
            self.answers.push((client * self.outstanding, 0));
        }
        for lane in self.lanes_of(client) {
            if self.lanes[lane as usize].stage == Stage::Parked
                && let Some(answer) = self.go_on(lane)
            {
                self.answers.push((lane, answer));
            }
        }
    }

    /// The way in failed: who was in before tries again for a while.
    #[cold]
    fn refused_way(&mut self, client: u32, errno: i32) {
        let session = &mut self.sessions[client as usize];
        self.refused = session.state;
        session.connection = None;
        if session.was_in
            && let Some(again_ms) = session.backoff.next_attempt_ms(self.now_ms, self.patience_ms)
        {
            (session.state, session.again_ms) = (State::Resting, again_ms);
            return;
        }
        self.under_way -= 1;
        let is_late = session.was_in || session.backoff.is_over(self.now_ms, self.patience_ms);
        session.state = if is_late { State::GivenUp } else { State::Out };
        let answer = if session.was_in { OUT_OF_REACH } else { -Answer::from(errno) };
        self.turn_away(client, answer);
    }

    /// Whoever waits for the way in is answered.
    fn turn_away(&mut self, client: u32, answer: Answer) {
        if std::mem::take(&mut self.sessions[client as usize].admits) {
            self.answers.push((client * self.outstanding, answer));
        }
        self.answer_all(client, |stage| stage == Stage::Parked, answer);
    }

    /// The connection ended: what was under way on it is answered. The client comes back with its next operation,
    /// unless the server lets it in and then says nothing.
    #[cold]
    pub(super) fn lost(&mut self, client: u32, errno: Errno) {
        let session = &mut self.sessions[client as usize];
        if session.state.is_under_way() {
            return self.step(client, Err(errno.raw_os_error()));
        }
        if session.state == State::In {
            let is_enough = errno == Errno::TIMEDOUT && session.backoff.is_unresponsive();
            session.state = if is_enough { State::GivenUp } else { State::Out };
        }
        session.part();
        // Not connected any more: it may be again.
        let errno = if errno == Errno::NOTCONN { Errno::CONNRESET } else { errno };
        let answer = -Answer::from(errno.raw_os_error());
        // Also who is parked, and would have gone on with this connection.
        self.answer_all(client, |stage| stage != Stage::Idle, answer);
    }

    /// Fails the operations that wait for a lost connection.
    pub(super) fn give_up_waiting(&mut self) {
        for client in 0..self.sessions.len() as u32 {
            if self.sessions[client as usize].state != State::In {
                self.answer_all(client, |stage| stage == Stage::Parked, -Answer::from(libc::ECONNRESET));
            }
        }
    }

    fn answer_all(&mut self, client: u32, which: impl Fn(Stage) -> bool, answer: Answer) {
        for lane in self.lanes_of(client) {
            if which(self.lanes[lane as usize].stage) {
                self.lanes[lane as usize].stage = Stage::Idle;
                self.answers.push((lane, answer));
            }
        }
    }

    /// Looks for what has taken too long, and for clients that try again.
    #[cold]
    pub(super) fn look_after(&mut self) {
        let is_due = self.now_ms >= self.look_ms;
        for client in 0..self.sessions.len() as u32 {
            let session = &self.sessions[client as usize];
            match session.state {
                State::Resting if self.now_ms >= session.again_ms => self.try_again(client),
                State::Locating | State::Mounting | State::Attaching
                    if session.backoff.is_over(self.now_ms, self.patience_ms) =>
                {
                    self.refused_way(client, libc::ETIMEDOUT);
                }
                State::In if is_due => self.look_at(client),
                _ => {}
            }
        }
        if is_due {
            self.look_ms = self.now_ms + LOOK_MS;
        }
    }

    /// An operation without an answer ends its connection: the server, or the way to it, hangs. One that the
    /// server has put off is to be begun again.
    fn look_at(&mut self, client: u32) {
        for lane in self.lanes_of(client) {
            let state = &self.lanes[lane as usize];
            if state.stage == Stage::Delayed && state.action == Action::Close {
                // Its handle is gone: nobody could ask again.
                self.call_commit(lane);
            } else if state.stage == Stage::Delayed {
                self.lanes[lane as usize].stage = Stage::Idle;
                self.answers.push((lane, -Answer::from(libc::EAGAIN)));
            } else if state.stage.is_under_way()
                && self.now_ms.saturating_sub(state.since_ms) >= self.patience_ms
            {
                return self.lost(client, Errno::TIMEDOUT);
            }
        }
    }

    /// Sends the message and the data behind it.
    #[inline]
    pub(super) fn send_message(&mut self, client: u32, data: &[u8]) {
        let Some(connection) = &mut self.sessions[client as usize].connection else {
            return self.lost(client, Errno::NOTCONN);
        };
        match connection.send(&self.message, data) {
            Ok(length) => {
                self.traffic.sent_bytes += length as u64;
                if !connection.has_sent() {
                    self.watch(client);
                }
            }
            Err(errno) => self.lost(client, errno),
        }
    }

    /// Sends what the kernel did not take before; false where the connection ended.
    #[cold]
    pub(super) fn send_more(&mut self, client: u32) -> bool {
        let Some(connection) = &mut self.sessions[client as usize].connection else { return false };
        if let Err(errno) = connection.send_more() {
            self.lost(client, errno);
            return false;
        }
        if connection.has_sent() {
            self.watch(client);
        }
        true
    }

    /// Waits for what comes, and where there is something to send, until it can be sent.
    #[cold]
    fn watch(&mut self, client: u32) {
        let Some(connection) = &self.sessions[client as usize].connection else { return };
        let mut events = epoll::EventFlags::IN;
        if !connection.has_sent() {
            events |= epoll::EventFlags::OUT;
        }
        let data = epoll::EventData::new_u64(client.into());
        if let Err(errno) = epoll::modify(&self.epoll, connection.socket(), data, events) {
            self.lost(client, errno);
        }
    }
}
