//! The engine's side of a worker: start it, hear it, tell it to stop, and leave nothing of it behind.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::Sender;

use fsgauge_wire::{Failure, Outcome};
use rustix::process::{Pid, Signal, kill_process};

use super::task::Task;
use super::{WorkerCommand, inherited};
use crate::instruments::FirstMoment;
use crate::job_thread::Shared;
use crate::outcome::Report;
use crate::target::OpenFiles;

/// What a listening thread needs: it reads lines and passes them on.
const LISTENER_STACK_BYTES: usize = 256 << 10;
/// How much of a line that makes no sense is shown.
const SHOWN_CHARACTERS: usize = 300;

/// A worker process.
#[derive(Debug)]
pub(crate) struct ChildProcess {
    child: Child,
    /// Held until the end: closing it ends the worker.
    orders: Option<ChildStdin>,
}

impl ChildProcess {
    /// Starts the worker of one job and gives it its task; its reports come through `reports`.
    pub(crate) fn spawn(
        command: &WorkerCommand,
        shared: &Shared,
        job: u32,
        reports: Sender<Report>,
    ) -> Outcome<ChildProcess> {
        let opened = shared.opened.as_ref();
        let ground = shared.ground.descriptor();
        opened
            .iter()
            .flat_map(|files| files.iter())
            .chain(ground)
            .try_for_each(inherited::pass_on)
            .map_err(|error| cannot_start(job, &error))?;
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            // No load logs in anywhere: a password is not passed on.
            .env_remove("FSGAUGE_SMB_PASSWORD")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What a worker has to say, it reports.
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| cannot_start(job, &error))?;
        let (orders, answers) = (child.stdin.take(), child.stdout.take());
        let mut process = ChildProcess { child, orders };
        let task = Task {
            load: (*shared.load).clone(),
            job,
            clock: shared.clock,
            opened: opened.map(OpenFiles::descriptors),
            ground: ground.map(|ground| ground.as_raw_fd()),
        };
        let line = serde_json::to_string(&task).map_err(|error| cannot_start(job, &error.into()))?;
        process.order(&line);
        let answers = answers.ok_or_else(|| cannot_start(job, &std::io::Error::other("it has no output")))?;
        std::thread::Builder::new()
            .name(format!("worker-{job}"))
            .stack_size(LISTENER_STACK_BYTES)
            .spawn(move || listen(job, answers, &reports))
            .map_err(|error| cannot_start(job, &error))?;
        Ok(process)
    }

    /// Gives the load's first moment.
    pub(crate) fn start(&mut self, first: &FirstMoment) {
        // Numbers and a yes or no: nothing that JSON cannot hold.
        self.order(&serde_json::to_string(first).unwrap_or_default());
    }

    /// A worker that cannot be written to has ended; its listener reports that.
    fn order(&mut self, line: &str) {
        if let Some(orders) = &mut self.orders {
            let _ = orders.write_all(line.as_bytes()).and_then(|()| orders.write_all(b"\n"));
        }
    }

    /// Asks it to end with what it has.
    pub(crate) fn request_stop(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Whether it is gone, and with it its entry in the kernel's table.
    pub(crate) fn is_gone(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// Signals it unless it is gone: its number may be another's by then.
    fn signal(&mut self, signal: Signal) {
        if !self.is_gone() {
            // It may end this moment: nothing to do then.
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
    }
}

/// Passes on what a worker says, to its last word.
fn listen(job: u32, answers: ChildStdout, reports: &Sender<Report>) {
    for line in BufReader::new(answers).lines() {
        let report = match line.map_err(|error| error.to_string()).and_then(|line| understand(&line)) {
            Ok(report) => report,
            Err(words) => ended_badly(job, format!("it said: {words}")),
        };
        let is_last = matches!(report, Report::Done { .. });
        // Nobody listens only when the load has been given up.
        if reports.send(report).is_err() || is_last {
            return;
        }
    }
    let _ = reports.send(ended_badly(job, "it was killed, possibly for lack of memory".into()));
}

fn understand(line: &str) -> Result<Report, String> {
    serde_json::from_str(line).map_err(|_| line.chars().take(SHOWN_CHARACTERS).collect())
}

fn ended_badly(job: u32, cause: String) -> Report {
    let what = format!("the worker process of job {job} ended without a result");
    let failure = Failure::system("processes", None, what, cause, "dmesg | tail; or workers \"threads\"");
    Report::Done { job, outcome: Box::new(Err(failure)) }
}

fn cannot_start(job: u32, error: &std::io::Error) -> Failure {
    let what = format!("the worker process of job {job} cannot be started: {error}");
    let cause = "a limit on processes, open files or memory is reached";
    let next = "ulimit -u; ulimit -n; choose fewer jobs, or workers \"threads\"";
    Failure::system("processes", error.raw_os_error(), what, cause, next)
}
