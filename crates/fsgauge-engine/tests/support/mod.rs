//! What the tests of the binary share: starting it with a job, and reading what it says.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod held;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

pub const ENGINE: &str = env!("CARGO_BIN_EXE_fsgauge-engine");
/// Far above what anything here takes, far below the minutes that the loads would run.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a command that is the engine, and gives it a job.
///
/// A copy of the engine that was just made is busy for a moment where another test forked while it was written.
pub fn start(command: &mut Command, job: &str) -> Child {
    let begun = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && begun.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            spawned => break spawned.unwrap(),
        }
    };
    child.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    child
}

/// Runs a job to its end.
pub fn run(job: &str) -> Output {
    start(&mut Command::new(ENGINE), job).wait_with_output().unwrap()
}

/// What a process has open, by number and path, in the table of any of its threads.
pub fn open_files(pid: i32) -> BTreeSet<(String, PathBuf)> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let tables = threads.filter_map(|thread| std::fs::read_dir(thread.ok()?.path().join("fd")).ok());
    let entries = tables.flatten().filter_map(Result::ok);
    let named = entries.filter_map(|entry| {
        let path = std::fs::read_link(entry.path()).ok()?;
        Some((entry.file_name().into_string().ok()?, path))
    });
    named.collect()
}

/// The last of the lines that an engine has written.
pub fn last_event(lines: &[u8]) -> Value {
    let text = std::str::from_utf8(lines).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// Reads events until an interval has come.
pub fn wait_for_interval(child: &mut Child) -> BufReader<ChildStdout> {
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"interval\"") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the engine ended before its first interval");
    }
    reader
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}
