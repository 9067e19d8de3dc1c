//! A member of the crew: one job, as a thread of this process or as a process.

use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use fsgauge_wire::{Failure, Outcome, Workers};

use crate::instruments::nudge;
use crate::job_thread::{Shared, spawn_job};
use crate::outcome::Report;
use crate::processes::{ChildProcess, WorkerCommand};

/// One job of a load that has been started.
pub(crate) enum Member {
    Thread(JoinHandle<()>),
    Process(ChildProcess),
}

impl Member {
    /// Starts a job; it gets ready and waits for the start.
    pub(crate) fn spawn(
        shared: &Shared,
        job: u32,
        command: Option<&WorkerCommand>,
        reports: Sender<Report>,
    ) -> Outcome<Member> {
        if shared.load.workers == Workers::Threads {
            return spawn_job(shared, job, reports).map(Member::Thread);
        }
        let command = command.ok_or_else(no_command)?;
        ChildProcess::spawn(command, shared, job, reports).map(Member::Process)
    }

    /// Gives a process the start; threads have it from their shared one.
    pub(crate) fn start(&mut self, zero_ns: u64) {
        if let Member::Process(process) = self {
            process.start(zero_ns);
        }
    }

    /// Wakes a thread that waits in the kernel; processes do that by themselves.
    pub(crate) fn nudge(&self) {
        if let Member::Thread(thread) = self {
            nudge(thread);
        }
    }

    /// Makes it see that it is to stop.
    pub(crate) fn tell_to_stop(&mut self) {
        match self {
            Member::Thread(thread) => nudge(thread),
            Member::Process(process) => process.tell_to_stop(),
        }
    }

    /// Whether nothing of it runs any more.
    pub(crate) fn is_gone(&mut self) -> bool {
        match self {
            Member::Thread(thread) => thread.is_finished(),
            Member::Process(process) => process.is_gone(),
        }
    }

    /// Ends a process at once; a thread cannot be ended.
    pub(crate) fn kill(&mut self) {
        if let Member::Process(process) = self {
            process.kill();
        }
    }
}

fn no_command() -> Failure {
    Failure::job(
        "workers",
        "workers \"processes\" cannot be had here",
        "the caller of the load generator did not say how a worker process is started",
        "run the job with fsgauge-engine, or set workers to \"threads\"",
    )
}
