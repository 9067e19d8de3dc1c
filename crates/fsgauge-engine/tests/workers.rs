//! Jobs that are processes: they do what threads do, and none of them is left behind, whoever is killed.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support;
use crate::support::{ENGINE, PATIENCE, last_event, signal, wait_for_interval};

const JOBS: usize = 3;

/// Writes to three files for ten minutes, by processes; `changes` replaces keys.
fn load(directory: &Path, changes: Value) -> String {
    let mut job = json!({
        "format": 1, "kind": "load", "interface": "psync", "direct": false, "access": {"kind": "sequential"},
        "read_percent": 0, "queue_depth": 1, "jobs": JOBS, "seed": 7, "interval_ns": 50_000_000,
        "block_sizes": [{"size_bytes": 4096, "weight": 1}], "duration_ns": 600_000_000_000u64,
        "target": {"kind": "files", "directory": directory, "prefix": "f", "count": 3, "file_size_bytes": 1 << 20},
        "workers": "processes",
    });
    let keys = changes.as_object().unwrap().clone();
    job.as_object_mut().unwrap().extend(keys);
    job.to_string()
}

/// Starts the engine in the directory of its target.
fn start(directory: &Path, changes: Value) -> Child {
    support::start(Command::new(ENGINE).current_dir(directory), &load(directory, changes))
}

fn run(directory: &Path, changes: Value) -> Output {
    start(directory, changes).wait_with_output().unwrap()
}

/// Processes that work in a directory, other than the engine: its workers, whoever their parent is by now.
fn workers(directory: &Path, engine: &Child) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<i32>().ok());
    let works_here =
        |pid: &i32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == directory);
    pids.filter(|pid| *pid != engine.id() as i32).filter(works_here).collect()
}

fn wait_for_workers(directory: &Path, engine: &Child) {
    let begin = Instant::now();
    while workers(directory, engine).is_empty() {
        assert!(begin.elapsed() < PATIENCE, "no worker came up");
    }
}

/// A process that has ended works nowhere, also while its entry is still there.
fn assert_no_workers(directory: &Path, engine: &Child) {
    let begin = Instant::now();
    while let Some(pid) = workers(directory, engine).first() {
        assert!(begin.elapsed() < PATIENCE, "worker {pid} is left behind");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A directory under the name that the kernel gives it.
fn directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

#[test]
fn processes_do_what_threads_do() {
    let result = |interface: &str, workers: &str| {
        let (_directory, path) = directory();
        let changes = json!({"workers": workers, "interface": interface, "size_limit_bytes": 6 << 20});
        let output = run(&path, changes);
        let event = last_event(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{event}");
        let contents: Vec<Vec<u8>> =
            (0..3).map(|file| std::fs::read(path.join(format!("f000{file}"))).unwrap()).collect();
        (event["result"].clone(), contents)
    };
    for interface in ["psync", "io_uring"] {
        let (threads, thread_contents) = result(interface, "threads");
        let (processes, process_contents) = result(interface, "processes");
        for key in ["jobs", "ended", "features"] {
            assert_eq!(threads[key], processes[key], "{key}");
        }
        for key in ["operations", "size_bytes", "errors"] {
            assert_eq!(threads["write"][key], processes["write"][key], "{key}");
        }
        assert_eq!(processes["write"]["size_bytes"], 6 << 20);
        assert_eq!(processes["write"]["service_latency"]["operations"], 1536);
        assert_eq!(processes["cpu"]["threads"], JOBS);
        let cpu = &processes["cpu"];
        assert!(cpu["user_ns"].as_u64().unwrap() + cpu["system_ns"].as_u64().unwrap() > 0);
        assert!(thread_contents == process_contents, "the same seed wrote other bytes");
    }
}

/// Everything that several writers of one file can be asked for, at once.
#[test]
fn processes_cover_their_places_as_threads_do() {
    let result = |workers: &str, descriptors: &str| {
        let (_directory, path) = directory();
        let file = path.join("data");
        let changes = json!({
            "target": {"kind": "file", "path": &file, "size_bytes": 3 << 20},
            "workers": workers, "descriptors": descriptors, "interface": "io_uring", "passes": 2,
            "ranges": {"kind": "interleaved"}, "sync": {"kind": "fdatasync", "every": 64}, "verify": true,
            "access": {"kind": "random"}, "companions": [{"role": "log", "count": 1, "block_size_bytes": 16384}],
        });
        let output = run(&path, changes);
        let event = last_event(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{event}");
        let contents = std::fs::read(file).unwrap();
        (event["result"].clone(), contents)
    };
    let (_, expected) = result("threads", "own");
    for descriptors in ["own", "shared"] {
        let (found, contents) = result("processes", descriptors);
        // 768 blocks, a third of them each job's, twice; and a call after every 64 writes of a job.
        assert_eq!((&found["ended"], &found["write"]["operations"]), (&"size_limit".into(), &1536.into()));
        for job in found["jobs"].as_array().unwrap() {
            assert_eq!(job["operations"], 512);
            let elapsed_ns = job["elapsed_ns"].as_u64().unwrap();
            assert!(elapsed_ns > 0 && elapsed_ns <= found["elapsed_ns"].as_u64().unwrap());
        }
        assert_eq!(
            (&found["sync"]["calls"], &found["integrity"]["checked_blocks"]),
            (&24.into(), &768.into())
        );
        assert_eq!(found["integrity"]["faulty"], json!([]));
        assert_eq!(found["companions"].as_array().unwrap().len(), 1);
        assert!(contents == expected, "the same seed wrote other bytes");
    }
}

/// The descriptors under which a process has a file open, in the table of any of its threads.
fn descriptors(pid: i32, file: &Path) -> BTreeSet<String> {
    let on_file = support::open_files(pid).into_iter().filter(|(_, opened)| opened == file);
    on_file.map(|(number, _)| number).collect()
}

/// A worker that opened the file for itself would do so under a number that the engine does not have for it.
#[test]
fn shared_descriptors_are_the_engines() {
    for (descriptors_key, is_shared) in [("shared", true), ("own", false)] {
        let (_directory, path) = directory();
        let mut engine = start(&path, json!({"descriptors": descriptors_key}));
        let _reader = wait_for_interval(&mut engine);
        let file = path.join("f0001");
        let engines = descriptors(engine.id() as i32, &file);
        assert_eq!(engines.len(), usize::from(is_shared));
        for worker in workers(&path, &engine) {
            let found = descriptors(worker, &file);
            assert_eq!(found.len(), 1);
            assert_eq!(found == engines, is_shared);
        }
        engine.kill().unwrap();
        engine.wait().unwrap();
        assert_no_workers(&path, &engine);
    }
}

#[test]
fn an_engine_that_is_killed_takes_its_workers_along() {
    let (_directory, path) = directory();
    let mut engine = start(&path, json!({}));
    let _reader = wait_for_interval(&mut engine);
    assert_eq!(workers(&path, &engine).len(), JOBS);
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert_no_workers(&path, &engine);
}

/// Also while the engine is still starting them: some have not yet asked to die with it.
#[test]
fn an_engine_that_is_killed_early_leaves_no_workers() {
    let (_directory, path) = directory();
    for delay_ms in [0, 1, 2, 5, 10, 20] {
        let mut engine = start(&path, json!({"jobs": 64, "seed": delay_ms}));
        wait_for_workers(&path, &engine);
        std::thread::sleep(Duration::from_millis(delay_ms));
        engine.kill().unwrap();
        engine.wait().unwrap();
        assert_no_workers(&path, &engine);
    }
}

#[test]
fn signals_end_the_load_with_what_it_has() {
    for which in [Signal::INT, Signal::TERM] {
        let (_directory, path) = directory();
        let mut engine = start(&path, json!({"jobs": 16}));
        let mut reader = wait_for_interval(&mut engine);
        assert_eq!(workers(&path, &engine).len(), 16);
        let begin = Instant::now();
        signal(&engine, which);
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert_eq!(engine.wait().unwrap().code(), Some(130));
        assert!(begin.elapsed() < PATIENCE);
        let last = last_event(&rest);
        assert_eq!((&last["event"], &last["result"]["ended"]), (&"finished".into(), &"interrupted".into()));
        assert!(last["result"]["write"]["operations"].as_u64().unwrap() > 0);
        assert_no_workers(&path, &engine);
    }
}

#[test]
fn workers_that_wait_for_their_pace_stop_as_well() {
    let (_directory, path) = directory();
    let rate = json!({"rate": {"operations_per_second": 0.01, "arrival": "constant"}});
    let mut engine = start(&path, rate);
    let _reader = wait_for_interval(&mut engine);
    let begin = Instant::now();
    signal(&engine, Signal::TERM);
    drop(_reader);
    engine.wait().unwrap();
    assert!(begin.elapsed() < PATIENCE);
    assert_no_workers(&path, &engine);
}

#[test]
fn a_worker_that_is_killed_ends_the_load_as_failed() {
    let (_directory, path) = directory();
    let mut engine = start(&path, json!({}));
    let mut reader = wait_for_interval(&mut engine);
    kill_process(Pid::from_raw(workers(&path, &engine)[1]).unwrap(), Signal::KILL).unwrap();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert_eq!(engine.wait().unwrap().code(), Some(3));
    let error = &last_event(&rest)["error"];
    assert_eq!(error["code"], "processes");
    assert!(error["what"].as_str().unwrap().ends_with("ended without a result"), "{error}");
    assert_no_workers(&path, &engine);
}

#[test]
fn a_job_that_fails_in_a_worker_is_told_as_if_it_were_a_thread() {
    let (_directory, path) = directory();
    let failure = |workers: &str| {
        let output = run(&path, json!({"workers": workers, "read_percent": 100}));
        assert_eq!(output.status.code(), Some(3));
        last_event(&output.stdout)["error"].clone()
    };
    let by_processes = failure("processes");
    assert_eq!(by_processes["code"], "target.open");
    assert_eq!(failure("threads"), by_processes);
}

#[test]
fn a_worker_without_an_engine_says_so() {
    let output = Command::new(ENGINE).arg("worker").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("a worker is started by the engine"));
    let help = Command::new(ENGINE).arg("--help").output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("  worker"));
}
