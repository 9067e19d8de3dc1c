//! 10,000 exchanges through networks of every kind: the planted offset is within the bound every time.

use std::time::Duration;

use fsgauge_clock::{Found, Line, now_ns, read_peer};
use fsgauge_wire::Stop;

use crate::support::{Fate, Planted, Random, Way, exchange, key, proxy, serve};

const HUNDRED_THOUSAND_S: i64 = 100_000_000_000_000;
const EXCHANGES: u32 = 40;
/// The asking clock is far ahead, so that the other may be far behind it.
const OWN_AHEAD_NS: i64 = 3 * HUNDRED_THOUSAND_S;

/// What a network does, drawn for each datagram.
#[derive(Clone, Copy)]
struct Network {
    name: &'static str,
    /// Least and additional delay, there and back.
    there_us: (u64, u64),
    back_us: (u64, u64),
    /// Of a hundred datagrams.
    lost: u64,
    doubled: u64,
    damaged: u64,
    accompanied: u64,
}

const QUIET: Network = Network {
    name: "quiet",
    there_us: (0, 0),
    back_us: (0, 0),
    lost: 0,
    doubled: 0,
    damaged: 0,
    accompanied: 0,
};

const NETWORKS: [Network; 10] = [
    QUIET,
    Network { name: "delay", there_us: (200, 0), back_us: (200, 0), ..QUIET },
    Network { name: "jitter", there_us: (0, 400), back_us: (0, 400), ..QUIET },
    Network { name: "slow there", there_us: (1000, 100), ..QUIET },
    Network { name: "slow back", back_us: (1000, 100), ..QUIET },
    Network { name: "loss", lost: 10, ..QUIET },
    Network { name: "doubles", doubled: 50, there_us: (0, 300), back_us: (0, 300), ..QUIET },
    Network { name: "damage", damaged: 10, ..QUIET },
    Network { name: "garbage", accompanied: 60, back_us: (0, 200), ..QUIET },
    Network {
        name: "all",
        there_us: (100, 500),
        back_us: (300, 200),
        lost: 3,
        doubled: 20,
        damaged: 3,
        accompanied: 20,
    },
];

fn fate(network: Network, random: &mut Random, way: Way, datagram: &[u8]) -> Fate {
    let (least_us, more_us) = if way == Way::There { network.there_us } else { network.back_us };
    let mut happens = |percent| random.below(100) < percent;
    let (lost, doubled) = (happens(network.lost), happens(network.doubled));
    let (damaged, accompanied) = (happens(network.damaged), happens(network.accompanied));
    let mut bytes = datagram.to_vec();
    if damaged {
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << random.below(8);
    }
    let mut arrives = Vec::new();
    let late = |random: &mut Random| Duration::from_micros(least_us) + random.up_to(more_us);
    if accompanied {
        let length = [0, 1, 79, 80, 80, 81, 1400][random.below(7) as usize];
        arrives.push((late(random), random.bytes(length)));
    }
    if !lost {
        arrives.push((late(random), bytes.clone()));
    }
    if doubled {
        arrives.push((late(random) + Duration::from_micros(50), bytes));
    }
    arrives
}

/// Readings until so many exchanges were answered; gives their errors and bounds.
fn readings(network: Network, seed: u64, answers: u32) -> Vec<(u64, u64, Found)> {
    let peer_ahead_ns = if seed.is_multiple_of(2) { HUNDRED_THOUSAND_S } else { -HUNDRED_THOUSAND_S };
    let own = Planted::ahead(OWN_AHEAD_NS);
    let (server, _serving) = serve(Planted::ahead(OWN_AHEAD_NS + peer_ahead_ns), key("a"));
    let mut random = Random(seed + 1);
    let (front, _proxying) = proxy(server, move |way, datagram| fate(network, &mut random, way, datagram));
    let (mut found, mut answered) = (Vec::new(), 0);
    while answered < answers {
        // Lost requests must not take long; what is late is lost too.
        let wanted = fsgauge_clock::Exchange { timeout_ns: 10_000_000, ..exchange(front, EXCHANGES) };
        let one = read_peer(&wanted, &own, &Stop::never()).unwrap();
        answered += one.answers;
        found.push((one.reading.offset_ns.abs_diff(peer_ahead_ns), one.reading.bound_ns, one));
    }
    found
}

#[test]
fn the_planted_offset_is_within_the_bound_of_10_000_exchanges() {
    let answers = 10_000 / NETWORKS.len() as u32;
    let threads = NETWORKS
        .iter()
        .zip(0..)
        .map(|(network, seed)| (network, std::thread::spawn(move || readings(*network, seed, answers))));
    let threads: Vec<_> = threads.collect();
    for (network, thread) in threads {
        let found = thread.join().unwrap();
        for (error_ns, bound_ns, one) in &found {
            assert!(error_ns <= bound_ns, "{}: {error_ns} > {bound_ns}: {one:?}", network.name);
        }
        let worst = found.iter().map(|(error_ns, ..)| error_ns).max().unwrap();
        let widest = found.iter().map(|(_, bound_ns, _)| bound_ns).max().unwrap();
        println!(
            "{}: {} readings, error at most {worst} ns, bound at most {widest} ns",
            network.name,
            found.len()
        );
        if network.name.starts_with("slow") {
            // Half of the delay that one way has alone is wrong, and the bound is as wide.
            assert!(found.iter().all(|(error_ns, bound_ns, _)| (400_000..*bound_ns).contains(error_ns)));
        }
        if network.name == "damage" || network.name == "garbage" {
            assert!(
                found.iter().any(|(.., one)| one.ignored > 0 || one.requests > one.answers),
                "{}",
                network.name
            );
        }
    }
}

#[test]
fn clocks_that_drift_are_within_the_bound_of_the_line() {
    for gains_ppm in [-40.0, 0.0, 40.0] {
        let own = Planted::ahead(OWN_AHEAD_NS);
        let peer = Planted { gains_ppm, ..Planted::ahead(OWN_AHEAD_NS - HUNDRED_THOUSAND_S) };
        let (server, _serving) = serve(peer, key("a"));
        let read = || read_peer(&exchange(server, EXCHANGES), &own, &Stop::never()).unwrap().reading;
        let earlier = read();
        let kernel_ns: Vec<u64> = (0..20)
            .map(|_| {
                std::thread::sleep(Duration::from_millis(10));
                now_ns()
            })
            .collect();
        let line = Line::new(Some(earlier), read(), 50.0).unwrap();
        for at_ns in kernel_ns {
            let moment = line.at(own.at(at_ns) as u64);
            let error_ns = moment.peer_ns.abs_diff(peer.at(at_ns));
            assert!(error_ns <= moment.bound_ns, "{gains_ppm}: {error_ns} {moment:?}");
        }
    }
}

#[test]
fn a_clock_that_drifts_more_than_the_limit_is_refused() {
    let own = Planted::ahead(OWN_AHEAD_NS);
    let (server, _serving) = serve(Planted { gains_ppm: 900.0, ..own }, key("a"));
    // A machine that others use reads badly for a while, or takes so long that the drift looks like a jump.
    let read = || {
        let tries =
            (0..100).filter_map(|_| read_peer(&exchange(server, EXCHANGES), &own, &Stop::never()).ok());
        tries.map(|found| found.reading).find(|one| one.bound_ns < 150_000).expect("a quiet moment")
    };
    let (earlier, ()) = (read(), std::thread::sleep(Duration::from_millis(500)));
    // 450 us, far above what both readings may be wrong by.
    let later = read();
    assert_eq!(Line::new(Some(earlier), later, 50.0).unwrap_err().code, "clock.drift");
    Line::new(Some(earlier), later, 1000.0).unwrap();
}
