//! An engine with a lease: its control pipe stays open, and its events are read one by one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::ENGINE;

pub struct Held {
    pub child: Child,
    orders: Option<ChildStdin>,
    events: BufReader<ChildStdout>,
}

impl Held {
    /// Starts a command that is the engine, and gives it a job as its first line.
    pub fn start(command: &mut Command, job: &Value) -> Held {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (orders, events) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut held = Held { child, orders, events };
        held.order(job);
        held
    }

    pub fn engine(job: &Value) -> Held {
        Held::start(&mut Command::new(ENGINE), job)
    }

    pub fn order(&mut self, order: &Value) {
        self.line(&order.to_string());
    }

    pub fn line(&mut self, line: &str) {
        // An engine that has ended reads no more; what it said tells why.
        let _ = self.orders.as_mut().unwrap().write_all(format!("{line}\n").as_bytes());
    }

    pub fn close(&mut self) {
        self.orders = None;
    }

    /// Reads events up to one of a name; gives that.
    pub fn wait_for(&mut self, name: &str) -> Value {
        loop {
            let event = self.next().unwrap_or_else(|| panic!("the engine ended before {name}"));
            if event["event"] == name {
                return event;
            }
            assert!(event["event"] != "failed", "{event}");
        }
    }

    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.events.read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Reads to the end; gives the exit code and the last event. The pipe stays open until then.
    pub fn end(mut self) -> (Option<i32>, Value) {
        let mut last = json!(null);
        while let Some(event) = self.next() {
            last = event;
        }
        (self.child.wait().unwrap().code(), last)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A test that failed leaves no engine behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A load on nothing, with a lease of ten seconds; `changes` replaces keys.
pub fn null_load(changes: &Value) -> Value {
    let mut job = json!({
        "format": 1, "kind": "load", "target": {"kind": "null", "size_bytes": 1 << 20}, "interface": "psync",
        "direct": false, "access": {"kind": "random"}, "read_percent": 100, "queue_depth": 1, "jobs": 1, "seed": 1,
        "block_sizes": [{"size_bytes": 4096, "weight": 1}], "duration_ns": 60_000_000_000u64, "interval_ns": 50_000_000,
        "lease": {"silence_limit_ns": 10_000_000_000u64},
    });
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}
