//! The exchange: asks for the other clock many times, and keeps the fastest answer.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use fsgauge_wire::{ClockReading, Failure, Outcome, Stop};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::echo::is_wait;
use crate::failures;
use crate::key::Key;
use crate::message::{Nonce, Reply, SIZE_BYTES, request};
use crate::samples::{Sample, reading};
use crate::time::Time;

/// Requests per answer that is wanted, at most: every other one may be lost.
const REQUESTS_PER_ANSWER: u32 = 2;
/// Rest between two exchanges: a queue on the way is empty again.
const REST: Duration = Duration::from_micros(100);
/// Rest after an answer that nobody listens there: the other engine may be about to.
const REFUSED_REST: Duration = Duration::from_millis(5);

/// Whom to ask, and how often.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Where the other clock is served.
    pub peer: SocketAddr,
    /// The key that both have.
    pub key: Key,
    /// Answers that are wanted.
    pub exchanges: u32,
    /// How long one answer is waited for.
    pub timeout_ns: u64,
    /// It ends here at the latest.
    pub time_limit_ns: u64,
    /// The most that the clocks are taken to drift.
    pub drift_limit_ppm: f64,
}

/// What asking gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// How the clocks stand to each other.
    pub reading: ClockReading,
    /// Requests that were sent.
    pub requests: u32,
    /// Those that were answered in time.
    pub answers: u32,
    /// Datagrams that were not the answer waited for.
    pub ignored: u64,
}

/// Asks the peer until there are answers enough, or the time is up.
pub fn read_peer(wanted: &Exchange, time: &impl Time, stop: &Stop) -> Outcome<Found> {
    let mut asking = Asking::new(wanted, time)?;
    let end_ns = time.monotonic_ns().saturating_add(wanted.time_limit_ns);
    let most = wanted.exchanges.saturating_mul(REQUESTS_PER_ANSWER);
    let mut samples: Vec<Sample> = Vec::new();
    while asking.requests < most && samples.len() < wanted.exchanges as usize {
        let left_ns = end_ns.saturating_sub(time.monotonic_ns());
        if stop.is_set() {
            return Err(Failure::interrupted("the comparison of the clocks was interrupted"));
        }
        if left_ns == 0 {
            break;
        }
        samples.extend(asking.ask(wanted.timeout_ns.min(left_ns))?);
        std::thread::sleep(REST);
    }
    let Asking { requests, ignored, .. } = asking;
    if samples.is_empty() {
        return Err(failures::no_answer(wanted.peer, requests, ignored));
    }
    let reading = reading(&samples, wanted.drift_limit_ppm, time.suspended_ns())
        .map_err(|_| failures::jumped_within(wanted.peer))?;
    Ok(Found { reading, requests, answers: samples.len() as u32, ignored })
}

struct Asking<'w, T> {
    wanted: &'w Exchange,
    time: &'w T,
    socket: UdpSocket,
    requests: u32,
    ignored: u64,
}

impl<'w, T: Time> Asking<'w, T> {
    /// The socket is connected: the kernel drops what others send.
    fn new(wanted: &'w Exchange, time: &'w T) -> Outcome<Self> {
        let any: SocketAddr = if wanted.peer.is_ipv4() {
            (Ipv4Addr::UNSPECIFIED, 0).into()
        } else {
            (Ipv6Addr::UNSPECIFIED, 0).into()
        };
        let connect = || {
            let socket = UdpSocket::bind(any)?;
            socket.connect(wanted.peer)?;
            Ok(socket)
        };
        let socket = connect().map_err(|error| failures::no_network(&wanted.peer.to_string(), &error))?;
        Ok(Asking { wanted, time, socket, requests: 0, ignored: 0 })
    }

    /// One exchange; none when no answer came in time.
    fn ask(&mut self, timeout_ns: u64) -> Outcome<Option<Sample>> {
        let nonce = nonce()?;
        let message = request(&nonce, &self.wanted.key);
        self.requests += 1;
        self.wait_at_most(timeout_ns)?;
        let sent_ns = self.time.monotonic_ns();
        let sent = self.socket.send(&message);
        let answered = sent.and_then(|_| self.receive(&nonce, sent_ns, timeout_ns));
        match answered {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                std::thread::sleep(REFUSED_REST.min(Duration::from_nanos(timeout_ns)));
                Ok(None)
            }
            Err(error) => Err(self.no_network(&error)),
            Ok(sample) => Ok(sample),
        }
    }

    /// Waits for the reply to one request: whatever else arrives is counted and left.
    fn receive(&mut self, nonce: &Nonce, sent_ns: u64, timeout_ns: u64) -> std::io::Result<Option<Sample>> {
        let mut datagram = [0; SIZE_BYTES + 1];
        loop {
            let received = self.socket.recv(&mut datagram);
            let returned_ns = self.time.monotonic_ns();
            let waited_ns = returned_ns.saturating_sub(sent_ns);
            match received {
                Ok(length) => {
                    let reply = Reply::parse(&datagram[..length], &self.wanted.key);
                    if let Some(reply) =
                        reply.filter(|reply| reply.nonce == *nonce && waited_ns <= timeout_ns)
                    {
                        return Ok(Some(Sample {
                            sent_ns,
                            received_ns: reply.received_ns,
                            replied_ns: reply.replied_ns,
                            returned_ns,
                            peer_suspended_ns: reply.suspended_ns,
                        }));
                    }
                    self.ignored += 1;
                }
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(error),
            }
            if waited_ns >= timeout_ns {
                return Ok(None);
            }
            self.socket.set_read_timeout(Some(Duration::from_nanos(timeout_ns - waited_ns)))?;
        }
    }

    fn wait_at_most(&self, timeout_ns: u64) -> Outcome<()> {
        let timeout = Duration::from_nanos(timeout_ns.max(1000));
        self.socket.set_read_timeout(Some(timeout)).map_err(|error| self.no_network(&error))
    }

    fn no_network(&self, error: &std::io::Error) -> Failure {
        failures::no_network(&self.wanted.peer.to_string(), error)
    }
}

/// Sixteen bytes that nobody can guess.
fn nonce() -> Outcome<Nonce> {
    let mut nonce = [0; 16];
    getrandom(&mut nonce, GetRandomFlags::empty()).map_err(|error| {
        let what = format!("the kernel gives no random bytes: {error}");
        Failure::system("clock.random", Some(error.raw_os_error()), what, "it is too old", "uname -r")
    })?;
    Ok(nonce)
}
