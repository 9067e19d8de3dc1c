//! The engine's job "scan": what an ordinary user gets, stopping, refusals. The mounted file systems of
//! fsgauge-scan's own tests hold the numbers to those of other tools.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support;
use crate::support::ENGINE;

const NOBODY: u32 = 65_534;

fn start(command: &mut Command, path: &Path, more: &str) -> Child {
    let job = format!(r#"{{"format":1,"kind":"scan","path":"{}"{more}}}"#, path.display());
    support::start(command, &job)
}

/// The exit code and the events.
fn run(command: &mut Command, path: &Path, more: &str) -> (Option<i32>, Vec<Value>) {
    let output = start(command, path, more).wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A folder in the working directory's file system: /tmp may be in memory, which has no FIEMAP.
fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Whether FIEMAP works here at all.
fn has_fiemap(events: &[Value]) -> bool {
    let last = events.last().unwrap();
    if last["error"]["code"] == "job.no_fiemap" {
        eprintln!("skipped: {}", last["error"]["cause"]);
    }
    last["error"]["code"] != "job.no_fiemap"
}

#[test]
fn a_tree_is_scanned_and_the_same_with_any_number_of_threads() {
    let root = folder();
    for file in 0..300usize {
        let folder = root.path().join(format!("{}/{}", file % 7, file % 3));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(file.to_string()), vec![1; 10_000 + file]).unwrap();
    }
    rustix::fs::syncfs(std::fs::File::open(root.path()).unwrap()).unwrap();
    let mut found = Vec::new();
    for threads in [1, 2, 7] {
        let more = format!(r#","threads":{threads},"space":false,"map_order":3,"top":5"#);
        let (code, events) = run(&mut Command::new(ENGINE), root.path(), &more);
        if !has_fiemap(&events) {
            return;
        }
        let result = events.last().unwrap()["result"].clone();
        assert_eq!((code, &result["ended"]), (Some(0), &"size_limit".into()));
        assert_eq!((&result["counts"]["files"], &result["counts"]["folders"]), (&300.into(), &29.into()));
        assert!(result["free"].is_null());
        found.push((result["counts"].clone(), result["map"].clone(), result["top"].clone()));
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
}

#[test]
fn an_ordinary_user_scans_what_the_kernel_lets_and_the_rest_is_counted_and_named() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become another user");
        return;
    }
    let root = folder();
    let place = |name: &str| root.path().join(name);
    for name in ["open", "closed"] {
        std::fs::write(place(name), vec![1; 5000]).unwrap();
    }
    std::fs::create_dir(place("private")).unwrap();
    std::fs::write(place("private/within"), b"x").unwrap();
    let mode = |name: &str, mode| std::fs::set_permissions(place(name), PermissionsExt::from_mode(mode));
    mode("", 0o755).unwrap();
    mode("open", 0o644).unwrap();
    mode("closed", 0o600).unwrap();
    mode("private", 0o700).unwrap();
    chown(root.path(), Some(0), Some(0)).unwrap();
    // Everybody may start the copy, wherever the build lies.
    let engine = tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o755)).tempdir().unwrap();
    let copy = engine.path().join("engine");
    std::fs::copy(ENGINE, &copy).unwrap();
    let mut command = Command::new(&copy);
    let (code, events) = run(command.uid(NOBODY).gid(NOBODY), root.path(), r#","threads":2"#);
    let last = events.last().unwrap();
    if !has_fiemap(&events) || last["error"]["cause"] == "this user may not read it" {
        return;
    }
    let result = &last["result"];
    assert_eq!((code, &result["counts"]["files"]), (Some(0), &1.into()), "{last}");
    // Others write to this file system meanwhile: that is a problem of its own, and not this test's.
    let mut problems = result["problems"].as_array().unwrap().iter();
    let problem = problems.find(|each| each["code"] == "not_permitted").unwrap();
    assert_eq!(&problem["count"], 2, "{problem}");
    let examples: Vec<String> = serde_json::from_value(problem["examples"].clone()).unwrap();
    for name in ["closed", "private"] {
        let path = place(name).display().to_string();
        assert!(examples.iter().any(|example| example.starts_with(&path)), "{path} in {examples:?}");
    }
    assert!(!result["free"].is_null(), "the sum of free space is for everybody");
}

#[test]
fn a_scan_that_is_interrupted_gives_what_it_has() {
    let root = folder();
    let mut folder = root.path().to_owned();
    for _ in 0..20 {
        folder.push("below");
        std::fs::create_dir(&folder).unwrap();
        for file in 0..200 {
            std::fs::write(folder.join(file.to_string()), b"x").unwrap();
        }
    }
    let mut engine = start(&mut Command::new(ENGINE), root.path(), r#","threads":2,"space":false"#);
    let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
    // It listens to signals once it has said that it started.
    assert!(lines.next().unwrap().unwrap().contains("\"started\""));
    let begin = Instant::now();
    let pid = rustix::process::Pid::from_child(&engine);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let last: Value = serde_json::from_str(&lines.last().unwrap().unwrap()).unwrap();
    let code = engine.wait().unwrap().code();
    assert!(begin.elapsed() < Duration::from_secs(5));
    if last["error"]["code"] == "job.no_fiemap" {
        return;
    }
    assert_eq!((code, &last["result"]["ended"]), (Some(130), &"interrupted".into()), "{last}");
    assert!(last["result"]["counts"]["files"].as_u64().unwrap() <= 4000);
}

#[test]
fn wrong_jobs_are_refused() {
    let refused = |path: &str, more: &str| {
        let (code, events) = run(&mut Command::new(ENGINE), Path::new(path), more);
        assert_eq!(code, Some(2));
        events.last().unwrap()["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused("/", r#","map_order":11"#), "job.map_order");
    assert_eq!(refused("/", r#","colour":1"#), "job.key");
    assert_eq!(refused("/dev/null", ""), "job.path");
    assert_eq!(refused("/no/such/place", ""), "job.path");
}
