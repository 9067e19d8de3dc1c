//! The crew: the jobs of a load, and what the main thread knows of them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fsgauge_wire::{Failure, Features, Listener, LoadJob, MachineCpu, Note, Outcome, Stop, Workers};

use crate::companion::Companions;
use crate::instruments::{
    Clock, Deadline, Following, STOP_LIMIT, Series, Start, TICK, cpu, stop_all, unix_ns,
};
use crate::job_thread::{Shared, shared_files};
use crate::medium::Medium;
use crate::member::Member;
use crate::merge::Followed;
use crate::outcome::Report;
use crate::processes::WorkerCommand;
use crate::target;
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
pub(crate) struct Crew {
    pub(crate) shared: Shared,
    /// Empty once the job has reported that it is done.
    members: Vec<Option<Member>>,
    /// Members that are done and may take a moment to leave.
    leaving: Vec<Member>,
    reports: Receiver<Report>,
    pub(crate) companions: Companions,
}

impl Crew {
    /// Starts every job; they get ready and wait. `command` starts worker processes, `access` lets into a share.
    pub(crate) fn spawn(
        load: LoadJob,
        medium: Medium,
        (command, access): (Option<&WorkerCommand>, Option<Access>),
        clock: Clock,
        stop: Stop,
    ) -> Outcome<Crew> {
        if load.workers == Workers::Processes {
            target::allow_open_files(2 * load.jobs);
        }
        let jobs = load.jobs;
        let opened = if medium == Medium::Target { shared_files(&load)? } else { None };
        let (sender, reports) = channel();
        let shared = Shared {
            load: Arc::new(load),
            medium,
            opened,
            access,
            clock,
            stop,
            start: Arc::new(Start::default()),
        };
        let companions = Companions::spawn(&shared)?;
        let mut crew = Crew { shared, members: Vec::new(), leaving: Vec::new(), reports, companions };
        for job in 0..jobs {
            match Member::spawn(&crew.shared, job, command, sender.clone()) {
                Ok(member) => crew.members.push(Some(member)),
                Err(failure) => return Err(crew.give_up(failure)),
            }
        }
        Ok(crew)
    }

    /// Waits until every job has opened its files; gives the first one's features and notes.
    pub(crate) fn wait_until_ready(&mut self) -> Outcome<(Option<Features>, Vec<Note>)> {
        let mut first = None;
        for _ in 0..self.members.len() {
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
    pub(crate) fn follow(&mut self, listener: &mut dyn Listener) -> Outcome<Followed> {
        let run_up_ns = self.run_up_ns();
        let zero_ns = self.shared.clock.now_ns() + run_up_ns;
        let mut followed = Followed::new(&self.shared.load, unix_ns() + run_up_ns);
        let (warm_up_ns, duration_ns) = (self.shared.load.warm_up_ns, self.shared.load.duration_ns);
        let measured_from_ns = zero_ns + warm_up_ns;
        let late_ns = measured_from_ns.saturating_add(duration_ns).saturating_add(LATE_NS);
        let (clock, stop) = (self.shared.clock, self.shared.stop);
        let series = Series::new(self.members.len(), warm_up_ns.saturating_add(duration_ns));
        let deadline = Deadline::new(clock, stop, late_ns);
        let mut following = Following::begin(clock, zero_ns, measured_from_ns, series, deadline);
        let mut machine = MachineWindow::new(measured_from_ns);
        self.start(zero_ns);
        while self.members.iter().any(Option::is_some) {
            let tick = machine.tick(self.shared.clock.now_ns());
            let mut is_quiet = false;
            match self.reports.recv_timeout(tick) {
                Ok(Report::Interval { job, interval }) => following.add(job, interval),
                Ok(Report::Done { job, outcome }) => {
                    self.dismiss(job);
                    following.done(job);
                    followed.outcomes[job as usize] =
                        Some((*outcome).map_err(|failure| self.give_up(failure))?);
                }
                Ok(Report::Ready { .. }) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    is_quiet = true;
                    self.nudge_late(zero_ns);
                }
            }
            self.companions.look().map_err(|failure| self.give_up(failure))?;
            if !following.goes_on(listener, is_quiet, || self.tell_to_stop()) {
                followed.note_unresponsive();
                break;
            }
        }
        (followed.intervals, followed.pauses) = following.end(listener, followed.end_ns());
        followed.machine = machine.end();
        let limit = || if stop.is_set() { STOP_LIMIT } else { COMPANION_LIMIT };
        let note = self.companions.end(limit).map_err(|failure| self.give_up(failure))?;
        followed.note = followed.note.or(note);
        Ok(followed)
    }

    /// Wakes jobs that wait in the kernel beyond a boundary: intervals end when they end, I/O or not.
    fn nudge_late(&self, zero_ns: u64) {
        if self.shared.clock.now_ns() > zero_ns {
            self.nudge_all();
        }
    }

    fn nudge_all(&self) {
        self.members.iter().flatten().for_each(Member::nudge);
    }

    fn tell_to_stop(&mut self) {
        self.members.iter_mut().flatten().for_each(Member::tell_to_stop);
    }

    fn run_up_ns(&self) -> u64 {
        match self.shared.load.workers {
            Workers::Threads => RUN_UP_NS,
            Workers::Processes => RUN_UP_NS + PROCESS_RUN_UP_NS * self.members.len() as u64,
        }
    }

    fn start(&mut self, zero_ns: u64) {
        self.shared.start.give(zero_ns);
        self.members.iter_mut().flatten().for_each(|member| member.start(zero_ns));
    }

    /// A member that has reported its end is not waited for.
    fn dismiss(&mut self, job: u32) {
        self.leaving.extend(self.members[job as usize].take());
    }

    /// Stops every job after one has failed, and waits for them within the limit.
    fn give_up(&mut self, failure: Failure) -> Failure {
        self.shared.stop.set();
        self.start(self.shared.clock.now_ns());
        stop_all(|| {
            let runs = self.members.iter_mut().flatten().any(|member| !member.is_gone());
            if runs {
                self.tell_to_stop();
            }
            runs
        });
        failure
    }
}

impl Drop for Crew {
    /// Worker processes do not outlive the load: what has not left within a moment is killed.
    fn drop(&mut self) {
        let mut left: Vec<Member> = self.members.drain(..).flatten().chain(self.leaving.drain(..)).collect();
        left.retain(|member| matches!(member, Member::Process(_)));
        let begin = Instant::now();
        let mut is_killed = false;
        while !left.is_empty() && begin.elapsed() < 2 * LEAVE_LIMIT {
            left.retain_mut(|member| !member.is_gone());
            if begin.elapsed() > LEAVE_LIMIT && !is_killed {
                left.iter_mut().for_each(Member::kill);
                is_killed = true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// CPU time of the machine between the end of the warm-up and the end of the load.
struct MachineWindow {
    begin_at_ns: u64,
    begin: Option<MachineCpu>,
}

impl MachineWindow {
    fn new(begin_at_ns: u64) -> Self {
        MachineWindow { begin_at_ns, begin: None }
    }

    /// Reads the machine when the measured part has begun; gives how long the caller may wait.
    fn tick(&mut self, now_ns: u64) -> Duration {
        if self.begin.is_some() {
            return TICK;
        }
        if now_ns >= self.begin_at_ns {
            self.begin = Some(cpu::machine());
            return TICK;
        }
        TICK.min(Duration::from_nanos(self.begin_at_ns - now_ns))
    }

    fn end(&self) -> MachineCpu {
        let end = cpu::machine();
        self.begin.map_or_else(MachineCpu::default, |begin| cpu::machine_between(&begin, &end))
    }
}
