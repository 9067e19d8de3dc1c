//! The crew: the jobs of a load, and what the main thread knows of them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fsgauge_wire::{Event, Failure, Features, LoadJob, MachineCpu, Note};

use crate::clock::Clock;
use crate::companion::Companions;
use crate::cpu;
use crate::job_thread::{JobThread, Shared, Start};
use crate::medium::Medium;
use crate::merge::{Followed, Series};
use crate::outcome::Report;
use crate::run::tell;
use crate::stop::{Stop, nudge};
use crate::{Listener, Outcome};

/// How often the main thread looks up from waiting.
const TICK: Duration = Duration::from_millis(50);
/// From the moment all jobs are ready to the load's first moment.
const RUN_UP_NS: u64 = 1_000_000;
/// How long jobs that were told to stop are waited for: they are in the kernel, on a device that hangs.
const STOP_LIMIT: Duration = Duration::from_millis(800);
/// How long companions are waited for after the last job: for one operation at most.
const COMPANION_LIMIT: Duration = Duration::from_secs(30);

/// The jobs of a load.
pub(crate) struct Crew {
    pub(crate) shared: Shared,
    /// Empty once the thread has reported that it is done.
    threads: Vec<Option<JoinHandle<()>>>,
    reports: Receiver<Report>,
    pub(crate) companions: Companions,
}

impl Crew {
    /// Starts every job; they get ready and wait.
    pub(crate) fn spawn(load: LoadJob, medium: Medium, clock: Clock, stop: Stop) -> Outcome<Crew> {
        let jobs = load.jobs;
        let (sender, reports) = channel();
        let shared = Shared { load: Arc::new(load), medium, clock, stop, start: Arc::new(Start::default()) };
        let companions = Companions::spawn(&shared)?;
        let threads = (0..jobs).map(|job| spawn_job(&shared, job, sender.clone()).map(Some)).collect();
        match threads {
            Ok(threads) => Ok(Crew { shared, threads, reports, companions }),
            Err(failure) => {
                // Those that were started wait for the start; they end as soon as they get it.
                stop.set();
                shared.start.give(clock.now_ns());
                Err(failure)
            }
        }
    }

    /// Waits until every job has opened its files; gives the first one's features and notes.
    pub(crate) fn wait_until_ready(&mut self) -> Outcome<(Option<Features>, Vec<Note>)> {
        let mut first = None;
        for _ in 0..self.threads.len() {
            match self.reports.recv() {
                Ok(Report::Ready { features, notes }) => {
                    first.get_or_insert((features, notes));
                }
                Ok(Report::Done { job, outcome }) => {
                    self.threads[job as usize] = None;
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
        let zero_ns = self.shared.clock.now_ns() + RUN_UP_NS;
        let mut followed = Followed::new(self.threads.len(), unix_ns() + RUN_UP_NS);
        let mut series = Series::new(self.threads.len());
        let mut machine = MachineWindow::new(zero_ns + self.shared.load.warm_up_ns);
        self.shared.start.give(zero_ns);
        let mut told_to_stop: Option<Instant> = None;
        while self.threads.iter().any(Option::is_some) {
            let tick = machine.tick(self.shared.clock.now_ns());
            match self.reports.recv_timeout(tick) {
                Ok(Report::Interval { job, interval }) => series.add(job, interval),
                Ok(Report::Done { job, outcome }) => {
                    self.threads[job as usize] = None;
                    series.done(job);
                    followed.outcomes[job as usize] =
                        Some((*outcome).map_err(|failure| self.give_up(failure))?);
                }
                Ok(Report::Ready { .. }) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => self.nudge_late(zero_ns),
            }
            self.companions.look().map_err(|failure| self.give_up(failure))?;
            series.ready().for_each(|interval| tell(listener, &self.shared.stop, Event::Interval(interval)));
            if listener.gone() {
                self.shared.stop.set();
            }
            if self.shared.stop.is_set() {
                self.nudge_all();
                if told_to_stop.get_or_insert_with(Instant::now).elapsed() > STOP_LIMIT {
                    followed.note_unresponsive();
                    break;
                }
            }
        }
        (followed.machine, followed.intervals) = (machine.end(), series.all());
        let limit = if self.shared.stop.is_set() { STOP_LIMIT } else { COMPANION_LIMIT };
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
        self.threads.iter().flatten().for_each(nudge);
    }

    /// Stops every job after one has failed, and waits for them within the limit.
    fn give_up(&self, failure: Failure) -> Failure {
        self.shared.stop.set();
        self.shared.start.give(self.shared.clock.now_ns());
        let begin = Instant::now();
        while self.threads.iter().flatten().any(|thread| !thread.is_finished())
            && begin.elapsed() < STOP_LIMIT
        {
            self.nudge_all();
            std::thread::sleep(Duration::from_millis(1));
        }
        failure
    }
}

fn spawn_job(shared: &Shared, job: u32, reports: Sender<Report>) -> Outcome<JoinHandle<()>> {
    let thread = JobThread { shared: shared.clone(), job, reports: reports.clone() };
    let run = move || {
        let outcome = Box::new(thread.run());
        // Nobody listens only when the load has been given up.
        let _ = reports.send(Report::Done { job, outcome });
    };
    std::thread::Builder::new().name(format!("load-{job}")).spawn(run).map_err(|error| {
        let what = format!("thread {job} of the load cannot be started: {error}");
        Failure::system(
            "threads",
            error.raw_os_error(),
            what,
            "a limit on processes is reached",
            "ulimit -u; choose fewer jobs",
        )
    })
}

fn unix_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
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
