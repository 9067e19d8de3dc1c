//! The echo: tells whoever has the key what the clock says, one datagram for one datagram.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use crate::key::Key;
use crate::message::{Reply, SIZE_BYTES, parse_request};
use crate::nonces::Nonces;
use crate::time::Time;

/// How long it waits for a request before it looks whether it is over.
const TICK: Duration = Duration::from_millis(20);
/// A socket that fails so often in a row has no network any more.
const ERRORS_LIMIT: u32 = 100;

/// What an echo has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EchoCount {
    /// Requests that were answered.
    pub replies: u64,
    /// Datagrams that are no request of this key: they get no answer.
    pub refused: u64,
    /// Requests that had been answered before: they get no second answer.
    pub repeated: u64,
}

/// A clock that is served.
#[derive(Debug)]
pub struct Echo<T> {
    socket: UdpSocket,
    key: Key,
    time: T,
    answered: Nonces,
    count: EchoCount,
}

impl<T: Time> Echo<T> {
    /// Listens from now on; port 0 is one that is free.
    pub fn bind(address: IpAddr, port: u16, key: Key, time: T) -> io::Result<Self> {
        let socket = UdpSocket::bind(SocketAddr::new(address, port))?;
        socket.set_read_timeout(Some(TICK))?;
        Ok(Echo { socket, key, time, answered: Nonces::default(), count: EchoCount::default() })
    }

    /// Where it listens.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Answers until `over` gives something; it is asked after every datagram, and many times a second.
    pub fn serve<R>(&mut self, mut over: impl FnMut(&EchoCount) -> Option<R>) -> io::Result<(R, EchoCount)> {
        // One byte more than a message: a longer datagram does not pass for one.
        let mut datagram = [0; SIZE_BYTES + 1];
        let mut errors = 0;
        loop {
            if let Some(end) = over(&self.count) {
                return Ok((end, self.count));
            }
            let received = self.socket.recv_from(&mut datagram);
            let received_ns = self.time.monotonic_ns();
            match received {
                Ok((length, sender)) => {
                    errors = 0;
                    self.answer(&datagram[..length], sender, received_ns);
                }
                Err(error) if is_wait(&error) => {}
                Err(error) if errors >= ERRORS_LIMIT => return Err(error),
                Err(_) => {
                    errors += 1;
                    std::thread::sleep(TICK);
                }
            }
        }
    }

    fn answer(&mut self, datagram: &[u8], sender: SocketAddr, received_ns: u64) {
        let Some(nonce) = parse_request(datagram, &self.key) else {
            self.count.refused += 1;
            return;
        };
        if !self.answered.is_new(nonce) {
            self.count.repeated += 1;
            return;
        }
        let suspended_ns = self.time.suspended_ns();
        let replied_ns = self.time.monotonic_ns();
        let reply = Reply { nonce, received_ns, replied_ns, suspended_ns };
        // A reply that cannot be sent is one that is lost.
        if self.socket.send_to(&reply.message(&self.key), sender).is_ok() {
            self.count.replies += 1;
        }
    }
}

/// Whether a receive ended because nothing came, or for a signal.
pub(crate) fn is_wait(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
