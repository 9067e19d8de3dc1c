//! A job with a lease ends when its caller is gone or silent, does as it is ordered, and is not run twice.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support;
use crate::support::ENGINE;
use crate::support::held::{Held, null_load};

/// For what takes a moment, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(8);

fn leased(silence_limit_ns: u64, changes: Value) -> Value {
    let mut job = null_load(&json!({"lease": {"silence_limit_ns": silence_limit_ns}}));
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}

fn code(last: &Value) -> &str {
    last["error"]["code"].as_str().unwrap_or("none")
}

#[test]
fn a_closed_pipe_ends_the_job_and_its_workers() {
    for changes in [json!({}), json!({"workers": "processes", "jobs": 2})] {
        let mut held = Held::engine(&leased(10_000_000_000, changes));
        held.wait_for("interval");
        let begin = Instant::now();
        held.close();
        let (exit, last) = held.end();
        assert_eq!((exit, code(&last)), (Some(3), "lease.closed"), "{last}");
        assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    }
}

#[test]
fn a_silent_pipe_ends_the_job_and_orders_to_hold_keep_it() {
    let begin = Instant::now();
    let (exit, last) = Held::engine(&leased(300_000_000, json!({}))).end();
    assert_eq!((exit, code(&last)), (Some(3), "lease.silent"), "{last}");
    assert!((Duration::from_millis(300)..PATIENCE).contains(&begin.elapsed()), "{:?}", begin.elapsed());

    // For longer than the silence that is allowed, in steps that are far below it.
    let mut held = Held::engine(&leased(1_500_000_000, json!({"duration_ns": 2_200_000_000u64})));
    for step in 0..13 {
        std::thread::sleep(Duration::from_millis(150));
        held.line(if step % 2 == 0 { "" } else { r#"{"kind":"hold"}"# });
    }
    let (exit, last) = held.end();
    assert_eq!((exit, &last["event"]), (Some(0), &json!("finished")), "{last}");
}

#[test]
fn an_order_to_stop_is_as_good_as_a_signal() {
    let mut held = Held::engine(&leased(10_000_000_000, json!({})));
    held.wait_for("interval");
    held.order(&json!({"kind": "stop"}));
    // Whoever has said so need not stay.
    held.close();
    let (exit, last) = held.end();
    assert_eq!((exit, &last["result"]["ended"]), (Some(130), &json!("interrupted")), "{last}");
    assert!(last["result"]["read"]["operations"].as_u64().unwrap() > 0);
}

#[test]
fn an_order_without_sense_ends_the_job() {
    for line in [r#"{"kind":"dance"}"#, "hold", &"x".repeat(100_000)] {
        let mut held = Held::engine(&leased(10_000_000_000, json!({})));
        held.wait_for("interval");
        held.line(line);
        let (exit, last) = held.end();
        assert_eq!((exit, code(&last)), (Some(2), "job.order"), "{last}");
    }
}

#[test]
fn a_run_is_not_begun_twice() {
    let directory = tempfile::tempdir().unwrap();
    let lease = |id: &str| {
        let run = json!({"id": id, "directory": directory.path()});
        json!({"duration_ns": 20_000_000, "lease": {"silence_limit_ns": 10_000_000_000u64, "run": run}})
    };
    let run = |id: &str| Held::engine(&null_load(&lease(id))).end();
    let (exit, first) = run("block-7");
    assert_eq!((exit, &first["event"]), (Some(0), &json!("finished")), "{first}");
    let (exit, again) = run("block-7");
    assert_eq!((exit, code(&again)), (Some(2), "job.run_id"), "{again}");
    assert_eq!(run("block-8").0, Some(0));
}

#[test]
fn a_lease_that_cannot_be_held_is_refused() {
    for silence_limit_ns in [0, 99_999_999, 3_600_000_000_001u64] {
        let (exit, last) = Held::engine(&leased(silence_limit_ns, json!({}))).end();
        assert_eq!((exit, code(&last)), (Some(2), "job.lease"), "{last}");
    }
}

/// As every caller did before there were leases: the pipe is closed behind the job, in whatever lines it comes.
#[test]
fn a_job_without_a_lease_is_read_to_the_end() {
    let mut job = leased(0, json!({"duration_ns": 20_000_000}));
    for lease in [None, Some(json!(null))] {
        job.as_object_mut().unwrap().remove("lease");
        job.as_object_mut().unwrap().extend(lease.map(|lease| ("lease".to_owned(), lease)));
        for text in [job.to_string(), format!("{job}\n\n"), serde_json::to_string_pretty(&job).unwrap()] {
            let output = support::start(&mut Command::new(ENGINE), &text).wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{text}");
        }
        let two = format!("{job}\n{job}\n");
        let output = support::start(&mut Command::new(ENGINE), &two).wait_with_output().unwrap();
        assert_eq!(code(&support::last_event(&output.stdout)), "job.not_json");
    }
}
