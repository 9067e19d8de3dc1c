//! The engine's job "age": what comes out, stopping it, refusals. The crate's own tests hold layouts and logs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::support;
use crate::support::ENGINE;

fn start(root: &Path, more: &str) -> Child {
    let job = format!(
        r#"{{"format":1,"kind":"age","directory":"{}","space_bytes":50000000,"time_limit_ns":60000000000,
            "seed":1,{more}}}"#,
        root.display()
    );
    support::start(&mut Command::new(ENGINE), &job)
}

/// The exit code and the events.
fn finish(engine: Child) -> (Option<i32>, Vec<Value>) {
    let output = engine.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A folder in the working directory's file system: /tmp may be in memory.
fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[test]
fn a_job_is_carried_out_and_answered() {
    let root = folder();
    let job = r#""mode":"write","profile":{"kind":"intermingled","keep_files":4},"end":{"kind":"complete"}"#;
    let (code, events) = finish(start(root.path(), job));
    let result = &events.last().unwrap()["result"];
    assert_eq!((code, &result["kind"], &result["ended"]), (Some(0), &"age".into(), &"complete".into()));
    assert_eq!((&result["live_files"], &result["fill_percent"]), (&4.into(), &80.0.into()));
    assert_eq!(std::fs::read_dir(root.path().join("d0000")).unwrap().count(), 4);
}

#[test]
fn sigint_ends_it_within_a_second_with_what_there_is() {
    let root = folder();
    let churn = r#""mode":"write","profile":{"kind":"churn"},"end":{"kind":"storage_age","storage_age":1e9}"#;
    let mut engine = start(root.path(), churn);
    let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line.contains("age_progress")));
    support::signal(&engine, Signal::INT);
    let begin = Instant::now();
    let last: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    assert_eq!(last["result"]["ended"], "interrupted");
    assert!(last["result"]["live_files"].as_u64().unwrap() > 0);
}

#[test]
fn a_wrong_job_is_refused_with_exit_code_2() {
    let root = folder();
    std::fs::write(root.path().join("mine"), "").unwrap();
    let job = r#""mode":"fast","profile":{"kind":"churn"},"end":{"kind":"complete"}"#;
    let (code, events) = finish(start(root.path(), job));
    assert_eq!((code, &events.last().unwrap()["error"]["code"]), (Some(2), &"job.not_empty".into()));
    let unknown = r#""mode":"fast","profile":{"kind":"churn","size":1},"end":{"kind":"complete"}"#;
    let (code, events) = finish(start(folder().path(), unknown));
    assert_eq!(code, Some(2));
    assert!(events.last().unwrap()["error"]["cause"].as_str().unwrap().contains("size"), "{events:?}");
}
