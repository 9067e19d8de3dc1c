//! The whole generator without storage: sums agree, limits hold, paces are kept.

use fsgauge_load::run_load;
use fsgauge_wire::{Access, Arrival, BlockSize, Ended, Event, Interface, LoadJob, Rate, Stamps, Stop};

use crate::support::{Heard, assert_consistent, engine, null_load, operations, run};

#[test]
fn sums_agree_at_every_depth() {
    for (queue_depth, jobs, batch) in [(1, 1, None), (8, 2, None), (32, 1, Some(32)), (32, 2, Some(5))] {
        let load = LoadJob { queue_depth, jobs, batch, ..null_load() };
        let result = run(load).unwrap();
        assert_eq!(result.ended, Ended::Duration);
        assert!(operations(&result) > 1000);
        assert_consistent(&result);
        assert!(result.in_flight_mean <= f64::from(queue_depth * jobs) * 1.001);
        assert_eq!(result.jobs.len(), jobs as usize);
    }
}

#[test]
fn bytes_are_operations_times_size() {
    let result = run(LoadJob { read_percent: 50, ..null_load() }).unwrap();
    for side in [result.read.unwrap(), result.write.unwrap()] {
        assert_eq!(side.size_bytes, side.operations * 4096);
    }
}

#[test]
fn weighted_sizes_and_a_mix_keep_their_shares() {
    let block_sizes =
        vec![BlockSize { size_bytes: 4096, weight: 3 }, BlockSize { size_bytes: 16384, weight: 1 }];
    for access in [Access::Random {}, Access::Zipf { theta: 1.1 }, Access::Sequential {}] {
        let load = LoadJob {
            block_sizes: block_sizes.clone(),
            access: access.clone(),
            read_percent: 30,
            ..null_load()
        };
        let result = run(load).unwrap();
        assert_consistent(&result);
        let (read, write) = (result.read.unwrap(), result.write.unwrap());
        let share = read.operations as f64 / (read.operations + write.operations) as f64;
        assert!((share - 0.3).abs() < 0.02, "{share} reads with {access:?}");
        let mean = read.size_bytes as f64 / read.operations as f64;
        assert!((mean / 7168.0 - 1.0).abs() < 0.05, "{mean} bytes on average with {access:?}");
    }
}

#[test]
fn a_size_limit_ends_the_load_exactly() {
    let load = LoadJob { size_limit_bytes: Some(4096 * 1001), warm_up_ns: 0, jobs: 3, ..null_load() };
    let result = run(load).unwrap();
    assert_eq!(result.ended, Ended::SizeLimit);
    // 1001 blocks in three shares of bytes: each job rounds its share up to a block.
    assert!((1001..=1003).contains(&operations(&result)), "{}", operations(&result));
    assert_consistent(&result);
}

#[test]
fn a_rate_starts_every_operation_that_was_due() {
    for arrival in [Arrival::Constant, Arrival::Exponential] {
        let rate = Some(Rate { operations_per_second: 20_000.0, arrival });
        let result = run(LoadJob { rate, jobs: 2, ..null_load() }).unwrap();
        let read = result.read.clone().unwrap();
        let due = 20_000.0 * result.elapsed_ns as f64 / 1e9;
        // Poisson: a deviation of 63 of 4000. In flight at either end: a few.
        let found = (read.operations + read.backlog_dropped) as f64;
        assert!((found - due).abs() < 300.0, "{found} of {due} {arrival:?}");
        assert_consistent(&result);
        let response = read.response_latency.unwrap();
        assert_eq!(response.operations, read.operations);
        assert!(response.sum_ns >= read.service_latency.sum_ns, "responses include the wait for the start");
    }
}

#[test]
fn a_rate_beyond_reach_is_told_as_backlog() {
    let rate = Some(Rate { operations_per_second: 1e9, arrival: Arrival::Constant });
    let result = run(LoadJob { rate, warm_up_ns: 0, ..null_load() }).unwrap();
    let read = result.read.unwrap();
    // None is due once the time is up.
    let due = null_load().duration_ns;
    assert!(read.backlog_dropped > due / 2, "{} of {due} dropped", read.backlog_dropped);
    assert!((read.operations + read.backlog_dropped).abs_diff(due) < 100);
}

#[test]
fn intervals_are_heard_while_it_runs_and_are_those_of_the_result() {
    let mut heard = Heard::default();
    let result =
        run_load(LoadJob { jobs: 2, ..null_load() }, engine(), None, &mut heard, Stop::new()).unwrap();
    let intervals: Vec<_> = heard
        .events
        .iter()
        .filter_map(|event| if let Event::Interval(interval) = event { Some(*interval) } else { None })
        .collect();
    assert_eq!(intervals, result.intervals);
    let shape: Vec<_> = intervals.iter().map(|interval| (interval.start_ns, interval.warm_up)).collect();
    let ms = 1_000_000;
    let expected = [(0, true), (20 * ms, false), (70 * ms, false), (120 * ms, false), (170 * ms, false)];
    assert_eq!(shape, expected);
}

#[test]
fn a_result_says_whether_it_was_steady() {
    let steady = |interval_ns| run(LoadJob { interval_ns, ..null_load() }).unwrap().steady.unwrap();
    let short = steady(50_000_000);
    assert_eq!((short.judged, short.reached), (false, false));
    assert_eq!(short.reason.unwrap(), "too short: 4 of at least 10 intervals");
    let long = steady(10_000_000);
    assert!(long.judged && long.range_share.is_some() && long.slope_share.is_some());
    assert!(long.reached || long.reason.is_some());
}

#[test]
fn a_stop_gives_what_there_is() {
    let stop = Stop::new();
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        stop.set();
    });
    let load = LoadJob { duration_ns: 60_000_000_000, ..null_load() };
    let result = run_load(load, engine(), None, &mut Heard::default(), stop).unwrap();
    assert_eq!(result.ended, Ended::Interrupted);
    assert!(result.elapsed_ns < 30_000_000_000);
    assert_consistent(&result);
}

#[test]
fn a_stop_during_the_warm_up_measures_nothing() {
    let stop = Stop::new();
    stop.set();
    let load = LoadJob { warm_up_ns: 60_000_000_000, ..null_load() };
    let result = run_load(load, engine(), None, &mut Heard::default(), stop).unwrap();
    assert_eq!((result.ended, result.elapsed_ns, operations(&result)), (Ended::Interrupted, 0, 0));
    assert_eq!(result.in_flight_mean, 0.0);
}

#[test]
fn the_result_says_how_often_the_clock_was_read() {
    let stamps = |load| run(LoadJob { duration_ns: 5_000_000, ..load }).unwrap().self_measure.stamps;
    assert_eq!(stamps(null_load()), Stamps::Batch);
    let psync = LoadJob { interface: Interface::Psync, queue_depth: 1, ..null_load() };
    assert_eq!(stamps(psync), Stamps::Operation);
}
