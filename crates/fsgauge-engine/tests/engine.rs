//! The binary as its callers see it: lines of JSON, exit codes, signals, and a reader or parent that goes away.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::support;
use crate::support::{ENGINE, PATIENCE, last_event, run, signal, wait_for_interval};

/// Signals end a load within a second; the rest is for a machine that is busy with other things.
const SIGNAL_PATIENCE: Duration = Duration::from_secs(5);

fn start(job: &str) -> Child {
    support::start(&mut Command::new(ENGINE), job)
}

/// A minute on the null target; `extra` goes into the job.
fn minute(extra: &str) -> String {
    format!(
        r#"{{"format":1,"kind":"load","target":{{"kind":"null","size_bytes":1048576}},"interface":"io_uring",
        "direct":false,"access":{{"kind":"random"}},"read_percent":100,"queue_depth":4,"jobs":2,"interval_ns":50000000,
        "block_sizes":[{{"size_bytes":4096,"weight":1}}],"duration_ns":60000000000,"seed":1{extra}}}"#
    )
}

#[test]
fn wrong_jobs_end_with_code_2_and_say_why() {
    let cases = [
        ("", "the job is not a JSON document"),
        ("{\"format\":7}", "the job is not of format 1"),
        ("{\"format\":1,\"kind\":\"sing\"}", "the job has no known kind"),
        ("{\"format\":1,\"kind\":\"probe\",\"directory\":5}", "the job's directory is wrong"),
        (&minute(",\"blocksize\":4096"), "the job's blocksize is wrong"),
        (&minute(",\"batch\":5"), "batch 5 is not between 1 and queue_depth 4"),
    ];
    for (job, what) in cases {
        let output = run(job);
        let event = last_event(&output.stdout);
        assert_eq!((event["event"].as_str(), event["error"]["what"].as_str()), (Some("failed"), Some(what)));
        assert_eq!(output.status.code(), Some(2), "{what}");
        for part in ["cause", "next", "code"] {
            assert!(event["error"][part].as_str().is_some_and(|text| !text.is_empty()), "{part} of {what}");
        }
    }
}

#[test]
fn a_failed_system_ends_with_code_3() {
    let output = run("{\"format\":1,\"kind\":\"probe\",\"directory\":\"/nowhere/at/all\"}");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(last_event(&output.stdout)["error"]["errno"], 2);
}

#[test]
fn a_probe_tells_what_it_found() {
    let output = run("{\"format\":1,\"kind\":\"probe\",\"directory\":\".\"}");
    assert_eq!(output.status.code(), Some(0));
    let result = &last_event(&output.stdout)["result"];
    assert_eq!((&result["kind"], &result["format"]), (&"probe".into(), &1.into()));
    assert!(result["clock_ns_per_read"].as_f64().unwrap() > 0.0);
    assert!(result["io_uring"].as_bool().unwrap() || result["io_uring_reason"].is_string());
}

#[test]
fn a_probe_without_costs_measures_none() {
    let output = run("{\"format\":1,\"kind\":\"probe\",\"directory\":\".\",\"without_costs\":true}");
    let result = &last_event(&output.stdout)["result"];
    assert!(result["direct"].is_boolean());
    for cost in ["clock", "clock_ns_per_read", "null_ns_per_operation"] {
        assert!(result[cost].is_null(), "{cost}");
    }
}

#[test]
fn signals_end_a_load_with_what_it_has() {
    for which in [Signal::INT, Signal::TERM] {
        let mut child = start(&minute(""));
        let mut reader = wait_for_interval(&mut child);
        let begin = Instant::now();
        signal(&child, which);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut reader, &mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(begin.elapsed() < SIGNAL_PATIENCE, "{:?} after {which:?}", begin.elapsed());
        let last: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
        assert_eq!(last["event"], "finished");
        assert_eq!(last["result"]["ended"], "interrupted");
        assert!(last["result"]["read"]["operations"].as_u64().unwrap() > 0);
    }
}

/// Jobs that wait in the kernel for their next start must notice as well.
#[test]
fn a_signal_wakes_jobs_that_wait() {
    let rate = r#","rate":{"operations_per_second":0.01,"arrival":"constant"}"#;
    let mut child = start(&minute(rate));
    let _reader = wait_for_interval(&mut child);
    let begin = Instant::now();
    signal(&child, Signal::TERM);
    drop(_reader);
    child.wait().unwrap();
    assert!(begin.elapsed() < PATIENCE);
}

#[test]
fn a_reader_that_goes_away_ends_the_load() {
    let mut child = start(&minute(",\"warm_up_ns\":60000000"));
    drop(wait_for_interval(&mut child));
    let begin = Instant::now();
    assert!(child.wait().unwrap().code().is_some_and(|code| code != 0));
    assert!(begin.elapsed() < PATIENCE);
}

#[test]
fn a_parent_that_is_killed_takes_the_engine_down() {
    let script = "\"$2\" < \"$1\" > /dev/null & echo $!; wait";
    let mut job = tempfile::NamedTempFile::new().unwrap();
    job.write_all(minute("").as_bytes()).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(job.path()).arg(ENGINE).stdout(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let status = format!("/proc/{}/stat", line.trim());
    // The engine asks for the signal as its first act; it is running once it has two more threads.
    let begin = Instant::now();
    let tasks = format!("/proc/{}/task", line.trim());
    while std::fs::read_dir(&tasks).map_or(0, Iterator::count) < 3 {
        assert!(begin.elapsed() < PATIENCE, "the engine did not come up");
        std::thread::sleep(Duration::from_millis(5));
    }
    shell.kill().unwrap();
    shell.wait().unwrap();
    let is_alive = || std::fs::read_to_string(&status).is_ok_and(|stat| !stat.contains(") Z "));
    while is_alive() {
        assert!(begin.elapsed() < 2 * PATIENCE, "the engine outlives its parent");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_version_says_how_it_was_built() {
    let output = Command::new(ENGINE).arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["fsgauge-engine ", "profile: ", "target: ", "commit: "] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn checked_in_schemas_are_current() {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema");
    let output = Command::new(ENGINE).args(["schema", "--check", schema]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn stale_schemas_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let schema = |option: &str| Command::new(ENGINE).args(["schema", option, path]).output().unwrap();
    assert!(schema("--write").status.success());
    std::fs::write(directory.path().join("job.json"), "{}").unwrap();
    let output = schema("--check");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(": job.json\nnext: "));
}
