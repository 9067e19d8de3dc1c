//! Clients of a share of a real server that loses or refuses some of their sessions.

use std::time::{Duration, Instant};

use fsgauge_wire::{
    Activity, ClientErrorKind, ClientOperation, ClientsJob, LoadResult, Phase, SmbDialect, SmbTarget,
    WeightedActivity,
};
use rustix::process::{Pid, Signal, kill_process};

use crate::narrow_door::{NarrowDoor, listen_overflows};
use crate::results::assert_consistent;
use crate::shares::{READ, WRITE, assert_whole, clients, count, errors_of, job, network, run};
use crate::smbd::Smbd;

/// Clients that create and read for a while.
fn mixed(target: SmbTarget) -> ClientsJob {
    let activities = vec![
        WeightedActivity { activity: Activity::Create, weight: 3 },
        WeightedActivity { activity: Activity::Read, weight: 1 },
    ];
    let (time_limit_ns, interval_ns) = (2_500_000_000, 100_000_000);
    ClientsJob { time_limit_ns, interval_ns, ..job(target, Phase::Mix { activities }) }
}

fn count_of(result: &LoadResult, wanted: ClientErrorKind) -> u64 {
    errors_of(result).iter().filter(|(_, kind, _)| *kind == wanted).map(|(_, _, count)| count).sum()
}

/// One session's process is killed under load: its client comes back, and the others notice nothing.
#[test]
fn one_session_that_the_server_drops_is_counted_and_made_again() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    let mixed = mixed(target.clone());
    let result = std::thread::scope(|scope| {
        let load = scope.spawn(|| run(&mixed));
        // The youngest of its processes are sessions, the last of them a client's: four of them work.
        std::thread::sleep(Duration::from_millis(1200));
        let youngest = *smbd.children().iter().max().unwrap();
        kill_process(Pid::from_raw(youngest as i32).unwrap(), Signal::KILL).unwrap();
        load.join().unwrap().unwrap()
    });
    assert_consistent(&result);
    let found = clients(&result);
    assert_eq!((network(&result).connections, network(&result).reconnections), (4, 1));
    let lost = count_of(&result, ClientErrorKind::ConnectionLost);
    // What was made although the answer was lost stands in its client's way.
    let made = count_of(&result, ClientErrorKind::Exists);
    assert!(lost > 0 && made <= 1, "{:?}", found.errors);
    assert_eq!(found.errors.iter().map(|error| error.count).sum::<u64>(), lost + made, "{:?}", found.errors);
    assert_eq!((found.bad_records, found.clients_gave_up), (0, 0));
    assert_whole(&run(&job(target, READ)).unwrap());
}

/// The server closes the door on whom it has no room for; they try until time is up.
#[test]
fn sessions_that_a_server_has_no_room_for_are_counted_and_others_work() {
    let Some(smbd) = Smbd::start("max smbd processes = 3", "") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    // Who is refused at first has made no directory.
    for client in 0..4 {
        std::fs::create_dir_all(smbd.files().join(format!("{}/c{client:05}", target.directory))).unwrap();
    }
    let activities = vec![WeightedActivity { activity: Activity::Create, weight: 1 }];
    let mixed = ClientsJob { phase: Phase::Mix { activities }, ..mixed(target) };
    let begin = Instant::now();
    let result = run(&mixed).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    let (found, errors) = (clients(&result), errors_of(&result));
    let is_lost = |error: &(_, ClientErrorKind, _)| error.1 == ClientErrorKind::ConnectionLost;
    assert!(errors.iter().any(|error| error.0 == ClientOperation::Connect), "{errors:?}");
    assert!(errors.iter().all(is_lost), "{:?}", found.errors);
    assert!((1..4).contains(&network(&result).connections), "{:?}", network(&result));
    assert!(count(&result, ClientOperation::Create) > 0 && found.bad_records == 0);
}

/// More come at once than the listener keeps: the kernel drops them, they try again, and all get in.
#[test]
fn a_backlog_that_overflows_costs_time_and_loses_nobody() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let door = NarrowDoor::before(smbd.port, Duration::from_millis(20));
    let mut writing = job(SmbTarget { port: door.port, ..smbd.target(SmbDialect::Smb302) }, WRITE);
    (writing.clients, writing.files.clients) = (6, 6);
    let before = listen_overflows();
    let result = run(&writing).unwrap();
    assert!(listen_overflows() > before, "nobody was dropped");
    assert_whole(&result);
    assert_eq!((network(&result).connections, network(&result).reconnections), (6, 0));
    assert_eq!(count(&result, ClientOperation::Connect), 6);
}
