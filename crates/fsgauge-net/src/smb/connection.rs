//! One client's connection: its socket, its session, what it has received, and how far it is.

use std::net::TcpStream;

use super::files::Files;
use super::handshake::Handshake;
use super::incoming::Incoming;
use super::session::Session;
use crate::backoff::Backoff;

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
    pub(super) backoff: Backoff,
    /// Since when this try is.
    pub(super) begun_ms: u64,
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
            backoff: Backoff::new(),
            begun_ms: 0,
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
        !self.is_admitted && self.backoff.is_over(now_ms, limit_ms)
    }

    /// Lets the socket go, with everything that hangs on it.
    pub(super) fn drop_socket(&mut self) {
        self.state = State::Down;
        self.session = Session::default();
        self.incoming.clear();
        self.backlog.clear();
    }
}
