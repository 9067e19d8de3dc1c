//! The running jobs of a load, as the main thread sees them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fsgauge_clock::{Armed, LEAD_NS, arm};
use fsgauge_wire::{Failure, Features, Listener, LoadJob, MachineCpu, Note, Outcome, Stop, Workers};

use crate::companion::Companions;
use crate::instruments::{
    Clock, Deadline, FirstMoment, RunMonitor, STOP_LIMIT, Series, Start, TICK, WarmUp, cpu, stop_all, unix_ns,
};
use crate::job_thread::{Shared, shared_files};
use crate::medium::Medium;
use crate::merge::LoadOutcome;
use crate::outcome::Report;
use crate::processes::WorkerCommand;
use crate::running_job::RunningJob;
use crate::target::{self, Ground};
use crate::wear_out::{WEAR_OUT_TIMES, WearOut};
use fsgauge_net::Access;

/// From the moment all jobs are ready to the load's first moment.
const RUN_UP_NS: u64 = 1_000_000;
/// The same for each worker process: all must have read the start before it comes.
const PROCESS_RUN_UP_NS: u64 = 200_000;
/// How long a worker that is done may take to leave, and then to die.
const LEAVE_LIMIT: Duration = Duration::from_millis(300);
/// How long beyond its time a job may stay in the kernel: a call of fsync writes back what the cache took.
const LATE_NS: u64 = 90_000_000_000;
/// How long companions are waited for after the last job: for one operation at most.
const COMPANION_LIMIT: Duration = Duration::from_secs(30);

/// The jobs of a load.
pub(crate) struct RunningJobs {
    pub(crate) shared: Shared,
    /// Empty once the job has reported that it is done.
    jobs: Vec<Option<RunningJob>>,
    /// Jobs that are done, whose process may take a moment to exit.
    leaving: Vec<RunningJob>,
    reports: Receiver<Report>,
    pub(crate) companions: Companions,
}

impl RunningJobs {
    /// Starts every job; they get ready and wait. `command` starts worker processes, `access` lets into a share, and
    /// files are opened on `ground`.
    pub(crate) fn spawn(
        load: LoadJob,
        medium: Medium,
        (command, access, ground): (Option<&WorkerCommand>, Option<Access>, Ground),
        clock: Clock,
        stop: Stop,
    ) -> Outcome<RunningJobs> {
        if load.workers == Workers::Processes {
            target::allow_open_files(2 * load.jobs);
        }
        let jobs = load.jobs;
        let opened = if medium == Medium::Target { shared_files(&load, &ground)? } else { None };
        let (sender, reports) = channel();
        let wear_out = load.wear_out.then(|| Arc::new(WearOut::new(load.jobs)));
        let shared = Shared {
            warm_up: WarmUp::from(load.warm_up_ns),
            load: Arc::new(load),
            medium,
            opened,
            access,
            ground,
            clock,
            stop,
            start: Arc::new(Start::default()),
            wear_out,
        };
        let companions = Companions::spawn(&shared)?;
        let mut running = RunningJobs { shared, jobs: Vec::new(), leaving: Vec::new(), reports, companions };
        for job in 0..jobs {
            match RunningJob::spawn(&running.shared, job, command, sender.clone()) {
                Ok(running_job) => running.jobs.push(Some(running_job)),
                Err(failure) => return Err(running.give_up(failure)),
            }
        }
        Ok(running)
    }

    /// Waits until every job has opened its files; gives the first one's features and notes.
    pub(crate) fn wait_until_ready(&mut self) -> Outcome<(Option<Features>, Vec<Note>)> {
        let mut first = None;
        for _ in 0..self.jobs.len() {
            match self.reports.recv() {
                Ok(Report::Ready { features, notes }) => {
                    first.get_or_insert((features, notes));
                }
                Ok(Report::Done { job, outcome }) => {
                    self.dismiss(job);
                    if let Err(failure) = *outcome {
                        return Err(self.give_up(failure));
                    }
                }
                Ok(Report::Interval { .. }) | Err(_) => {}
            }
        }
        Ok(first.unwrap_or_default())
    }

    /// Starts the jobs, passes intervals on, and gathers what they measured.
    pub(crate) fn follow(&mut self, listener: &mut dyn Listener) -> Outcome<LoadOutcome> {
        let (armed, first) = self.first_moment(listener).map_err(|failure| self.give_up(failure))?;
        self.follow_from(armed, first, listener)
    }

    /// The same from a moment of a mix, which is to come.
    pub(crate) fn follow_from(
        &mut self,
        armed: Option<Armed>,
        first: FirstMoment,
        listener: &mut dyn Listener,
    ) -> Outcome<LoadOutcome> {
        let zero_ns = first.zero_ns;
        let until_ns = zero_ns.saturating_sub(self.shared.clock.now_ns());
        let mut measured = LoadOutcome::new(&self.shared.load, unix_ns() + until_ns);
        let load = &self.shared.load;
        let times = if load.wear_out { WEAR_OUT_TIMES } else { 1 };
        let (warm_up, duration_ns) = (self.shared.warm_up.clone(), load.duration_ns.saturating_mul(times));
        let late_ns = (zero_ns + warm_up.end_ns()).saturating_add(duration_ns).saturating_add(LATE_NS);
        let (clock, stop) = (self.shared.clock, self.shared.stop);
        let series = Series::new(self.jobs.len(), warm_up.clone(), duration_ns);
        let deadline = Deadline::new(clock, stop, late_ns);
        let mut monitor = RunMonitor::begin(clock, zero_ns, warm_up.clone(), series, deadline);
        let mut machine = MachineWindow::new(zero_ns, warm_up);
        self.start(first);
        while self.jobs.iter().any(Option::is_some) {
            let tick = machine.tick(self.shared.clock.now_ns());
            let mut is_quiet = false;
            match self.reports.recv_timeout(tick) {
                Ok(Report::Interval { job, interval }) => monitor.add(job, interval),
                Ok(Report::Done { job, outcome }) => {
                    self.dismiss(job);
                    monitor.done(job);
                    measured.outcomes[job as usize] =
                        Some((*outcome).map_err(|failure| self.give_up(failure))?);
                }
                Ok(Report::Ready { .. }) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    is_quiet = true;
                    self.interrupt_late(zero_ns);
                }
            }
            self.companions.look().map_err(|failure| self.give_up(failure))?;
            if !monitor.should_continue(listener, is_quiet, || self.request_stop()) {
                measured.note_unresponsive();
                break;
            }
        }
        (measured.intervals, measured.pauses) = monitor.end(listener, measured.end_ns());
        measured.machine = machine.end();
        measured.common_start = armed.map(|armed| measured.common_start(&armed, &clock));
        let limit = || if stop.is_set() { STOP_LIMIT } else { COMPANION_LIMIT };
        let note = self.companions.end(limit).map_err(|failure| self.give_up(failure))?;
        measured.note = measured.note.or(note);
        Ok(measured)
    }

    /// Wakes jobs that wait in the kernel beyond a boundary: intervals end when they end, I/O or not.
    fn interrupt_late(&self, zero_ns: u64) {
        if self.shared.clock.now_ns() > zero_ns {
            self.interrupt_all();
        }
    }

    fn interrupt_all(&self) {
        self.jobs.iter().flatten().for_each(RunningJob::interrupt);
    }

    fn request_stop(&mut self) {
        self.jobs.iter_mut().flatten().for_each(RunningJob::request_stop);
    }

    /// Soon, or the start that it has in common with other engines: that is waited for up to its last moments.
    fn first_moment(&self, listener: &mut dyn Listener) -> Outcome<(Option<Armed>, FirstMoment)> {
        let (load, clock, run_up_ns) = (&self.shared.load, &self.shared.clock, self.run_up_ns());
        let armed = arm(&load.wanted_start(), LEAD_NS + run_up_ns, listener, self.shared.stop)?;
        let threads = self.jobs.len() + load.companions.iter().map(|each| each.count as usize).sum::<usize>();
        let first = match &armed {
            Some(armed) => FirstMoment::common(armed, clock, threads),
            None => FirstMoment::alone(clock.now_ns() + run_up_ns),
        };
        Ok((armed, first))
    }

    fn run_up_ns(&self) -> u64 {
        match self.shared.load.workers {
            Workers::Threads => RUN_UP_NS,
            Workers::Processes => RUN_UP_NS + PROCESS_RUN_UP_NS * self.jobs.len() as u64,
        }
    }

    fn start(&mut self, first: FirstMoment) {
        self.shared.start.give(first);
        self.jobs.iter_mut().flatten().for_each(|running_job| running_job.start(&first));
    }

    /// A member that has reported its end is not waited for.
    fn dismiss(&mut self, job: u32) {
        self.leaving.extend(self.jobs[job as usize].take());
    }

    /// Stops every job after one has failed, and waits for them within the limit.
    pub(crate) fn give_up(&mut self, failure: Failure) -> Failure {
        self.shared.stop.set();
        self.start(FirstMoment::alone(self.shared.clock.now_ns()));
        stop_all(|| {
            let runs = self.jobs.iter_mut().flatten().any(|running_job| !running_job.is_gone());
            if runs {
                self.request_stop();
            }
            runs
        });
        failure
    }
}

impl Drop for RunningJobs {
    /// Worker processes do not outlive the load: what has not left within a moment is killed.
    fn drop(&mut self) {
        let mut left: Vec<RunningJob> = self.jobs.drain(..).flatten().chain(self.leaving.drain(..)).collect();
        left.retain(|running_job| matches!(running_job, RunningJob::Process(_)));
        let begin = Instant::now();
        let mut is_killed = false;
        while !left.is_empty() && begin.elapsed() < 2 * LEAVE_LIMIT {
            left.retain_mut(|running_job| !running_job.is_gone());
            if begin.elapsed() > LEAVE_LIMIT && !is_killed {
                left.iter_mut().for_each(RunningJob::kill);
                is_killed = true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// CPU time of the machine between the end of the warm-up and the end of the load.
struct MachineWindow {
    zero_ns: u64,
    warm_up: WarmUp,
    begin: Option<MachineCpu>,
}

impl MachineWindow {
    fn new(zero_ns: u64, warm_up: WarmUp) -> Self {
        MachineWindow { zero_ns, warm_up, begin: None }
    }

    /// Reads the machine when the measured part has begun; gives how long the caller may wait.
    fn tick(&mut self, now_ns: u64) -> Duration {
        if self.begin.is_some() {
            return TICK;
        }
        let begin_at_ns = self.zero_ns + self.warm_up.end_ns();
        if now_ns >= begin_at_ns {
            self.begin = Some(cpu::machine());
            return TICK;
        }
        TICK.min(Duration::from_nanos(begin_at_ns - now_ns))
    }

    fn end(&self) -> MachineCpu {
        let end = cpu::machine();
        self.begin.map_or_else(MachineCpu::default, |begin| cpu::machine_between(&begin, &end))
    }
}
