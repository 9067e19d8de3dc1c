//! The engine of fsgauge: one job as JSON on standard input, events as lines of JSON on standard output.
//!
//! Exit codes: 0 done, 2 a wrong job, 3 the machine failed, 130 interrupted.

mod arguments;
mod identity;
mod inherited;
mod output;
mod privileges;
mod schema;

use std::io::Read;
use std::process::ExitCode;

use clap::Parser;
use fsgauge_alloc::run_age;
use fsgauge_clients::run_clients;
use fsgauge_load::instruments::{die_with_parent, stop_on_signals};
use fsgauge_load::{WorkerCommand, run_layout, run_load, run_probe, run_worker};
use fsgauge_scan::run_scan;
use fsgauge_wire::{AgeEnded, Ended, Event, Failure, Job, JobResult, Stop, parse_job};

use arguments::{Arguments, Command};
use output::Output;

/// The shell's convention for a process ended by SIGINT.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    match Arguments::parse().command {
        Some(Command::Schema { write, check }) => schema::command(write.as_deref(), check.as_deref()),
        Some(Command::Worker) => ExitCode::from(work()),
        None => ExitCode::from(run()),
    }
}

/// Reads the job, runs it, writes events; gives the exit code.
fn run() -> u8 {
    inherited::close();
    die_with_parent();
    let stop = stop_on_signals();
    let mut output = Output::new();
    output::say_no_panic();
    match read_job().and_then(|job| dispatch(job, &mut output, stop)) {
        Ok(result) => {
            let code = if was_interrupted(&result) { INTERRUPTED } else { 0 };
            output.last(Event::Finished { result }).map_or(3, |()| code)
        }
        Err(error) => {
            let code = error.exit_code();
            output.last(Event::Failed { error }).map_or(3, |()| code)
        }
    }
}

/// One job of a load that another engine runs; gives the exit code.
fn work() -> u8 {
    die_with_parent();
    output::say_no_panic();
    run_worker(stop_on_signals())
}

/// A worker is this very binary, also when its file has been replaced meanwhile.
fn worker_command() -> WorkerCommand {
    WorkerCommand { program: "/proc/self/exe".into(), arguments: vec!["worker".into()] }
}

fn read_job() -> Result<Job, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        let next = "give one JSON object on standard input; schema/job.json describes it";
        Failure::job("not_json", "the job cannot be read", error.to_string(), next)
    })?;
    parse_job(&text)
}

fn dispatch(job: Job, output: &mut Output, stop: Stop) -> Result<JobResult, Failure> {
    let engine = identity::engine();
    privileges::keep_for(&job)?;
    output.started(&engine, &stop);
    match job {
        Job::Load(load) => run_load(load, engine, Some(&worker_command()), output, stop)
            .map(|result| JobResult::Load(Box::new(result))),
        Job::Layout(layout) => run_layout(&layout, engine, output, stop).map(JobResult::Layout),
        Job::Probe(probe) => run_probe(&probe, engine).map(JobResult::Probe),
        Job::Clients(job) => {
            run_clients(&job, engine, output, stop).map(|result| JobResult::Load(Box::new(result)))
        }
        Job::Age(age) => run_age(&age, engine, output, stop).map(|result| JobResult::Age(Box::new(result))),
        Job::Scan(scan) => {
            run_scan(&scan, engine, output, stop).map(|result| JobResult::Scan(Box::new(result)))
        }
    }
}

fn was_interrupted(result: &JobResult) -> bool {
    match result {
        JobResult::Load(load) => load.ended == Ended::Interrupted,
        JobResult::Layout(layout) => layout.ended == Ended::Interrupted,
        JobResult::Probe(_) => false,
        JobResult::Scan(scan) => scan.ended == Ended::Interrupted,
        JobResult::Age(age) => age.ended == AgeEnded::Interrupted,
    }
}
