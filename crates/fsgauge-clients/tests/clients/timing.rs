//! Time: ramp, think time, intervals, interrupts, and many clients.

use std::time::Duration;
use std::time::Instant;

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    Arrival, ClientOperation, ClientsJob, ClientsTarget, Dispatch, Ended, Event, Rate, Stop, Think,
};

use super::jobs::*;
use super::mix::mix;
use crate::results::{Heard, engine};

#[test]
fn all_operations_of_a_client_are_its_own_time() {
    // 7 clients on 2 loops, with rests and a ramp, on nothing: no file system lends its noise.
    let rests = [None, Some(Arrival::Constant), Some(Arrival::Exponential)];
    for (spread, dispatch) in
        rests.into_iter().flat_map(|spread| [(spread, Dispatch::EventLoop), (spread, Dispatch::Threads)])
    {
        let think = spread.map(|spread| Think { mean_ns: 300_000, spread });
        let threads = (dispatch == Dispatch::EventLoop).then_some(2);
        let mut job = ClientsJob { clients: 7, think, dispatch, threads, ..on_nothing(WRITE) };
        job.files.files_per_client = 60;
        let result = run(&job).unwrap();
        assert_whole(&result);
        assert_littles_law(&result);
        let rests = clients(&result).think_ns as f64;
        // 59 rests of each client; sleeping longer than asked is no rest but a slow answer.
        let expected = if think.is_some() { 7.0 * 59.0 * 300_000.0 } else { 0.0 };
        assert!((rests - expected).abs() <= 0.3 * expected, "{rests} against {expected}");
    }
}

#[test]
fn under_a_pace_files_are_begun_when_they_are_due() {
    // 4 clients of 50 files: 200 at 1000 a second are due within 200 ms, whoever carries them.
    for (arrival, dispatch) in
        [(Arrival::Constant, Dispatch::EventLoop), (Arrival::Exponential, Dispatch::Threads)]
    {
        let rate = Some(Rate { operations_per_second: 1000.0, arrival });
        let threads = (dispatch == Dispatch::EventLoop).then_some(2);
        let mut job = ClientsJob { clients: 4, rate, dispatch, threads, ..on_nothing(WRITE) };
        job.files.files_per_client = 50;
        let result = run(&job).unwrap();
        assert_whole(&result);
        assert!((150_000_000..PATIENCE.as_nanos() as u64).contains(&result.elapsed_ns));
        let of_files = clients(&result).file_latency.as_ref().unwrap();
        assert_eq!(of_files.operations, 200);
        let creates = &find(&result, ClientOperation::Create).unwrap().response_latency;
        assert!(of_files.sum_ns > creates.sum_ns);
        assert!(of_files.min_ns < 20_000_000, "{}", of_files.min_ns);
    }
}

#[test]
fn what_was_due_while_another_file_took_its_time_has_waited() {
    // Two clients that are due a file each microsecond: all but the first ones wait, each longer than the last.
    let rate = Some(Rate { operations_per_second: 2e6, arrival: Arrival::Constant });
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut job = ClientsJob { clients: 2, rate, ..job(directory.path(), WRITE) };
    job.files.files_per_client = 200;
    let result = run(&job).unwrap();
    assert_whole(&result);
    let of_files = clients(&result).file_latency.as_ref().unwrap();
    assert!(of_files.max_ns * 11 > result.elapsed_ns * 10 - 2_200_000, "{}", of_files.max_ns);
    assert!(of_files.sum_ns / 400 > result.elapsed_ns / 4, "{} of {}", of_files.sum_ns, result.elapsed_ns);
    let closed = run(&ClientsJob { rate: None, phase: READ, ..job }).unwrap();
    assert!(clients(&closed).file_latency.is_none());
}

#[test]
fn clients_begin_one_after_the_other() {
    let ramp_ns = 400_000_000;
    let result = run(&ClientsJob { ramp_ns, ..on_nothing(WRITE) }).unwrap();
    assert_whole(&result);
    assert_littles_law(&result);
    for (client, job) in result.jobs.iter().enumerate() {
        let start_ns = ramp_ns * client as u64 / 10;
        assert!(job.elapsed_ns.unwrap() >= start_ns, "client {client}");
    }
    assert!(result.elapsed_ns >= ramp_ns * 9 / 10);
    assert!(clients(&result).active_ns < 10 * (result.elapsed_ns - ramp_ns * 9 / 20) + 10 * ramp_ns);
}

#[test]
fn an_interrupted_run_gives_what_it_has_at_once() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let plain = job(directory.path(), mix());
    let jobs = [
        ClientsJob { time_limit_ns: 600_000_000_000, ..plain.clone() },
        ClientsJob { clients: 10_000, threads: None, ..on_nothing(mix()) },
    ];
    for mut endless in jobs {
        endless.files.clients = endless.clients;
        endless.time_limit_ns = 600_000_000_000;
        if endless.target != (ClientsTarget::Null {}) {
            run(&ClientsJob { phase: WRITE, ..endless.clone() }).unwrap();
        }
        let stop = Stop::new();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(400));
            stop.set();
            Instant::now()
        });
        let result = run_clients(&endless, engine(), &mut Heard::default(), stop).unwrap();
        assert!(stopper.join().unwrap().elapsed() < PATIENCE);
        assert_eq!(result.ended, Ended::Interrupted);
        if result.notes.iter().any(|note| note.code == "clients.unresponsive") {
            // This machine is so busy that a thread did not run in time: the run went on without it.
            continue;
        }
        assert_sound(&result);
        assert!(clients(&result).files > 0);
    }
}

#[test]
fn ten_thousand_clients_on_nothing() {
    let mut many = ClientsJob { clients: 10_000, ..on_nothing(READ) };
    many.files.clients = 10_000;
    let result = run(&many).unwrap();
    assert_whole(&result);
    assert_eq!((result.jobs.len(), clients(&result).files), (10_000, 60_000));
}

#[test]
fn events_are_told_while_clients_run() {
    let mut heard = Heard::default();
    let job = ClientsJob { time_limit_ns: 200_000_000, ..on_nothing(mix()) };
    let result = run_clients(&job, engine(), &mut heard, Stop::new()).unwrap();
    assert!(matches!(heard.events[0], Event::SelfMeasure(_)));
    let told = heard.events.iter().filter(|event| matches!(event, Event::Interval(_))).count();
    assert!(told <= result.intervals.len() && told >= result.intervals.len() - 1, "{told}");
    assert_eq!(result.intervals.len(), 20);
}
