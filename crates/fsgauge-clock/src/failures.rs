//! Why clocks cannot be compared or a start cannot be kept, in words.

use std::io;
use std::net::SocketAddr;

use fsgauge_wire::Failure;

/// A time as a person reads it.
pub(crate) fn shown(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.1} s", ns as f64 / 1e9),
    }
}

pub(crate) fn cannot_listen(address: &str, port: u16, error: &io::Error) -> Failure {
    let what = format!("the clock cannot be served on {address}, UDP port {port}: {error}");
    let cause = "the port is in use, or the address is not of this machine";
    Failure::system("clock.listen", error.raw_os_error(), what, cause, "ip addr; ss -lun; or port 0")
}

pub(crate) fn no_network(peer: &str, error: &io::Error) -> Failure {
    let what = format!("messages about the clock cannot be exchanged with {peer}: {error}");
    Failure::system("clock.unreachable", error.raw_os_error(), what, "there is no way to it", "ip route")
}

pub(crate) fn no_answer(peer: SocketAddr, requests: u32, ignored: u64) -> Failure {
    let what = format!("{peer} did not answer any of {requests} requests for its clock");
    let cause = if ignored > 0 {
        format!("{ignored} datagrams came that were late or not of this key")
    } else {
        "no engine serves its clock there, it has another key, or a firewall drops UDP".into()
    };
    Failure::system("clock.no_answer", None, what, cause, format!("ping {}; check the firewall", peer.ip()))
}

pub(crate) fn jumped_within(peer: SocketAddr) -> Failure {
    let what = format!("the clock of this machine or of {peer} jumped while they were compared");
    jumped(what)
}

pub(crate) fn jumped_between(moved_ns: u64, age_ns: u64) -> Failure {
    let (moved, age) = (shown(moved_ns), shown(age_ns));
    jumped(format!("two monotonic clocks moved apart by {moved} within {age}: one of them jumped"))
}

fn jumped(what: String) -> Failure {
    let cause = "a virtual machine was paused, moved or restored, or its clock source is unreliable";
    let next = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource; repeat the block";
    Failure::system("clock.jumped", None, what, cause, next)
}

pub(crate) fn suspended(who: &str, suspended_ns: u64) -> Failure {
    let what =
        format!("{who} was suspended for {} between the two readings of the clocks", shown(suspended_ns));
    let next = "systemctl mask sleep.target suspend.target; repeat the block";
    Failure::system("clock.suspended", None, what, "it went to sleep while it measured", next)
}

pub(crate) fn drifted(drift_ppm: f64, limit_ppm: f64) -> Failure {
    let what =
        format!("the clocks drifted apart by {drift_ppm:.1} ppm, more than the limit of {limit_ppm} ppm");
    let cause = "the bound was computed with less; NTP is correcting one of them, or it runs in an emulator";
    Failure::system("clock.drift", None, what, cause, "chronyc tracking; or a larger drift_limit_ppm")
}

pub(crate) fn not_earlier(earlier_ns: u64, later_ns: u64) -> Failure {
    let what = format!("earlier.at_ns {earlier_ns} is not before this reading at {later_ns}");
    let cause = "it is of another machine, or of a time before this one started";
    Failure::job("earlier", what, cause, "give the reading of an exchange from this machine")
}

pub(crate) fn missed(late_ns: u64) -> Failure {
    let what = format!("the start was missed: it was {} ago when everything was prepared", shown(late_ns));
    let cause = "preparing took longer than planned, or the order came late; nothing was loaded";
    Failure::system("start.missed", None, what, cause, "repeat the block with a later start")
}
