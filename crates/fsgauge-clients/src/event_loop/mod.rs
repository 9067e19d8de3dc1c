//! The event loop: carries a share of the clients on one target.
//!
//! Ready lanes are in a queue. One sweep starts one operation of each lane that was queued when it began: all advance
//! by the same number of operations, and with plain calls the order in which clients' records reach the file system
//! is fixed, round robin. An answered lane is queued again.
//!
//! The response time of an operation counts from the moment its client requests it: the previous answer, or the end of
//! the think time. So clients = throughput x (response + think time) holds by construction. Under a pace it counts from
//! when a file was due, whatever became of the one before.
//!
//! When the time is up, requests made by then are carried out and count until they are answered.
//!
//! What an operation passes through whose call answers at once is one function: `start`, and all that is marked
//! `inline(always)`. As functions of their own they took 0.2 µs more for a create and close of a file in memory, and as
//! much for a stat (AMD EPYC): calls and returns cost most right behind a system call.

mod admit;
mod answers;
mod clean_up;
mod client_directory;
mod connect;
mod drain;
mod intervals;
mod stonewall;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use fsgauge_load::instruments::{Clock, RunQueue, Window};
use fsgauge_load::{Pace, Paced, Random, WearOut};
use fsgauge_net::{Answer, Request, Started, Target, Traffic};
use fsgauge_wire::{Ended, Failure, Interval, IntervalCount, Outcome, Pauses, Rate, Stop};

use self::client_directory::DirectoryState;
use self::drain::DRAIN_LIMIT_NS;
pub(crate) use self::drain::Drained;
use crate::client::{Client, Lane, Paths};
use crate::clients_tally::ClientsTally;
use crate::cpu_time::CpuTime;
use crate::file_set::Records;
use crate::plan::Plan;
use crate::wake_queue::WakeQueue;

/// The longest wait; then the stop flag is checked.
const WAIT_LIMIT_NS: u64 = 20_000_000;

/// A paced wait ends so long before the next file is due, and the loop polls the rest: waking up takes time.
const POLL_NS: u64 = 20_000;
/// Arrivals are drawn apart from sizes, contents and orders.
const PACE_STREAM: u64 = 0x9ace_9ace_0000_0000;

/// What a loop is given beside its clients and its target.
pub(crate) struct LoopContext<'run> {
    pub(crate) plan: &'run Plan,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
    /// Receives each interval.
    pub(crate) on_interval: &'run mut dyn FnMut(Interval),
}

/// The loop.
pub(crate) struct EventLoop<'run, T> {
    context: LoopContext<'run>,
    target: T,
    clients: Vec<Member>,
    lanes: Vec<Lane>,
    times: Vec<Times>,
    /// When each lane's file is due; empty without a pace.
    paces: Vec<Paced>,
    /// Lanes with a request to start.
    ready: VecDeque<u32>,
    wake_queue: WakeQueue,
    /// Lanes with an operation in flight.
    pending: u32,
    answered: Vec<(u32, Answer)>,
    /// Lanes that have not finished.
    left: u32,
    paths: Paths,
    records: Records,
    pub(crate) tally: ClientsTally,
    counted: [IntervalCount; 2],
    window: Window,
    now_ns: u64,
    ended: Option<Ended>,
    /// When the time was up, or the stop was seen.
    time_up_ns: u64,
    /// The run is over: nothing more is counted.
    is_cleaning_up: bool,
    drained: Drained,
    drain_limit_ns: u64,
    wear_out: Option<Arc<WearOut>>,
    stonewall_ns: Option<u64>,
    in_flight_ns: u64,
    think_ns: u64,
}

/// A client and its counts.
#[derive(Debug)]
struct Member {
    client: Client,
    start_ns: u64,
    lanes_left: u32,
    count: ClientCount,
}

/// What a client did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientCount {
    pub(crate) number: u32,
    /// Records.
    pub(crate) operations: u64,
    pub(crate) size_bytes: u64,
    /// When it finished or gave up.
    pub(crate) end_ns: Option<u64>,
    pub(crate) gave_up: bool,
    /// Files that it had begun when the time was up, or else in all.
    pub(crate) files: u32,
    /// Names that its lists have given.
    pub(crate) names: u64,
}

impl ClientCount {
    /// Nothing yet.
    pub(crate) fn new(number: u32) -> Self {
        ClientCount { number, operations: 0, size_bytes: 0, end_ns: None, gave_up: false, files: 0, names: 0 }
    }
}

/// The moments of a lane.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    /// When the operation was requested.
    asked_ns: u64,
    /// When its current request was started.
    started_ns: u64,
    /// In earlier requests of the same operation.
    service_ns: u64,
    /// Since when the lane has been requesting, or thinking.
    since_ns: u64,
    is_thinking: bool,
    retries: u32,
    directory: DirectoryState,
}

/// What a loop hands over.
pub(crate) struct LoopOutcome {
    pub(crate) tally: ClientsTally,
    pub(crate) clients: Vec<ClientCount>,
    pub(crate) calls: Vec<fsgauge_wire::OperationCall>,
    /// In the measured part; none where there is no network.
    pub(crate) traffic: Option<Traffic>,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    /// When the time was up; `end_ns` where clients finished before.
    pub(crate) time_up_ns: u64,
    pub(crate) lanes: u64,
    pub(crate) drained: Drained,
    pub(crate) pauses: Pauses,
    /// Time of all lanes with a request outstanding, and in think time.
    pub(crate) in_flight_ns: u64,
    pub(crate) think_ns: u64,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) ended: Ended,
    /// When the time was up and clients went on, since its beginning.
    pub(crate) stonewall_ns: Option<u64>,
    /// When it began; none where no start is in common with other engines.
    pub(crate) true_start: Option<fsgauge_clock::TrueStart>,
}

impl<'run, T: Target> EventLoop<'run, T> {
    /// A loop of the clients with these numbers.
    pub(crate) fn new(context: LoopContext<'run>, target: T, numbers: impl Iterator<Item = u32>) -> Self {
        let plan = context.plan;
        let clients: Vec<Member> = numbers.map(|number| Member::new(plan, number)).collect();
        let lane = |(at, slot): (usize, u32)| {
            let number = clients[at].count.number;
            Lane::new(plan, at as u32, number, slot)
        };
        let slots = (0..clients.len()).flat_map(|at| (0..plan.job.outstanding).map(move |slot| (at, slot)));
        let lanes: Vec<Lane> = slots.map(lane).collect();
        let count = lanes.len();
        EventLoop {
            context,
            target,
            clients,
            lanes,
            times: vec![Times { directory: DirectoryState::at_first(plan), ..Times::default() }; count],
            paces: Vec::new(),
            ready: VecDeque::with_capacity(count),
            wake_queue: WakeQueue::default(),
            pending: 0,
            answered: Vec::with_capacity(count),
            left: count as u32,
            paths: Paths::new(),
            records: plan.records(),
            tally: ClientsTally::default(),
            counted: [IntervalCount::default(); 2],
            window: Window::new(0, 0, 1, 1),
            now_ns: 0,
            ended: None,
            time_up_ns: 0,
            is_cleaning_up: false,
            drained: Drained::default(),
            drain_limit_ns: DRAIN_LIMIT_NS,
            wear_out: None,
            stonewall_ns: None,
            in_flight_ns: 0,
            think_ns: 0,
        }
    }

    /// Runs the clients until all have finished, or the time is up. `zero_ns` is the first moment for all loops.
    pub(crate) fn run(&mut self, zero_ns: u64) -> Outcome<LoopOutcome> {
        let job = &self.context.plan.job;
        self.window = Window::new(zero_ns, 0, job.time_limit_ns, job.interval_ns);
        let (cpu, run_queue) = (CpuTime::of_thread(), RunQueue::of_thread());
        let late_start_ns = self.context.clock.now_ns().saturating_sub(zero_ns);
        let before = self.target.traffic();
        self.line_up(zero_ns);
        self.turn().map_err(|error| wait_failure(&error))?;
        self.drain().map_err(|error| wait_failure(&error))?;
        self.wear_out().map_err(|error| wait_failure(&error))?;
        let end_ns = self.end();
        let ((user_ns, system_ns), starved_ns) = (cpu.since(), run_queue.waited_ns());
        let traffic = self.target.traffic().zip(before).map(|(after, before)| after.since(before));
        self.clean_up().map_err(|error| wait_failure(&error))?;
        Ok(LoopOutcome {
            calls: self.target.calls(),
            traffic,
            clients: self.clients.iter().map(|member| member.count).collect(),
            tally: std::mem::take(&mut self.tally),
            begin_ns: zero_ns,
            end_ns,
            time_up_ns: self.time_up_ns,
            lanes: self.lanes.len() as u64,
            drained: self.drained,
            pauses: Pauses { late_start_ns, starved_ns, ..Pauses::default() },
            in_flight_ns: self.in_flight_ns,
            think_ns: self.think_ns,
            user_ns,
            system_ns,
            ended: self.ended.unwrap_or(Ended::SizeLimit),
            stonewall_ns: self.stonewall_ns,
            true_start: None,
        })
    }

    /// Queues every client at its time in the ramp.
    fn line_up(&mut self, zero_ns: u64) {
        let job = &self.context.plan.job;
        if let Some(rate) = job.rate {
            return self.line_up_paced(&rate, zero_ns);
        }
        for (lane, times) in self.times.iter_mut().enumerate() {
            let member = &mut self.clients[self.lanes[lane].client as usize];
            let share = u128::from(job.ramp_ns) * u128::from(member.count.number) / u128::from(job.clients);
            member.start_ns = zero_ns + share as u64;
            (times.asked_ns, times.since_ns) = (member.start_ns, member.start_ns);
            if share == 0 {
                self.ready.push_back(lane as u32);
            } else {
                self.wake_queue.add(member.start_ns, lane as u32);
            }
        }
    }

    /// Queues every client at the time at which its first file is due.
    fn line_up_paced(&mut self, rate: &Rate, zero_ns: u64) {
        let (clients, seed) = (self.context.plan.job.clients, self.context.plan.job.seed);
        for (lane, times) in self.times.iter_mut().enumerate() {
            let member = &mut self.clients[self.lanes[lane].client as usize];
            let number = member.count.number;
            let random = Random::new(seed, PACE_STREAM ^ u64::from(number));
            let pace = Paced::new(rate, number, clients, zero_ns, random);
            member.start_ns = pace.due_ns();
            (times.asked_ns, times.since_ns) = (pace.due_ns(), pace.due_ns());
            self.wake_queue.add(pace.due_ns(), lane as u32);
            self.paces.push(pace);
        }
    }

    /// Sweep after sweep.
    fn turn(&mut self) -> io::Result<()> {
        self.now_ns = self.context.clock.now_ns();
        while self.left > 0 {
            if self.now_ns >= self.window.next_ns {
                self.cross(self.now_ns);
            }
            self.wake();
            for _ in 0..self.ready.len() {
                if self.ended.is_some() {
                    return Ok(());
                }
                if let Some(lane) = self.ready.pop_front() {
                    self.start(lane);
                }
                if self.context.stop.is_set() {
                    self.ended.get_or_insert(Ended::Interrupted);
                }
            }
            self.wait()?;
            if self.context.stop.is_set() {
                self.ended.get_or_insert(Ended::Interrupted);
            }
            if self.ended.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Queues the lanes that are due.
    fn wake(&mut self) {
        while let Some((due_ns, lane)) = self.wake_queue.due(self.now_ns) {
            let times = &mut self.times[lane as usize];
            if times.is_thinking {
                self.think_ns += due_ns - times.since_ns;
            }
            (times.is_thinking, times.since_ns, times.asked_ns) = (false, due_ns, due_ns);
            self.ready.push_back(lane);
        }
    }

    /// Starts a lane's next request.
    #[inline(always)]
    fn start(&mut self, lane: u32) {
        match self.times[lane as usize].directory {
            DirectoryState::Missing => return self.create_directory(lane),
            DirectoryState::Listed if self.is_short_of_names(lane) => return self.read_names(lane),
            _ => {}
        }
        let plan = self.context.plan;
        let state = &mut self.lanes[lane as usize];
        let client = &mut self.clients[state.client as usize].client;
        let is_copied = self.records.copies();
        let Some(request) = state.next(plan, client, &mut self.paths, &mut self.records) else {
            let asked_ns = self.times[lane as usize].asked_ns;
            return self.finished(lane, asked_ns);
        };
        if is_copied && matches!(request, Request::Write { .. }) {
            // The copy is not part of the operation's time.
            self.now_ns = self.context.clock.now_ns();
        }
        self.times[lane as usize].started_ns = self.now_ns;
        match self.target.start(lane, &request) {
            Started::Done(answer) => {
                self.now_ns = self.context.clock.now_ns();
                self.answered(lane, answer, self.now_ns);
            }
            Started::Pending => self.pending += 1,
        }
    }

    /// Takes answers; where no lane is ready, waits for one, or for the next lane or boundary that is due.
    fn wait(&mut self) -> io::Result<()> {
        let limit_ns = if self.ready.is_empty() && self.left > 0 {
            let next_ns = self.window.next_ns.min(self.wake_queue.next_ns());
            let polled_ns = if self.paces.is_empty() { 0 } else { POLL_NS };
            next_ns.saturating_sub(self.now_ns).saturating_sub(polled_ns).min(WAIT_LIMIT_NS)
        } else {
            0
        };
        if self.pending > 0 || limit_ns > 0 {
            return self.take_answers(limit_ns);
        }
        if !self.paces.is_empty() && self.ready.is_empty() {
            self.now_ns = self.context.clock.now_ns();
        }
        Ok(())
    }

    fn take_answers(&mut self, limit_ns: u64) -> io::Result<()> {
        let mut answered = std::mem::take(&mut self.answered);
        let each = &mut |lane, answer| answered.push((lane, answer));
        let waited = self.target.wait(Duration::from_nanos(limit_ns), each);
        self.now_ns = self.context.clock.now_ns();
        let at_ns = self.now_ns;
        self.pending -= answered.len() as u32;
        answered.drain(..).for_each(|(lane, answer)| self.answered(lane, answer, at_ns));
        self.answered = answered;
        waited
    }
}

impl Member {
    fn new(plan: &Plan, number: u32) -> Self {
        let count = ClientCount::new(number);
        Member { client: Client::new(plan, number), start_ns: 0, lanes_left: plan.job.outstanding, count }
    }
}

fn wait_failure(error: &io::Error) -> Failure {
    Failure::system(
        "clients.wait",
        error.raw_os_error(),
        format!("waiting for the clients' operations failed: {error}"),
        "the kernel refused it",
        "dmesg | tail; or set interface to \"plain\"",
    )
}
