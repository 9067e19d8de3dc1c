//! What the tests share: clocks with a planted offset, and a proxy that does to datagrams what networks do.

#![allow(dead_code, reason = "each test file uses its part")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fsgauge_clock::{Echo, EchoCount, Exchange, KernelTime, Key, Time, now_ns};
use fsgauge_wire::ClockKey;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub fn key(digit: &str) -> Key {
    Key::new(&ClockKey(digit.repeat(64))).unwrap()
}

/// A clock that is ahead, and gains.
#[derive(Debug, Clone, Copy)]
pub struct Planted {
    pub ahead_ns: i64,
    pub gains_ppm: f64,
    pub since_ns: u64,
}

impl Planted {
    pub fn ahead(ahead_ns: i64) -> Self {
        Planted { ahead_ns, gains_ppm: 0.0, since_ns: now_ns() }
    }

    /// What it shows when the kernel's clock shows `kernel_ns`.
    pub fn at(&self, kernel_ns: u64) -> i64 {
        let age_ns = kernel_ns as i64 - self.since_ns as i64;
        kernel_ns as i64 + self.ahead_ns + (age_ns as f64 * self.gains_ppm / 1e6) as i64
    }
}

impl Time for Planted {
    fn monotonic_ns(&self) -> u64 {
        self.at(now_ns()) as u64
    }

    fn suspended_ns(&self) -> i64 {
        KernelTime.suspended_ns()
    }
}

/// A thread that ends when this is dropped.
pub struct Worker<R> {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<R>>,
}

impl<R: Send + 'static> Worker<R> {
    fn spawn(work: impl FnOnce(Arc<AtomicBool>) -> R + Send + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let told = is_over.clone();
        Worker { is_over, thread: Some(std::thread::spawn(move || work(told))) }
    }

    /// Ends it and gives what it found.
    pub fn end(mut self) -> R {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl<R> Drop for Worker<R> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Serves a clock until it is ended; gives what it saw.
pub fn serve(time: impl Time + Send + 'static, key: Key) -> (SocketAddr, Worker<EchoCount>) {
    let mut echo = Echo::bind(HERE, 0, key, time).unwrap();
    let address = echo.local_address().unwrap();
    let work =
        move |over: Arc<AtomicBool>| echo.serve(|_| over.load(Ordering::Relaxed).then_some(())).unwrap().1;
    (address, Worker::spawn(work))
}

/// Asks so often, with time limits for a machine that is busy with other things.
pub fn exchange(peer: SocketAddr, exchanges: u32) -> Exchange {
    Exchange {
        peer,
        key: key("a"),
        exchanges,
        timeout_ns: 100_000_000,
        time_limit_ns: 20_000_000_000,
        drift_limit_ppm: 50.0,
    }
}

/// Which way a datagram goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    There,
    Back,
}

/// What becomes of a datagram: what arrives in its place, each after so long.
pub type Fate = Vec<(Duration, Vec<u8>)>;

/// A proxy in front of a clock. `fate` decides about each datagram.
pub fn proxy(
    server: SocketAddr,
    mut fate: impl FnMut(Way, &[u8]) -> Fate + Send + 'static,
) -> (SocketAddr, Worker<()>) {
    let (front, back) = (UdpSocket::bind((HERE, 0)).unwrap(), UdpSocket::bind((HERE, 0)).unwrap());
    back.connect(server).unwrap();
    front.set_nonblocking(true).unwrap();
    back.set_nonblocking(true).unwrap();
    let address = front.local_addr().unwrap();
    let work = move |over: Arc<AtomicBool>| {
        let mut client = None;
        let mut due = BinaryHeap::new();
        let mut datagram = [0; 2048];
        while !over.load(Ordering::Relaxed) {
            let next_ns =
                due.peek().map_or(10_000_000, |Reverse((at_ns, ..)): &Reverse<(u64, Way, Vec<u8>)>| {
                    at_ns.saturating_sub(now_ns()).min(10_000_000)
                });
            let timeout = Timespec { tv_sec: 0, tv_nsec: next_ns as _ };
            let mut ends = [PollFd::new(&front, PollFlags::IN), PollFd::new(&back, PollFlags::IN)];
            let _ = poll(&mut ends, Some(&timeout));
            while let Ok((length, sender)) = front.recv_from(&mut datagram) {
                client = Some(sender);
                let arrive =
                    |(after, bytes): (Duration, _)| (now_ns() + after.as_nanos() as u64, Way::There, bytes);
                due.extend(fate(Way::There, &datagram[..length]).into_iter().map(arrive).map(Reverse));
            }
            while let Ok(length) = back.recv(&mut datagram) {
                let arrive =
                    |(after, bytes): (Duration, _)| (now_ns() + after.as_nanos() as u64, Way::Back, bytes);
                due.extend(fate(Way::Back, &datagram[..length]).into_iter().map(arrive).map(Reverse));
            }
            while due.peek().is_some_and(|Reverse((at_ns, ..))| *at_ns <= now_ns()) {
                let Some(Reverse((_, way, bytes))) = due.pop() else { break };
                // What cannot be sent is lost, as on a network.
                let _ = match (way, client) {
                    (Way::There, _) => back.send(&bytes),
                    (Way::Back, Some(client)) => front.send_to(&bytes, client),
                    (Way::Back, None) => Ok(0),
                };
            }
        }
    };
    (address, Worker::spawn(work))
}

/// Numbers that are the same in every run: xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit.max(1)
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }

    pub fn up_to(&mut self, limit_us: u64) -> Duration {
        Duration::from_nanos(self.below(limit_us * 1000 + 1))
    }
}
