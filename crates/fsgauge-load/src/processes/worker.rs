//! The worker's side: one job of a load, in a process of its own.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use fsgauge_wire::{Failure, Stop};

use super::inherited;
use super::task::Task;
use crate::instruments::pauses::merge;
use crate::instruments::{FirstMoment, PauseWatch, Start, WarmUp, allow_interrupts, interrupt};
use crate::job_thread::{Shared, spawn_job};
use crate::medium::Medium;
use crate::outcome::Report;
use crate::share;
use crate::target::{Ground, OpenFiles};

/// How often a worker looks up from waiting; hundreds of them must not disturb the load by it.
const TICK: Duration = Duration::from_millis(100);

/// Reads a task from standard input, runs it, and reports on standard output. Gives the exit code.
///
/// A worker whose engine is gone ends.
pub fn run_worker(stop: Stop) -> u8 {
    match read_task().and_then(|task| work(task, stop)) {
        Ok(()) => 0,
        Err(error) => {
            // Standard error may be closed; the exit code says the same.
            let _ = writeln!(io::stderr(), "error: {error}");
            3
        }
    }
}

fn work(task: Task, stop: Stop) -> io::Result<()> {
    let Task { load, job, clock, opened, ground } = task;
    let access = match share::access_of(&load.target) {
        Ok(access) => access,
        Err(failure) => return say(&done(job, failure)),
    };
    let opened = opened.map(|numbers| inherited::take(&numbers)).transpose()?.map(OpenFiles::from);
    let ground = match ground {
        Some(number) => Ground::passed_on(&load.target, inherited::take_one(number)?),
        None => Ground::None,
    };
    allow_interrupts();
    let start = Arc::new(Start::default());
    let shared = Shared {
        warm_up: WarmUp::from(load.warm_up_ns),
        load: Arc::new(load),
        medium: Medium::Target,
        opened,
        access,
        ground,
        clock,
        stop,
        start,
        wear_out: None,
    };
    let (sender, reports) = channel();
    let thread = match spawn_job(&shared, job, sender) {
        Ok(thread) => thread,
        Err(failure) => return say(&done(job, failure)),
    };
    let mut zero_ns = u64::MAX;
    let mut watch = None;
    loop {
        match reports.recv_timeout(TICK) {
            Ok(Report::Done { job, mut outcome }) => {
                if let (Ok(outcome), Some(watch)) = (outcome.as_mut(), watch.take()) {
                    merge(&mut outcome.pauses, &PauseWatch::end(watch));
                }
                return say(&Report::Done { job, outcome });
            }
            Ok(report) => {
                say(&report)?;
                if matches!(report, Report::Ready { .. }) {
                    let first: FirstMoment = serde_json::from_str(&read_line()?).map_err(io::Error::other)?;
                    zero_ns = first.zero_ns;
                    watch = Some(PauseWatch::start(clock, zero_ns, shared.warm_up.clone()));
                    shared.start.give(first);
                }
            }
            // Intervals end when they end, I/O or not.
            Err(RecvTimeoutError::Timeout) if clock.now_ns() > zero_ns => interrupt(&thread),
            Err(_) => {}
        }
        if stop.is_set() {
            interrupt(&thread);
        }
    }
}

fn done(job: u32, failure: Failure) -> Report {
    Report::Done { job, outcome: Box::new(Err(failure)) }
}

fn read_task() -> io::Result<Task> {
    serde_json::from_str(&read_line()?).map_err(io::Error::other)
}

/// One line of standard input. Its end means that the engine is gone.
fn read_line() -> io::Result<String> {
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(io::Error::other("a worker is started by the engine, which gives it its task"));
    }
    Ok(line)
}

fn say(report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_vec(report).map_err(io::Error::other)?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&line)?;
    stdout.flush()
}
