//! The engine of fsgauge: one job as JSON on standard input, events as lines of JSON on standard output. A job with a
//! lease is the first line, and orders follow.
//!
//! Exit codes: 0 done, 2 a wrong job, 3 the machine failed, 130 interrupted.

mod arguments;
mod control_pipe;
mod identity;
mod inherited;
mod lease;
mod output;
mod privileges;
mod run_name;
mod schema;

use std::num::NonZeroU64;
use std::process::ExitCode;

use clap::Parser;
use fsgauge_alloc::run_age;
use fsgauge_clients::run_clients;
use fsgauge_clock::{run_exchange_clock, run_serve_clock};
use fsgauge_load::instruments::{die_with_parent, stop_on_signals};
use fsgauge_load::{WorkerCommand, run_layout, run_load, run_mix, run_probe, run_worker};
use fsgauge_scan::run_scan;
use fsgauge_simulate::{run_predict, run_simulate};
use fsgauge_wire::{AgeEnded, Ended, Event, Job, JobResult, Outcome, Stop};

use arguments::{Arguments, Command};
use control_pipe::ControlPipe;
use output::Output;

/// The shell's convention for a process ended by SIGINT.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    // A job has no arguments, and what is there to parse them takes as long as a short job.
    if std::env::args_os().len() < 2 {
        return ExitCode::from(run());
    }
    match Arguments::parse().command {
        Some(Command::Schema { write, check }) => schema::command(write.as_deref(), check.as_deref()),
        Some(Command::Worker) => ExitCode::from(work()),
        None => ExitCode::from(run()),
    }
}

/// Linux ends a thread's waits up to 50 us late, which at a pace would be in every latency. Threads inherit it; where
/// it cannot be set, they are late.
fn end_waits_when_due() {
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Reads the job, runs it, writes events; gives the exit code.
fn run() -> u8 {
    die_with_parent();
    end_waits_when_due();
    let stop = stop_on_signals();
    let mut output = Output::new();
    output::say_no_panic();
    let mut pipe = ControlPipe::new();
    match pipe.read_job().and_then(|job| leased(job, pipe, &mut output, stop)) {
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

/// Runs a job for as long as its lease holds.
fn leased(job: Job, pipe: ControlPipe, output: &mut Output, stop: Stop) -> Outcome<JobResult> {
    fsgauge_door::hold(inherited::take(job.held())?);
    privileges::keep_for(&job)?;
    let Some(lease) = job.lease() else {
        return dispatch(job, output, stop);
    };
    if let Some(run) = &lease.run {
        run_name::take(run)?;
    }
    let orders = lease::hold(lease, pipe, stop)?;
    output.take_orders(orders.clone());
    match dispatch(job, output, stop) {
        // A failure of its own says more than the end of the lease.
        Err(failure) if failure.exit_code() != INTERRUPTED => Err(failure),
        ended => orders.over().map_or(ended, Err),
    }
}

fn dispatch(job: Job, output: &mut Output, stop: Stop) -> Outcome<JobResult> {
    let engine = identity::engine();
    output.started(&engine, &stop);
    match job {
        Job::Load(load) => run_load(load, engine, Some(&worker_command()), output, stop)
            .map(|result| JobResult::Load(Box::new(result))),
        Job::Mix(mix) => run_mix(mix, engine, output, stop).map(JobResult::Mix),
        Job::Layout(layout) => run_layout(&layout, engine, output, stop).map(JobResult::Layout),
        Job::Probe(probe) => run_probe(&probe, engine).map(JobResult::Probe),
        Job::Clients(job) => {
            run_clients(&job, engine, output, stop).map(|result| JobResult::Load(Box::new(result)))
        }
        Job::Age(age) => run_age(&age, engine, output, stop).map(|result| JobResult::Age(Box::new(result))),
        Job::Simulate(job) => {
            run_simulate(&job, engine, output, stop).map(|result| JobResult::Simulate(Box::new(result)))
        }
        Job::Predict(job) => run_predict(&job, engine).map(|result| JobResult::Predict(Box::new(result))),
        Job::Scan(scan) => {
            run_scan(&scan, engine, output, stop).map(|result| JobResult::Scan(Box::new(result)))
        }
        Job::ServeClock(job) => run_serve_clock(&job, engine, output, stop).map(JobResult::ServeClock),
        Job::ExchangeClock(job) => run_exchange_clock(&job, engine, stop).map(JobResult::ExchangeClock),
    }
}

fn was_interrupted(result: &JobResult) -> bool {
    match result {
        JobResult::Load(load) => load.ended == Ended::Interrupted,
        JobResult::Mix(mix) => mix.results.iter().any(|load| load.ended == Ended::Interrupted),
        JobResult::Layout(layout) => layout.ended == Ended::Interrupted,
        // A clock is served until somebody says stop.
        JobResult::Probe(_) | JobResult::Predict(_) => false,
        JobResult::ServeClock(_) | JobResult::ExchangeClock(_) => false,
        JobResult::Scan(scan) => scan.ended == Ended::Interrupted,
        JobResult::Simulate(simulate) => simulate.ended == Ended::Interrupted,
        JobResult::Age(age) => age.ended == AgeEnded::Interrupted,
    }
}
