//! What an attacker or a broken network sends: no answer to it, no harm by it, and no wait without an end.

use std::net::UdpSocket;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fsgauge_clock::{Exchange, KernelTime, Time, now_ns, read_peer};
use fsgauge_wire::Stop;

use crate::support::{HERE, Random, Way, exchange, key, proxy, serve};

/// For what takes milliseconds, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(10);

fn code(wanted: &Exchange) -> String {
    read_peer(wanted, &KernelTime, &Stop::never()).unwrap_err().code
}

fn at_once() -> Duration {
    Duration::ZERO
}

#[test]
fn another_key_gets_no_answer() {
    let (server, serving) = serve(KernelTime, key("b"));
    let wanted = Exchange { timeout_ns: 5_000_000, ..exchange(server, 5) };
    assert_eq!(code(&wanted), "clock.no_answer");
    let count = serving.end();
    assert_eq!((count.replies, count.refused), (0, 10));
}

#[test]
fn a_black_hole_and_a_closed_port_end_in_time() {
    let hole = UdpSocket::bind((HERE, 0)).unwrap();
    let closed = UdpSocket::bind((HERE, 0)).unwrap().local_addr().unwrap();
    for peer in [hole.local_addr().unwrap(), closed] {
        let begin = Instant::now();
        let wanted = Exchange { timeout_ns: 20_000_000, time_limit_ns: 100_000_000, ..exchange(peer, 1000) };
        assert_eq!(code(&wanted), "clock.no_answer");
        assert!(begin.elapsed() < PATIENCE);
    }
}

#[test]
fn a_stop_ends_the_exchange() {
    let hole = UdpSocket::bind((HERE, 0)).unwrap();
    let stop = Stop::new();
    let wanted = Exchange { timeout_ns: 5_000_000, ..exchange(hole.local_addr().unwrap(), 10_000) };
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.set();
    });
    assert_eq!(read_peer(&wanted, &KernelTime, &stop).unwrap_err().exit_code(), 130);
}

#[test]
fn an_old_reply_is_not_taken_for_a_new_one() {
    let (server, _serving) = serve(KernelTime, key("a"));
    let mut first: Option<Vec<u8>> = None;
    let (front, _proxying) = proxy(server, move |way, datagram| match way {
        Way::There => vec![(at_once(), datagram.to_vec())],
        Way::Back => vec![(at_once(), first.get_or_insert_with(|| datagram.to_vec()).clone())],
    });
    let wanted = Exchange { timeout_ns: 20_000_000, ..exchange(front, 5) };
    let found = read_peer(&wanted, &KernelTime, &Stop::never()).unwrap();
    assert_eq!((found.answers, found.requests), (1, 10));
    assert!(found.ignored >= 8, "{found:?}");
}

#[test]
fn a_request_is_answered_once_and_by_as_many_bytes() {
    let (server, serving) = serve(KernelTime, key("a"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = seen.clone();
    let (front, _proxying) = proxy(server, move |way, datagram| {
        note.lock().unwrap().push((way, datagram.len()));
        let times = if way == Way::There { 7 } else { 1 };
        vec![(at_once(), datagram.to_vec()); times]
    });
    let found = read_peer(&exchange(front, 20), &KernelTime, &Stop::never()).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let (count, seen) = (serving.end(), seen.lock().unwrap());
    assert_eq!(count.replies, u64::from(found.requests));
    assert_eq!(count.repeated, 6 * u64::from(found.requests));
    let sizes: Vec<usize> = seen.iter().map(|(_, size)| *size).collect();
    assert!(sizes.iter().all(|size| *size == 80), "{sizes:?}");
}

#[test]
fn garbage_gets_no_answer_and_the_next_request_does() {
    let (server, serving) = serve(KernelTime, key("a"));
    let socket = UdpSocket::bind((HERE, 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut random = Random(9);
    for length in (0..200).chain([1472, 9000, 65_507]) {
        socket.send_to(&random.bytes(length), server).unwrap();
    }
    assert!(socket.recv(&mut [0; 16]).is_err());
    assert_eq!(read_peer(&exchange(server, 3), &KernelTime, &Stop::never()).unwrap().answers, 3);
    let count = serving.end();
    assert_eq!((count.replies, count.repeated), (3, 0));
    assert!(count.refused > 100, "{count:?}");
}

/// A clock that is set forward a moment after it was made.
struct Jumping {
    jumps_at_ns: u64,
}

impl Time for Jumping {
    fn monotonic_ns(&self) -> u64 {
        let now_ns = now_ns();
        if now_ns < self.jumps_at_ns { now_ns } else { now_ns + 1_000_000_000 }
    }

    fn suspended_ns(&self) -> i64 {
        0
    }
}

#[test]
fn a_clock_that_jumps_meanwhile_is_refused() {
    let (server, _serving) = serve(Jumping { jumps_at_ns: now_ns() + 30_000_000 }, key("a"));
    assert_eq!(code(&exchange(server, 2000)), "clock.jumped");
}

#[test]
fn a_clock_is_served_over_ipv6_too() {
    let mut echo = match fsgauge_clock::Echo::bind("::1".parse().unwrap(), 0, key("a"), KernelTime) {
        Ok(echo) => echo,
        Err(error) => return eprintln!("skipped: no IPv6 here: {error}"),
    };
    let server = echo.local_address().unwrap();
    let serving = std::thread::spawn(move || echo.serve(|count| (count.replies >= 3).then_some(())).unwrap());
    let found = read_peer(&exchange(server, 3), &KernelTime, &Stop::never()).unwrap();
    assert!(found.reading.offset_ns.unsigned_abs() <= found.reading.bound_ns, "{found:?}");
    serving.join().unwrap();
}
