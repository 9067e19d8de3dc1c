//! One client's connection: its socket, its session, what it has received, and how far it is.

use std::net::TcpStream;

use super::files::Files;
use super::handshake::Handshake;
use super::incoming::Incoming;
use super::session::Session;

/// Between two tries to connect again; twice as long each time.
pub(super) const BACKOFF_MIN_MS: u64 = 50;
const BACKOFF_MAX_MS: u64 = 1000;
/// After so long without a session, what waits for it is given up.
pub(super) const TRYING_LIMIT_MS: u64 = 30_000;

/// How far a connection is.
#[derive(Debug)]
pub(super) enum State {
    /// Nobody has asked for it, or it was lost.
    Down,
    /// It waits before it is tried again.
    Resting { until_ms: u64 },
    /// The socket connects.
    Connecting { socket: TcpStream },
    /// The session is set up.
    Greeting { socket: TcpStream, handshake: Box<Handshake> },
    /// Operations go over it.
    Up { socket: TcpStream },
    /// It was tried long enough.
    GivenUp,
}

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) state: State,
    pub(super) session: Session,
    pub(super) incoming: Incoming,
    pub(super) files: Files,
    /// What the socket had no room for.
    pub(super) backlog: Vec<u8>,
    /// It is being let in: one try, and the answer is the client's.
    pub(super) is_admitted: bool,
    pub(super) was_up: bool,
    /// How often in a row an operation had no answer.
    pub(super) silences: u32,
    /// Since when it is tried, and this try.
    pub(super) trying_since_ms: u64,
    pub(super) begun_ms: u64,
    pub(super) backoff_ms: u64,
}

impl Connection {
    pub(super) fn new(incoming_bytes: usize) -> Self {
        Connection {
            state: State::Down,
            session: Session::default(),
            incoming: Incoming::new(incoming_bytes),
            files: Files::default(),
            backlog: Vec::new(),
            is_admitted: false,
            was_up: false,
            silences: 0,
            trying_since_ms: 0,
            begun_ms: 0,
            backoff_ms: BACKOFF_MIN_MS,
        }
    }

    pub(super) fn socket(&self) -> Option<&TcpStream> {
        match &self.state {
            State::Connecting { socket } | State::Greeting { socket, .. } | State::Up { socket } => {
                Some(socket)
            }
            State::Down | State::Resting { .. } | State::GivenUp => None,
        }
    }

    #[inline]
    pub(super) fn is_up(&self) -> bool {
        matches!(self.state, State::Up { .. })
    }

    /// Whether it is not up nor on the way, and may be tried.
    pub(super) fn is_down(&self) -> bool {
        matches!(self.state, State::Down)
    }

    pub(super) fn is_given_up(&self) -> bool {
        matches!(self.state, State::GivenUp)
    }

    /// Whether it has been tried for so long that nothing waits for it any more. Who is let in has one try, as
    /// long as that takes.
    pub(super) fn is_out_of_time(&self, now_ms: u64, limit_ms: u64) -> bool {
        !self.is_admitted && now_ms.saturating_sub(self.trying_since_ms) > limit_ms
    }

    /// Lets the socket go, with everything that hangs on it.
    pub(super) fn drop_socket(&mut self) {
        self.state = State::Down;
        self.session = Session::default();
        self.incoming.clear();
        self.backlog.clear();
    }

    /// When the next try is, if there is one: not after the limit.
    pub(super) fn rest(&mut self, now_ms: u64, limit_ms: u64) -> bool {
        if now_ms.saturating_sub(self.trying_since_ms) + self.backoff_ms > limit_ms {
            return false;
        }
        self.state = State::Resting { until_ms: now_ms + self.backoff_ms };
        self.backoff_ms = (2 * self.backoff_ms).min(BACKOFF_MAX_MS);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_grow_apart_and_end() {
        let mut connection = Connection::new(64);
        let (mut now_ms, mut rests) = (7, Vec::new());
        connection.trying_since_ms = now_ms;
        while connection.rest(now_ms, TRYING_LIMIT_MS) {
            let State::Resting { until_ms } = connection.state else { panic!() };
            rests.push(until_ms - now_ms);
            now_ms = until_ms;
        }
        assert_eq!(rests[..6], [50, 100, 200, 400, 800, 1000]);
        assert!(rests[6..].iter().all(|rest| *rest == 1000) && rests.len() < 40);
        assert!((29_000..=30_000).contains(&(now_ms - 7)));
    }
}
