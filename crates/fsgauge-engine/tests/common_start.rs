//! Engines that start at one moment, each by its own clock.

use fsgauge_clock::now_ns;
use serde_json::{Value, json};

use crate::support::held::{Held, null_load};

const MS: u64 = 1_000_000;

fn code(last: &Value) -> &str {
    last["error"]["code"].as_str().unwrap_or("none")
}

fn ns(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The parts of a common start that hold on any machine, however busy.
fn assert_ordered(start: &Value, start_at_ns: u64) {
    let moments = ["armed_at_ns", "start_at_ns", "started_at_ns", "last_started_at_ns", "ended_at_ns"];
    let moments = moments.map(|key| ns(&start[key]));
    assert!(moments.is_sorted(), "{start}");
    assert_eq!(moments[1], start_at_ns);
    assert!(start["suspended_ns"].as_i64().unwrap().abs() < 1000 * MS as i64, "{start}");
}

#[test]
fn eight_engines_start_at_one_moment() {
    let job = null_load(&json!({"start_on_order": true, "duration_ns": 100 * MS}));
    let mut engines: Vec<Held> = (0..8).map(|_| Held::engine(&job)).collect();
    engines.iter_mut().for_each(|engine| {
        engine.wait_for("armed");
    });
    let start_at_ns = now_ns() + 500 * MS;
    engines.iter_mut().for_each(|engine| engine.order(&json!({"kind": "start", "start_at_ns": start_at_ns})));
    let mut late_ns = Vec::new();
    for engine in engines {
        let (exit, last) = engine.end();
        assert_eq!(exit, Some(0), "{last}");
        let start = &last["result"]["common_start"];
        assert_ordered(start, start_at_ns);
        // The end is that of what was measured: all of it, from the moment on that was meant.
        assert!(ns(&start["ended_at_ns"]) >= start_at_ns + 99 * MS, "{start}");
        late_ns.push(ns(&start["started_at_ns"]) - start_at_ns);
        println!(
            "late by {} ns, real time {}, spun {}",
            late_ns.last().unwrap(),
            start["real_time"],
            start["spun"]
        );
    }
    late_ns.sort_unstable();
    println!("spread of 8 starts: {} us", (late_ns[7] - late_ns[0]) as f64 / 1e3);
}

#[test]
fn every_job_that_loads_starts_at_its_moment() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = |name: &str| {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        folder.path().join(name)
    };
    let clients = |name: &str, phase: Value, clients: u32| {
        json!({
            "format": 1, "kind": "clients", "target": {"kind": "path", "directory": place(name)}, "phase": phase,
            "clients": clients, "time_limit_ns": 60_000 * MS, "seed": 7,
            "files": {"clients": 2, "files_per_client": 3, "record_size_bytes": 4096, "tree": {"kind": "own"},
                      "sizes": {"kind": "cycle", "sizes_bytes": [8192]}},
        })
    };
    let age = json!({
        "format": 1, "kind": "age", "directory": place("aged"), "space_bytes": 50_000_000, "seed": 1, "mode": "fast",
        "time_limit_ns": 60_000 * MS, "end": {"kind": "operations", "operations": 50},
        "profile": {"kind": "intermingled", "keep_files": 4},
    });
    let jobs = [
        null_load(&json!({"duration_ns": 20 * MS, "jobs": 2, "workers": "processes"})),
        clients("files", json!({"kind": "write"}), 2),
        clients("files", json!({"kind": "backup", "order": "directory", "block_size_bytes": 4096}), 1),
        age,
    ];
    for mut job in jobs {
        let kind = job["kind"].clone();
        (job["start_on_order"], job["lease"]) = (json!(true), json!({"silence_limit_ns": 10_000 * MS}));
        let mut held = Held::engine(&job);
        held.wait_for("armed");
        let start_at_ns = now_ns() + 500 * MS;
        held.order(&json!({"kind": "start", "start_at_ns": start_at_ns}));
        let (exit, last) = held.end();
        assert_eq!(exit, Some(0), "{kind}: {last}");
        assert_ordered(&last["result"]["common_start"], start_at_ns);
    }
}

#[test]
fn a_start_may_be_known_before_the_engine() {
    let start_at_ns = now_ns() + 3000 * MS;
    let job = null_load(&json!({"duration_ns": 20 * MS, "lease": null, "start_at_ns": start_at_ns}));
    let mut held = Held::engine(&job);
    held.close();
    let (exit, last) = held.end();
    assert_eq!(exit, Some(0), "{last}");
    assert_ordered(&last["result"]["common_start"], start_at_ns);
}

#[test]
fn a_start_that_has_passed_is_missed_and_nothing_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let target = json!({"kind": "file", "path": folder.path().join("data"), "size_bytes": 1 << 20});
    let writes = json!({"target": target, "read_percent": 0, "start_at_ns": now_ns()});
    let (exit, last) = Held::engine(&null_load(&writes)).end();
    assert_eq!((exit, code(&last)), (Some(3), "start.missed"), "{last}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    let mut held = Held::engine(&null_load(&json!({"start_on_order": true})));
    held.wait_for("armed");
    held.order(&json!({"kind": "start", "start_at_ns": now_ns()}));
    let (exit, last) = held.end();
    assert_eq!((exit, code(&last)), (Some(3), "start.missed"), "{last}");
}

#[test]
fn a_start_that_makes_no_sense_is_refused() {
    let soon_ns = now_ns() + 5000 * MS;
    let cases = [
        (json!({"start_at_ns": soon_ns, "start_on_order": true}), "job.start_on_order"),
        (json!({"start_on_order": true, "lease": null}), "job.start_on_order"),
        // By the clock of a machine that has been up for longer.
        (json!({"start_at_ns": soon_ns + 100_000_000 * MS}), "job.start_at_ns"),
    ];
    for (changes, expected) in cases {
        let mut held = Held::engine(&null_load(&changes));
        held.close();
        let (exit, last) = held.end();
        assert_eq!((exit, code(&last)), (Some(2), expected), "{last}");
    }
}

#[test]
fn an_engine_that_waits_for_its_start_ends_with_its_caller() {
    for far in [json!({"start_on_order": true}), json!({"start_at_ns": now_ns() + 600_000 * MS})] {
        let mut held = Held::engine(&null_load(&far));
        held.wait_for("armed");
        held.close();
        let (exit, last) = held.end();
        assert_eq!((exit, code(&last)), (Some(3), "lease.closed"), "{last}");

        let mut held = Held::engine(&null_load(&far));
        held.wait_for("armed");
        held.order(&json!({"kind": "stop"}));
        let (exit, last) = held.end();
        assert_eq!((exit, code(&last)), (Some(130), "interrupted"), "{last}");
    }
}

#[test]
fn a_job_without_a_start_says_nothing_about_one() {
    let (exit, last) = Held::engine(&null_load(&json!({"duration_ns": 20 * MS}))).end();
    assert_eq!(exit, Some(0));
    assert!(last["result"].get("common_start").is_none(), "{last}");
}
