//! Two engines compare their clocks: on this machine, and across time namespaces with a planted offset.

use std::process::{Command, Stdio};

use fsgauge_clock::now_ns;
use serde_json::{Value, json};

use crate::support;
use crate::support::ENGINE;
use crate::support::held::{Held, null_load};

const MS: u64 = 1_000_000;
const AHEAD_S: i64 = 100_000;
const AHEAD_NS: i64 = AHEAD_S * 1_000_000_000;

fn serve(changes: Value) -> Value {
    let mut job = json!({
        "format": 1, "kind": "serve_clock", "address": "127.0.0.1", "key": "5".repeat(64),
        "time_limit_ns": 60_000 * MS, "lease": {"silence_limit_ns": 30_000 * MS},
    });
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}

fn exchange(port: &Value, changes: Value) -> Value {
    let mut job = json!({
        "format": 1, "kind": "exchange_clock", "address": "127.0.0.1", "port": port, "key": "5".repeat(64),
        "time_limit_ns": 20_000 * MS,
    });
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}

/// An engine whose clocks are ahead of the others'; none where this machine does not allow it.
fn ahead() -> Option<Command> {
    let arguments = |program: &str| {
        let mut command = Command::new("unshare");
        let clocks = [format!("--monotonic={AHEAD_S}"), format!("--boottime={AHEAD_S}")];
        command.args(["--time", "--fork", "--kill-child"]).args(clocks).arg(program);
        command
    };
    let tried = arguments("true").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if tried.is_ok_and(|status| status.success()) {
        return Some(arguments(ENGINE));
    }
    eprintln!("skipped: time namespaces are not allowed here");
    None
}

fn run(command: &mut Command, job: &Value) -> Value {
    let output = support::start(command, &job.to_string()).wait_with_output().unwrap();
    support::last_event(&output.stdout)
}

fn result(last: &Value) -> Value {
    assert_eq!(last["event"], "finished", "{last}");
    last["result"].clone()
}

fn assert_within_bound(reading: &Value, offset_ns: i64) {
    let error_ns = reading["offset_ns"].as_i64().unwrap().abs_diff(offset_ns);
    let bound_ns = reading["bound_ns"].as_u64().unwrap();
    println!("error {error_ns} ns, bound {bound_ns} ns, round trip {} ns", reading["round_trip_ns"]);
    assert!(error_ns <= bound_ns, "{reading}");
}

#[test]
fn engines_of_one_machine_have_one_clock() {
    let mut serving = Held::engine(&serve(json!({})));
    let port = serving.wait_for("clock_served")["port"].clone();
    let found = result(&run(&mut Command::new(ENGINE), &exchange(&port, json!({}))));
    assert_within_bound(&found["reading"], 0);
    assert_eq!((&found["answers"], &found["drift_ppm"]), (&json!(40), &json!(null)));

    let between_ns = now_ns();
    let again = json!({"earlier": found["reading"], "moments_ns": [between_ns]});
    let found = result(&run(&mut Command::new(ENGINE), &exchange(&port, again)));
    let moment = &found["moments"][0];
    let error_ns = moment["peer_ns"].as_u64().unwrap().abs_diff(between_ns);
    assert!(error_ns <= moment["bound_ns"].as_u64().unwrap(), "{found}");
    assert!(found["drift_ppm"].is_f64());

    serving.order(&json!({"kind": "stop"}));
    let (exit, last) = serving.end();
    assert_eq!(
        (exit, &last["result"]["ended"], &last["result"]["replies"]),
        (Some(0), &json!("stopped"), &json!(80))
    );
}

#[test]
fn a_planted_offset_is_found_both_ways() {
    let Some(mut ahead_command) = ahead() else { return };
    let mut here = Held::engine(&serve(json!({})));
    let port = here.wait_for("clock_served")["port"].clone();
    let found = result(&run(&mut ahead_command, &exchange(&port, json!({}))));
    assert_within_bound(&found["reading"], -AHEAD_NS);

    let mut there = Held::start(&mut ahead().unwrap(), &serve(json!({})));
    let port = there.wait_for("clock_served")["port"].clone();
    let found = result(&run(&mut Command::new(ENGINE), &exchange(&port, json!({}))));
    assert_within_bound(&found["reading"], AHEAD_NS);
    // A machine that was suspended for a day before: nothing to do with the run.
    assert!(found["reading"]["peer_suspended_ns"].is_i64());
}

/// The whole of it: the offset before, the start by each one's own clock, the offset after, and the true starts on
/// one time line.
#[test]
fn engines_with_different_clocks_start_at_one_moment() {
    if ahead().is_none() {
        return;
    }
    let mut leader = Held::engine(&serve(json!({})));
    let port = leader.wait_for("clock_served")["port"].clone();
    let commands = || [Command::new(ENGINE), ahead().unwrap()];
    let readings = commands()
        .map(|mut command| result(&run(&mut command, &exchange(&port, json!({}))))["reading"].clone());
    let load = null_load(&json!({"start_on_order": true, "duration_ns": 50 * MS}));
    let mut engines = commands().map(|mut command| Held::start(&mut command, &load));
    engines.iter_mut().for_each(|engine| {
        engine.wait_for("armed");
    });
    let start_at_ns = now_ns() + 500 * MS;
    for (engine, reading) in engines.iter_mut().zip(&readings) {
        let own_ns = start_at_ns as i64 - reading["offset_ns"].as_i64().unwrap();
        engine.order(&json!({"kind": "start", "start_at_ns": own_ns}));
    }
    let starts = engines.map(|engine| engine.end().1["result"]["common_start"].clone());
    for (place, start) in starts.iter().enumerate() {
        let moments = [&start["started_at_ns"], &start["ended_at_ns"]];
        let line = json!({"earlier": readings[place], "moments_ns": moments});
        let found = result(&run(&mut commands()[place], &exchange(&port, line)));
        for (moment, own_ns) in found["moments"].as_array().unwrap().iter().zip(moments) {
            let planted_ns = if place == 1 { AHEAD_NS } else { 0 };
            let truth_ns = own_ns.as_i64().unwrap() - planted_ns;
            let error_ns = moment["peer_ns"].as_i64().unwrap().abs_diff(truth_ns);
            assert!(error_ns <= moment["bound_ns"].as_u64().unwrap(), "{found}");
        }
        let late_ns = found["moments"][0]["peer_ns"].as_i64().unwrap() - start_at_ns as i64;
        println!("engine {place}: late by {late_ns} ns, bound {} ns", found["moments"][0]["bound_ns"]);
        assert!(
            late_ns
                >= -(found["moments"][0]["bound_ns"].as_i64().unwrap()
                    + 2 * readings[place]["bound_ns"].as_i64().unwrap())
        );
    }
}

#[test]
fn wrong_jobs_are_refused() {
    let port = json!(9);
    let cases = [
        (serve(json!({"address": "somewhere"})), "job.address"),
        (serve(json!({"key": "short"})), "job.key"),
        (serve(json!({"time_limit_ns": 0})), "job.time_limit_ns"),
        (exchange(&json!(0), json!({})), "job.port"),
        (exchange(&port, json!({"exchanges": 0})), "job.exchanges"),
        (exchange(&port, json!({"timeout_ns": 10})), "job.timeout_ns"),
        (exchange(&port, json!({"drift_limit_ppm": -1.0})), "job.drift_limit_ppm"),
        (exchange(&port, json!({"moments_ns": vec![1; 10_001]})), "job.moments_ns"),
    ];
    for (job, code) in cases {
        let last = run(&mut Command::new(ENGINE), &job);
        assert_eq!(last["error"]["code"], code, "{last}");
        // A key is a secret, a wrong one too.
        assert!(!last.to_string().contains("short"), "{last}");
    }
}

#[test]
fn a_port_in_use_and_an_address_of_another_machine_are_told() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for changes in [json!({"port": port}), json!({"address": "192.0.2.1"})] {
        let last = run(&mut Command::new(ENGINE), &serve(changes));
        assert_eq!(last["error"]["code"], "clock.listen", "{last}");
        assert!(last["error"]["errno"].is_i64());
    }
}

#[test]
fn limits_end_the_service() {
    let mut serving = Held::engine(&serve(json!({"reply_limit": 5})));
    let port = serving.wait_for("clock_served")["port"].clone();
    let asked = exchange(&port, json!({"exchanges": 5}));
    assert_eq!(result(&run(&mut Command::new(ENGINE), &asked))["answers"], 5);
    let (exit, last) = serving.end();
    assert_eq!((exit, &last["result"]["ended"]), (Some(0), &json!("reply_limit")), "{last}");

    let (exit, last) = Held::engine(&serve(json!({"time_limit_ns": 50 * MS}))).end();
    assert_eq!((exit, &last["result"]["ended"]), (Some(0), &json!("time_limit")), "{last}");
}
