//! One backup from start to end.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;

use fsgauge_clock::{LEAD_NS, arm, begin_at, now_ns};
use fsgauge_load::instruments::{
    Clock, Deadline, PauseWatch, TICK, allow_interrupts, cpu, interrupt, send_event, unix_ns,
};
use fsgauge_wire::{
    ClientOperation, ClientsJob, Engine, Event, Failure, Interval, Listener, LoadResult, Note, Outcome,
    Pauses, SelfMeasure, Stamps, Stop,
};

use super::check::{BackupPlan, check};
use super::open::Opener;
use super::outcome::BackupOutcome;
use super::reader::Reader;
use super::result::{LoopContext, notes_of, result};
use super::server::ServerReader;
use super::stopwatch::Stopwatch;
use crate::plan::Plan;
use crate::server::{Server, beside};
use crate::trailing_data::check_for_trailing_data;

/// How long a reader whose time is up is waited for: its last operation may be slow. A server has 30 s for each.
const LATE_NS: u64 = 30_000_000_000;
const LATE_SERVER_NS: u64 = 70_000_000_000;
/// How long one measure of the engine itself runs; the best of several is taken.
const MEASURE_NS: u64 = 12_000_000;
const MEASURES: usize = 3;

/// Backs up everything below the target's directory and gives the result; events go to `listener` meanwhile.
pub(crate) fn run_backup(
    job: &ClientsJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<LoadResult> {
    let plan = check(job)?;
    let (clock, clock_note) = Clock::new();
    let mut notes: Vec<Note> = clock_note.into_iter().collect();
    let begin_ns = clock.now_ns();
    let server = Server::reach(job, &beside(job, &stop))?;
    let reader = AnyReader::new(job, &plan, server.clone(), stop)?;
    let connect_ns = clock.now_ns() - begin_ns;
    let self_measure = self_measure(&clock);
    send_event(listener, &stop, Event::SelfMeasure(self_measure));
    allow_interrupts();
    if matches!(reader, AnyReader::OnServer(_)) {
        send_event(listener, &stop, Event::ClientsIn { connect_ns });
    }

    let armed = arm(&job.wanted_start(), LEAD_NS, listener, stop)?;
    let zero_ns = armed.map_or_else(|| clock.now_ns(), |armed| clock.at_monotonic(armed.start_at_ns));
    let started_unix_ns = unix_ns() + zero_ns.saturating_sub(clock.now_ns());
    let machine = cpu::machine();
    let (sender, reports) = channel();
    let (time_limit_ns, interval_ns) = (plan.time_limit_ns, plan.interval_ns);
    let watch = move || Stopwatch::start(clock, stop, time_limit_ns, interval_ns, sender);
    let reader = match armed {
        None => {
            let watch = watch();
            spawn(move || reader.back_up(watch))?
        }
        Some(armed) => spawn(move || {
            let true_start = begin_at(armed.start_at_ns, true);
            let backed_up = reader.back_up(watch())?;
            let common_start = Some(armed.result([true_start], now_ns()));
            Ok(BackupOutcome { common_start, ..backed_up })
        })?,
    };
    let watch_of_pauses = PauseWatch::start(clock, zero_ns, 0);
    let (backed_up, intervals) = follow(reader, &reports, &plan, listener, (clock, zero_ns), stop)?;
    let pauses = Pauses { starved_ns: backed_up.starved_ns, ..watch_of_pauses.end() };
    let machine_cpu = cpu::machine_between(&machine, &cpu::machine());

    let told = notes_of(&backed_up);
    notes.iter().chain(&told).for_each(|note| send_event(listener, &stop, Event::Note(note.clone())));
    notes.extend(told);
    let surroundings = LoopContext {
        engine,
        notes,
        started_unix_ns,
        connect_ns,
        machine_cpu,
        intervals,
        self_measure,
        pauses,
    };
    let mut measured = result(job, &plan, backed_up, surroundings);
    check_for_trailing_data(&Plan::new(job), (server.as_ref(), None), &mut measured, &stop);
    Ok(measured)
}

/// What reads: files of this machine, or of a server.
enum AnyReader {
    Here(Box<Reader>),
    OnServer(Box<ServerReader>),
}

impl AnyReader {
    /// Opens the directory, or lets a session in to the server.
    fn new(job: &ClientsJob, plan: &BackupPlan, server: Option<Server>, stop: Stop) -> Outcome<Self> {
        Ok(match server {
            Some(server) => AnyReader::OnServer(Box::new(ServerReader::new(job, plan, server, stop)?)),
            None => AnyReader::Here(Box::new(Reader::new(job, plan, Opener::new(&plan.directory)?))),
        })
    }

    fn back_up(self, watch: Stopwatch) -> Outcome<BackupOutcome> {
        match self {
            AnyReader::Here(reader) => reader.back_up(watch),
            AnyReader::OnServer(reader) => reader.back_up(watch),
        }
    }
}

fn spawn(
    run: impl FnOnce() -> Outcome<BackupOutcome> + Send + 'static,
) -> Outcome<JoinHandle<Outcome<BackupOutcome>>> {
    std::thread::Builder::new().name("backup".into()).spawn(run).map_err(|error| {
        let what = format!("the backup's reader cannot be started: {error}");
        Failure::system("threads", error.raw_os_error(), what, "a limit on processes is reached", "ulimit -u")
    })
}

/// Passes intervals on until the reader, which begins at `zero_ns`, is done; gives what it did and the series.
fn follow(
    reader: JoinHandle<Outcome<BackupOutcome>>,
    reports: &Receiver<Interval>,
    plan: &BackupPlan,
    listener: &mut dyn Listener,
    (clock, zero_ns): (Clock, u64),
    stop: Stop,
) -> Outcome<(BackupOutcome, Vec<Interval>)> {
    let time_up_ns = zero_ns.saturating_add(plan.time_limit_ns);
    let late_ns = if plan.is_on_server { LATE_SERVER_NS } else { LATE_NS };
    let mut deadline = Deadline::new(clock, stop, time_up_ns.saturating_add(late_ns));
    let mut series = Vec::new();
    loop {
        match reports.recv_timeout(TICK) {
            Ok(interval) => {
                series.push(interval);
                send_event(listener, &stop, Event::Interval(interval));
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The reader is done: its watch is gone.
            Err(RecvTimeoutError::Disconnected) => {
                return Ok((reader.join().unwrap_or_else(|_| Err(broken()))?, series));
            }
        }
        if listener.gone() {
            stop.set();
        }
        if !deadline.should_continue(true, || interrupt(&reader)) {
            return Err(unresponsive(&plan.directory));
        }
        if clock.now_ns() > time_up_ns {
            interrupt(&reader);
        }
    }
}

/// What the engine costs by itself: an operation that does nothing, timed and counted.
fn self_measure(clock: &Clock) -> SelfMeasure {
    const CALLS: u32 = 1000;
    let measure = || {
        let (sender, _reports) = channel();
        let mut watch = Stopwatch::start(*clock, Stop::never(), MEASURE_NS, MEASURE_NS, sender);
        let (begin_ns, mut calls) = (cpu::thread_ns(), 0);
        while watch.over().is_none() {
            for _ in 0..CALLS {
                let begin_ns = watch.begin();
                watch.done(ClientOperation::Read, std::hint::black_box(begin_ns), 1);
            }
            calls += CALLS;
        }
        (cpu::thread_ns() - begin_ns) as f64 / f64::from(calls)
    };
    SelfMeasure {
        null_ns_per_operation: (0..MEASURES).map(|_| measure()).fold(f64::INFINITY, f64::min),
        clock_ns_per_read: clock.cost_ns(),
        clock_ns_per_tick: clock.ns_per_tick(),
        clock: clock.kind(),
        stamps: Stamps::Operation,
    }
}

fn unresponsive(directory: &str) -> Failure {
    let what = format!("the backup of {directory} did not return from the kernel");
    Failure::system("backup.unresponsive", None, what, "its storage hangs", "dmesg | tail")
}

fn broken() -> Failure {
    let next = "report it with the job";
    Failure::system("backup", None, "the backup's reader broke off", "a bug in fsgauge", next)
}
