//! The two jobs about clocks, from start to end.

use std::net::{IpAddr, SocketAddr};

use fsgauge_wire::{
    Engine, Event, ExchangeClockJob, ExchangeClockResult, FORMAT, Failure, Listener, Outcome,
    ServeClockEnded, ServeClockJob, ServeClockResult, Stop,
};

use crate::echo::{Echo, EchoCount};
use crate::exchange::{Exchange, read_peer};
use crate::failures;
use crate::key::Key;
use crate::line::Line;
use crate::time::{KernelTime, now_ns};

const EXCHANGES_LIMIT: u32 = 10_000;
const MOMENTS_LIMIT: usize = 10_000;
const TIMEOUT_MIN_NS: u64 = 1_000_000;
/// No clock that is worth comparing drifts by one in a hundred.
const DRIFT_LIMIT_PPM: f64 = 10_000.0;

/// Serves the clock until the time or the replies are used up, or it is stopped.
pub fn run_serve_clock(
    job: &ServeClockJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<ServeClockResult> {
    let (address, key) = (parse_address(&job.address)?, Key::new(&job.key)?);
    if job.time_limit_ns == 0 || job.reply_limit == 0 {
        let what = "time_limit_ns or reply_limit is 0";
        return Err(Failure::job("time_limit_ns", what, "there is no time to ask in", "give some seconds"));
    }
    let cannot = |error| failures::cannot_listen(&job.address, job.port, &error);
    let mut echo = Echo::bind(address, job.port, key, KernelTime).map_err(cannot)?;
    let port = echo.local_address().map_err(cannot)?.port();
    if listener.event(Event::ClockServed { port }).is_err() {
        stop.set();
    }
    let end_ns = now_ns().saturating_add(job.time_limit_ns);
    let over = |count: &EchoCount| {
        if listener.gone() {
            stop.set();
        }
        if stop.is_set() {
            Some(ServeClockEnded::Stopped)
        } else if count.replies >= job.reply_limit {
            Some(ServeClockEnded::ReplyLimit)
        } else {
            (now_ns() >= end_ns).then_some(ServeClockEnded::TimeLimit)
        }
    };
    let (ended, count) = echo.serve(over).map_err(cannot)?;
    Ok(ServeClockResult {
        format: FORMAT,
        engine,
        ended,
        replies: count.replies,
        refused: count.refused,
        repeated: count.repeated,
    })
}

/// Compares this machine's clock with another's.
pub fn run_exchange_clock(
    job: &ExchangeClockJob,
    engine: Engine,
    stop: Stop,
) -> Outcome<ExchangeClockResult> {
    check(job)?;
    let wanted = Exchange {
        peer: SocketAddr::new(parse_address(&job.address)?, job.port),
        key: Key::new(&job.key)?,
        exchanges: job.exchanges,
        timeout_ns: job.timeout_ns,
        time_limit_ns: job.time_limit_ns,
        drift_limit_ppm: job.drift_limit_ppm,
    };
    let found = read_peer(&wanted, &KernelTime, &stop)?;
    let line = Line::new(job.earlier, found.reading, job.drift_limit_ppm)?;
    Ok(ExchangeClockResult {
        format: FORMAT,
        engine,
        reading: found.reading,
        requests: found.requests,
        answers: found.answers,
        ignored: found.ignored,
        drift_ppm: line.drift_ppm(),
        moments: job.moments_ns.iter().map(|own_ns| line.at(*own_ns)).collect(),
    })
}

fn check(job: &ExchangeClockJob) -> Outcome<()> {
    let refuse = |key: &str, what: String, cause: &str, next: &str| Err(Failure::job(key, what, cause, next));
    if job.port == 0 {
        let next = "the port that clock_served said";
        return refuse("port", "port is 0".into(), "no engine listens there", next);
    }
    if !(1..=EXCHANGES_LIMIT).contains(&job.exchanges) {
        let what = format!("exchanges {} is not between 1 and {EXCHANGES_LIMIT}", job.exchanges);
        return refuse("exchanges", what, "the fastest of some dozens is enough", "40");
    }
    if job.timeout_ns < TIMEOUT_MIN_NS || job.time_limit_ns < job.timeout_ns {
        let what = format!(
            "timeout_ns {} is below 1 ms or above time_limit_ns {}",
            job.timeout_ns, job.time_limit_ns
        );
        return refuse("timeout_ns", what, "no answer would be in time", "100000000");
    }
    if !(0.0..=DRIFT_LIMIT_PPM).contains(&job.drift_limit_ppm) {
        let what = format!("drift_limit_ppm {} is not between 0 and {DRIFT_LIMIT_PPM}", job.drift_limit_ppm);
        return refuse("drift_limit_ppm", what, "it is a share of the time, in millionths", "50");
    }
    if job.moments_ns.len() > MOMENTS_LIMIT {
        let what = format!("moments_ns has {} moments, more than {MOMENTS_LIMIT}", job.moments_ns.len());
        return refuse("moments_ns", what, "a run has a few", "ask for fewer");
    }
    Ok(())
}

fn parse_address(address: &str) -> Outcome<IpAddr> {
    address.parse().map_err(|_| {
        let cause = "names are not looked up here: every host must reach the same machine";
        Failure::job("address", format!("{address:?} is not an IP address"), cause, "10.0.0.5, or fd00::5")
    })
}
