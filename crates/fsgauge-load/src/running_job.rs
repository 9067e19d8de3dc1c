//! A running job: a thread of this process, or a process of its own.

use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use fsgauge_wire::{Failure, Outcome, Workers};

use crate::instruments::{FirstMoment, interrupt};
use crate::job_thread::{Shared, spawn_job};
use crate::outcome::Report;
use crate::processes::{ChildProcess, WorkerCommand};

/// A job of a load that was started.
pub(crate) enum RunningJob {
    Thread(JoinHandle<()>),
    Process(ChildProcess),
}

impl RunningJob {
    /// Starts a job; it gets ready and waits for the start.
    pub(crate) fn spawn(
        shared: &Shared,
        job: u32,
        command: Option<&WorkerCommand>,
        reports: Sender<Report>,
    ) -> Outcome<RunningJob> {
        if shared.load.workers == Workers::Threads {
            return spawn_job(shared, job, reports).map(RunningJob::Thread);
        }
        let command = command.ok_or_else(no_command)?;
        ChildProcess::spawn(command, shared, job, reports).map(RunningJob::Process)
    }

    /// Gives a process the start; threads have it from their shared one.
    pub(crate) fn start(&mut self, first: &FirstMoment) {
        if let RunningJob::Process(process) = self {
            process.start(first);
        }
    }

    /// Interrupts a thread's wait in the kernel; processes do that by themselves.
    pub(crate) fn interrupt(&self) {
        if let RunningJob::Thread(thread) = self {
            interrupt(thread);
        }
    }

    /// Requests it to stop.
    pub(crate) fn request_stop(&mut self) {
        match self {
            RunningJob::Thread(thread) => interrupt(thread),
            RunningJob::Process(process) => process.request_stop(),
        }
    }

    /// Whether it has ended.
    pub(crate) fn is_gone(&mut self) -> bool {
        match self {
            RunningJob::Thread(thread) => thread.is_finished(),
            RunningJob::Process(process) => process.is_gone(),
        }
    }

    /// Ends a process at once; a thread cannot be ended.
    pub(crate) fn kill(&mut self) {
        if let RunningJob::Process(process) = self {
            process.kill();
        }
    }
}

fn no_command() -> Failure {
    Failure::job(
        "workers",
        "workers \"processes\" is not available here",
        "the caller of the load generator did not say how a worker process is started",
        "run the job with fsgauge-engine, or set workers to \"threads\"",
    )
}
