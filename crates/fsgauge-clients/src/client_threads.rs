//! The threads that run the clients, as the main thread sees them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use fsgauge_clock::{Armed, LEAD_NS, arm};
use fsgauge_door::Folder;
use fsgauge_load::instruments::{
    Begun, Clock, Deadline, FirstMoment, RunMonitor, Series, Start, TICK, cpu, interrupt, send_event,
    stop_all, unix_ns,
};
use fsgauge_load::{WEAR_OUT_TIMES, WearOut, unshare};
use fsgauge_net::{NfsTarget, Target, Waiting};
use fsgauge_wire::{
    ClientsInterface, ClientsJob, Dispatch, Event, Failure, Features, Interval, Listener, MachineCpu, Note,
    Outcome, Pauses, Phase, Stop, Tree,
};

use super::event_loop::{EventLoop, LoopContext, LoopOutcome};
use super::existing::existing;
use super::file_set::{Directory, directories};
use super::plan::Plan;
use super::target::{NullTarget, PlainTarget, RingTarget};
use super::thread_outcomes::{Admitted, ThreadOutcomes, end_ns};
use crate::server::{Access, ConnectLimit, DISCONNECT_DELAY, DisconnectBarrier, Server, directory_of};

/// From the moment all are ready to the first moment: all must be awake by then.
const RUN_UP_NS: u64 = 1_000_000;
const THREAD_RUN_UP_NS: u64 = 20_000;
/// How long beyond the time limit a thread may stay in the kernel.
const LATE_NS: u64 = 90_000_000_000;
/// A loop needs little, and a thread a client is many.
const STACK_BYTES: usize = 256 << 10;

/// What all threads share.
#[derive(Clone)]
struct Shared {
    plan: Arc<Plan>,
    clock: Clock,
    stop: Stop,
    start: Arc<Start>,
    threads: u32,
    /// The server that the clients work on, and the limit on connecting; none on this machine.
    server: Option<(Access, Arc<ConnectLimit>)>,
    /// The folder that they work in; none on a server.
    folder: Option<Arc<Folder>>,
    /// What a server may take beside the measured part.
    waiting: Waiting,
    /// Where clients of a server wait for each other before they disconnect.
    disconnects: Arc<DisconnectBarrier>,
    /// Where their loops meet when the time is up; none where the job does not ask for it.
    wear_out: Option<Arc<WearOut>>,
}

/// What a thread reports.
enum Report {
    /// Its clients are connected: when that began and ended, and the target's features and notes.
    Ready {
        connect: Option<(u64, u64)>,
        features: Option<Features>,
        notes: Vec<Note>,
    },
    Interval {
        thread: u32,
        interval: Interval,
    },
    Done {
        thread: u32,
        outcome: Box<Outcome<LoopOutcome>>,
    },
}

/// The threads.
pub(crate) struct ClientThreads {
    shared: Shared,
    threads: Vec<JoinHandle<()>>,
    reports: Receiver<Report>,
}

/// How many threads run the clients.
pub(crate) fn threads_of(job: &ClientsJob) -> u32 {
    match job.dispatch {
        Dispatch::Threads => job.clients,
        Dispatch::EventLoop => {
            let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
            job.threads.unwrap_or(processors).min(job.clients)
        }
    }
}

/// How long the measured part may last.
fn longest_ns(job: &ClientsJob) -> u64 {
    job.time_limit_ns.saturating_mul(if job.wear_out { WEAR_OUT_TIMES } else { 1 })
}

/// The numbers of the clients that thread `thread` of `threads` runs.
pub(crate) fn share(clients: u32, thread: u32, threads: u32) -> impl Iterator<Item = u32> {
    (thread..clients).step_by(threads as usize)
}

impl ClientThreads {
    /// Starts the threads: each connects its clients and waits.
    pub(crate) fn spawn(
        plan: Arc<Plan>,
        clock: Clock,
        stop: Stop,
        server: Option<&Server>,
        folder: Option<Arc<Folder>>,
        waiting: Waiting,
    ) -> Outcome<ClientThreads> {
        let (sender, reports) = channel();
        let threads = threads_of(&plan.job);
        let server = server.map(|server| (server.access.clone(), Arc::new(ConnectLimit::new())));
        let (start, disconnects) = (Arc::new(Start::default()), Arc::new(DisconnectBarrier::default()));
        let wear_out = plan.job.wear_out.then(|| Arc::new(WearOut::new(threads)));
        let shared =
            Shared { plan, clock, stop, start, threads, server, folder, waiting, disconnects, wear_out };
        let mut client_threads = ClientThreads { shared, threads: Vec::new(), reports };
        for thread in 0..threads {
            match spawn(client_threads.shared.clone(), thread, sender.clone()) {
                Ok(handle) => client_threads.threads.push(handle),
                Err(failure) => return Err(client_threads.give_up(failure)),
            }
        }
        Ok(client_threads)
    }

    /// Waits until all clients are connected.
    pub(crate) fn wait_until_ready(&mut self) -> Outcome<Admitted> {
        let (mut admitted, mut first): (Admitted, _) = (Admitted::default(), true);
        let mut connects: Option<(u64, u64)> = None;
        let mut ready = 0;
        let mut deadline = Deadline::new(self.shared.clock, self.shared.stop, u64::MAX);
        while ready < self.threads.len() {
            match self.reports.recv_timeout(TICK) {
                Ok(Report::Ready { connect, features, notes }) => {
                    ready += 1;
                    if let Some((begin_ns, end_ns)) = connect {
                        let (first_ns, last_ns) = connects.unwrap_or((begin_ns, end_ns));
                        connects = Some((first_ns.min(begin_ns), last_ns.max(end_ns)));
                    }
                    if std::mem::take(&mut first) {
                        (admitted.features, admitted.notes) = (features, notes);
                    }
                }
                Ok(Report::Done { outcome, .. }) => {
                    if let Err(failure) = *outcome {
                        return Err(self.give_up(failure));
                    }
                    ready += 1;
                }
                Ok(Report::Interval { .. }) | Err(_) => {}
            }
            if !deadline.should_continue(true, || self.interrupt_all()) {
                return Err(self.give_up(unresponsive_connect()));
            }
        }
        admitted.connect_ns = connects.map_or(0, |(begin_ns, end_ns)| end_ns - begin_ns);
        Ok(admitted)
    }

    /// Starts the clients, passes intervals on, and gathers what was measured.
    pub(crate) fn follow(&mut self, listener: &mut dyn Listener) -> Outcome<ThreadOutcomes> {
        let count = self.threads.len();
        let (armed, first) = self.first_moment(listener).map_err(|failure| self.give_up(failure))?;
        let (clock, stop, zero_ns) = (self.shared.clock, self.shared.stop, first.zero_ns);
        let mut measured_threads = ThreadOutcomes {
            started_unix_ns: unix_ns() + zero_ns.saturating_sub(clock.now_ns()),
            outcomes: (0..count).map(|_| None).collect(),
            machine: MachineCpu::default(),
            intervals: Vec::new(),
            note: None,
            pauses: Pauses::default(),
            common_start: None,
        };
        let machine = cpu::machine();
        let time_limit_ns = longest_ns(&self.shared.plan.job);
        let deadline =
            Deadline::new(clock, stop, zero_ns.saturating_add(time_limit_ns).saturating_add(LATE_NS));
        let series = Series::new(count, 0, time_limit_ns);
        let mut monitor = RunMonitor::begin(clock, zero_ns, 0, series, deadline);
        self.shared.start.give(first);
        let mut done = 0;
        while done < count {
            let mut is_quiet = false;
            match self.reports.recv_timeout(TICK) {
                Ok(Report::Interval { thread, interval }) => monitor.add(thread, interval),
                Ok(Report::Done { thread, outcome }) => {
                    done += 1;
                    monitor.done(thread);
                    let outcome = (*outcome).map_err(|failure| self.give_up(failure))?;
                    measured_threads.outcomes[thread as usize] = Some(outcome);
                }
                Ok(Report::Ready { .. }) => {}
                Err(RecvTimeoutError::Timeout) => is_quiet = true,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if !monitor.should_continue(listener, is_quiet, || self.interrupt_all()) {
                break;
            }
        }
        measured_threads.note_unresponsive();
        let end_ns = end_ns(|| measured_threads.outcomes.iter().flatten());
        (measured_threads.intervals, measured_threads.pauses) = monitor.end(listener, end_ns);
        measured_threads.machine = cpu::machine_between(&machine, &cpu::machine());
        measured_threads.common_start =
            armed.map(|armed| armed.result(measured_threads.true_starts(), clock.to_monotonic(end_ns)));
        Ok(measured_threads)
    }

    /// Soon, or the start that it has in common with other engines: that is waited for up to its last moments.
    fn first_moment(&self, listener: &mut dyn Listener) -> Outcome<(Option<Armed>, FirstMoment)> {
        let (clock, threads) = (&self.shared.clock, self.threads.len());
        let run_up_ns = RUN_UP_NS + THREAD_RUN_UP_NS * threads as u64;
        let wanted = self.shared.plan.job.wanted_start();
        let armed = arm(&wanted, LEAD_NS + run_up_ns, listener, self.shared.stop)?;
        let first = match &armed {
            Some(armed) => FirstMoment::common(armed, clock, threads),
            None => FirstMoment::alone(clock.now_ns() + run_up_ns),
        };
        Ok((armed, first))
    }

    /// Lets the clients of a server go, after a moment in which the listener may see what the server used.
    pub(crate) fn part(&self, listener: &mut dyn Listener) {
        send_event(listener, &self.shared.stop, Event::ClientsThrough {});
        if !self.shared.stop.is_set() {
            std::thread::sleep(DISCONNECT_DELAY);
        }
        self.shared.disconnects.open();
    }

    fn interrupt_all(&self) {
        self.threads.iter().filter(|thread| !thread.is_finished()).for_each(interrupt);
    }

    /// Stops every thread after one has failed, and waits for them within the limit.
    fn give_up(&self, failure: Failure) -> Failure {
        self.shared.stop.set();
        self.shared.start.give(FirstMoment::alone(self.shared.clock.now_ns()));
        stop_all(|| {
            self.interrupt_all();
            self.threads.iter().any(|thread| !thread.is_finished())
        });
        failure
    }
}

impl Drop for ClientThreads {
    /// Nobody stays behind, whatever became of the run.
    fn drop(&mut self) {
        self.shared.disconnects.open();
    }
}

fn spawn(shared: Shared, thread: u32, reports: Sender<Report>) -> Outcome<JoinHandle<()>> {
    let run = move || {
        if let Err(failure) = carry(&shared, thread, &reports) {
            // Nobody listens only when the run has been given up.
            let _ = reports.send(Report::Done { thread, outcome: Box::new(Err(failure)) });
        }
    };
    let builder = std::thread::Builder::new().name(format!("clients-{thread}")).stack_size(STACK_BYTES);
    builder.spawn(run).map_err(|error| {
        Failure::system(
            "threads",
            error.raw_os_error(),
            format!("thread {thread} of the clients cannot be started: {error}"),
            "a limit on processes is reached",
            "ulimit -u; set dispatch to \"event_loop\"",
        )
    })
}

/// Carries a thread's share of the clients on the job's target, and reports what they did.
fn carry(shared: &Shared, thread: u32, reports: &Sender<Report>) -> Outcome<()> {
    let job = &shared.plan.job;
    let record_size_bytes = job.files.record_size_bytes;
    if let Some((access, _)) = &shared.server {
        return carry_on_server(shared, thread, reports, access);
    }
    let Some(folder) = shared.folder.as_deref() else {
        return carry_on(shared, thread, reports, NullTarget::new(record_size_bytes), None, Vec::new());
    };
    unshare();
    if job.dispatch == Dispatch::Threads || job.interface == ClientsInterface::Plain {
        let target = PlainTarget::new(folder, record_size_bytes)?;
        return carry_on(shared, thread, reports, target, None, Vec::new());
    }
    let lanes = share(job.clients, thread, shared.threads).count() as u32 * job.outstanding;
    let (target, features, notes) = RingTarget::new(folder, record_size_bytes, lanes, job.interface)?;
    carry_on(shared, thread, reports, target, features, notes)
}

/// Carries a thread's share of the clients on a server.
fn carry_on_server(shared: &Shared, thread: u32, reports: &Sender<Report>, access: &Access) -> Outcome<()> {
    let job = &shared.plan.job;
    let (record_size_bytes, directory) = (job.files.record_size_bytes, directory_of(&job.target));
    let clients = share(job.clients, thread, shared.threads).count() as u32;
    match access {
        Access::Smb(access) => {
            let target = access.clients(clients, job.outstanding, record_size_bytes)?;
            carry_on(shared, thread, reports, target, None, Vec::new())
        }
        Access::Nfs(export) => {
            let target = NfsTarget::new(export, directory, record_size_bytes, clients, job.outstanding)?;
            carry_on(shared, thread, reports, target, None, Vec::new())
        }
    }
}

fn carry_on<T: Target>(
    shared: &Shared,
    thread: u32,
    reports: &Sender<Report>,
    target: T,
    features: Option<Features>,
    notes: Vec<Note>,
) -> Outcome<()> {
    let plan = shared.plan.as_ref();
    let mut on_interval = |interval| {
        // Nobody listens only when the run has been given up.
        let _ = reports.send(Report::Interval { thread, interval });
    };
    let (clock, stop) = (shared.clock, shared.stop);
    let context = LoopContext { plan, clock, stop, on_interval: &mut on_interval };
    let numbers = share(plan.job.clients, thread, shared.threads);
    let mut event_loop = EventLoop::new(context, target, numbers);
    let connect = admitted(&mut event_loop, shared, thread)?;
    if let (true, Some(folder)) = (plan.job.only_existing, &shared.folder) {
        event_loop.find_files(|client| existing(plan, folder, client));
    }
    shared.wear_out.iter().for_each(|wear_out| event_loop.wears_out(wear_out.clone()));
    if plan.job.dispatch == Dispatch::Threads && plan.job.files.tree == (Tree::Own {}) {
        event_loop.enter_directory();
    }
    // Nobody listens only when the run has been given up; then the start is given with the flag set.
    let _ = reports.send(Report::Ready { connect, features, notes });
    let Begun { zero_ns, true_start } = shared.start.wait(&clock);
    let outcome = event_loop.run(zero_ns).map(|outcome| LoopOutcome { true_start, ..outcome });
    // Reported before the target goes: its end waits for what the kernel still has.
    let _ = reports.send(Report::Done { thread, outcome: Box::new(outcome) });
    if shared.server.is_some() {
        shared.disconnects.wait(Duration::from_nanos(plan.job.time_limit_ns.saturating_add(LATE_NS)));
    }
    Ok(())
}

/// Lets a thread's clients in; gives when that began and ended, where there was anything to do.
fn admitted<T: Target>(
    event_loop: &mut EventLoop<'_, T>,
    shared: &Shared,
    thread: u32,
) -> Outcome<Option<(u64, u64)>> {
    let plan = shared.plan.as_ref();
    let mut to_make = directories_of(plan, thread, shared.threads).peekable();
    if let Some((_, limit)) = &shared.server {
        let is_own = plan.job.files.tree == (Tree::Own {});
        let (begin_ns, end_ns) =
            event_loop.admit(limit, is_own && to_make.peek().is_some(), &shared.waiting)?;
        event_loop.drains_within(shared.waiting.left());
        if is_own || to_make.peek().is_none() {
            return Ok(Some((begin_ns, end_ns)));
        }
        let (_, end_ns) = event_loop.connect(to_make, Some(&shared.waiting))?;
        event_loop.drains_within(shared.waiting.left());
        return Ok(Some((begin_ns, end_ns)));
    }
    match to_make.peek() {
        Some(_) => event_loop.connect(to_make, None).map(Some),
        None => Ok(None),
    }
}

/// The directories that a thread makes: those of its clients, or all of a shared tree.
fn directories_of(plan: &Plan, thread: u32, threads: u32) -> Box<dyn Iterator<Item = Directory>> {
    let job = &plan.job;
    match (&job.phase, &job.files.tree) {
        (Phase::Write { .. }, Tree::Own {}) => {
            Box::new(share(job.clients, thread, threads).map(|client| Directory::Client { client }))
        }
        (Phase::Write { .. }, Tree::Shared { .. }) if thread == 0 => directories(&job.files, job.clients),
        _ => Box::new(std::iter::empty()),
    }
}

fn unresponsive_connect() -> Failure {
    Failure::system(
        "clients.unresponsive",
        None,
        "threads that create directories did not return from the kernel after a stop request",
        "the storage hangs",
        "dmesg | tail",
    )
}
