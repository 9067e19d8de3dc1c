//! The event loop: carries a share of the clients on one target.
//!
//! Lanes that are ready stand in a line. One sweep starts an operation of each lane that stood there at its
//! beginning, so all go forward by the same number of operations: with plain calls the order in which clients'
//! records reach the file system is fixed, round and round. What was answered stands in line again.
//!
//! The response time of an operation counts from the moment its client asked for it, which is the moment of
//! the answer before (or the end of a rest), so that clients = throughput x (response + rest) by itself.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use fsgauge_wire::{BadRecord, ClientErrorKind, ClientOperation, Ended, Failure, Interval, IntervalCount};

use super::client::{Client, FileOver, Lane, Over, Paths};
use super::file_set::{Directory, PathBuffer};
use super::plan::Plan;
use super::request::Request;
use super::rests::{Rests, length_ns};
use super::tally::ClientsTally;
use super::target::{Answer, Started, Target, message_of};
use crate::Outcome;
use crate::clock::Clock;
use crate::cpu;
use crate::stop::Stop;
use crate::window::{Boundary, Window};

/// No wait is longer: the flag that says stop is looked at.
const WAIT_LIMIT_NS: u64 = 20_000_000;
/// How long tidying up may take after the time limit, and after an interrupt.
const TIDY_LIMIT_NS: u64 = 5_000_000_000;
const INTERRUPTED_TIDY_LIMIT_NS: u64 = 200_000_000;
/// So often in a row a request is made again after EAGAIN or EINTR.
const RETRY_LIMIT: u32 = 1000;

/// What a loop is given beside its clients and its target.
pub(crate) struct Surroundings<'run> {
    pub(crate) plan: &'run Plan,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
    /// Told each interval.
    pub(crate) on_interval: &'run mut dyn FnMut(Interval),
}

/// The loop.
pub(crate) struct EventLoop<'run, T> {
    around: Surroundings<'run>,
    target: T,
    clients: Vec<Member>,
    lanes: Vec<Lane>,
    times: Vec<Times>,
    /// Lanes that have something to ask for.
    ready: VecDeque<u32>,
    rests: Rests,
    /// Lanes whose operation is under way.
    pending: u32,
    answered: Vec<(u32, Answer)>,
    /// Lanes that are not through.
    left: u32,
    paths: Paths,
    pub(crate) tally: ClientsTally,
    counted: [IntervalCount; 2],
    window: Window,
    now_ns: u64,
    ended: Option<Ended>,
    in_flight_ns: u64,
    think_ns: u64,
}

/// A client and what is counted of it.
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
    /// When it was through or gave up.
    pub(crate) end_ns: Option<u64>,
    pub(crate) gave_up: bool,
}

/// The moments of a lane.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    /// When the operation was asked for.
    asked_ns: u64,
    /// When its current request was started.
    started_ns: u64,
    /// In earlier requests of the same operation.
    service_ns: u64,
    /// Since when the lane asks without a rest, or rests.
    since_ns: u64,
    rests: bool,
    retries: u32,
}

/// What a loop hands over.
pub(crate) struct LoopOutcome {
    pub(crate) tally: ClientsTally,
    pub(crate) clients: Vec<ClientCount>,
    pub(crate) calls: Vec<fsgauge_wire::OperationCall>,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    /// Time of all lanes in which they had asked, and in which they rested.
    pub(crate) in_flight_ns: u64,
    pub(crate) think_ns: u64,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) ended: Ended,
}

impl<'run, T: Target> EventLoop<'run, T> {
    /// A loop of the clients with these numbers.
    pub(crate) fn new(around: Surroundings<'run>, target: T, numbers: impl Iterator<Item = u32>) -> Self {
        let plan = around.plan;
        let clients: Vec<Member> = numbers.map(|number| Member::new(number, plan.job.outstanding)).collect();
        let lane = |(at, slot): (usize, u32)| {
            let number = clients[at].count.number;
            Lane::new(plan, at as u32, number, slot)
        };
        let slots = (0..clients.len()).flat_map(|at| (0..plan.job.outstanding).map(move |slot| (at, slot)));
        let lanes: Vec<Lane> = slots.map(lane).collect();
        let count = lanes.len();
        EventLoop {
            around,
            target,
            clients,
            lanes,
            times: vec![Times::default(); count],
            ready: VecDeque::with_capacity(count),
            rests: Rests::default(),
            pending: 0,
            answered: Vec::with_capacity(count),
            left: count as u32,
            paths: Paths::new(),
            tally: ClientsTally::default(),
            counted: [IntervalCount::default(); 2],
            window: Window::new(0, 0, 1, 1),
            now_ns: 0,
            ended: None,
            in_flight_ns: 0,
            think_ns: 0,
        }
    }

    /// Lets the clients in: makes their directories, one after the other. Gives when it began and ended.
    pub(crate) fn connect(&mut self, directories: impl Iterator<Item = Directory>) -> Outcome<(u64, u64)> {
        let begin_ns = self.around.clock.now_ns();
        let (mut asked_ns, mut path) = (begin_ns, PathBuffer::new());
        for which in directories {
            if self.around.stop.is_set() {
                break;
            }
            let path = self.around.plan.names.directory(which, &mut path);
            let answer = one_answer(&mut self.target, &Request::MakeDirectory { path }, &self.around.stop);
            let answer = answer.map_err(|error| wait_failure(&error))?;
            let now_ns = self.around.clock.now_ns();
            match answer {
                Some(answer) if answer < 0 => {
                    let errno = -answer as i32;
                    let words = || (self.around.plan.shown(path), message_of(errno));
                    self.tally.error(ClientOperation::Connect, super::target::kind_of(errno), now_ns, words);
                }
                Some(_) => {
                    let latency_ns = now_ns - asked_ns;
                    self.tally.of(ClientOperation::Connect).record(latency_ns, latency_ns);
                }
                None => break,
            }
            asked_ns = now_ns;
        }
        Ok((begin_ns, asked_ns))
    }

    /// Runs the clients until all are through, or the time is up. `zero_ns` is the first moment for all loops.
    pub(crate) fn run(&mut self, zero_ns: u64) -> Outcome<LoopOutcome> {
        let job = &self.around.plan.job;
        self.window = Window::new(zero_ns, 0, job.time_limit_ns, job.interval_ns);
        let begin = cpu::thread_user_system_ns();
        self.line_up(zero_ns);
        self.turn().map_err(|error| wait_failure(&error))?;
        let end_ns = self.end();
        let end = cpu::thread_user_system_ns();
        self.tidy_up().map_err(|error| wait_failure(&error))?;
        Ok(LoopOutcome {
            calls: self.target.calls(),
            clients: self.clients.iter().map(|member| member.count).collect(),
            tally: std::mem::take(&mut self.tally),
            begin_ns: zero_ns,
            end_ns,
            in_flight_ns: self.in_flight_ns,
            think_ns: self.think_ns,
            user_ns: end.0 - begin.0,
            system_ns: end.1 - begin.1,
            ended: self.ended.unwrap_or(Ended::SizeLimit),
        })
    }

    /// Every client is ready when the ramp says so.
    fn line_up(&mut self, zero_ns: u64) {
        let job = &self.around.plan.job;
        for (lane, times) in self.times.iter_mut().enumerate() {
            let member = &mut self.clients[self.lanes[lane].client as usize];
            let share = u128::from(job.ramp_ns) * u128::from(member.count.number) / u128::from(job.clients);
            member.start_ns = zero_ns + share as u64;
            (times.asked_ns, times.since_ns) = (member.start_ns, member.start_ns);
            if share == 0 {
                self.ready.push_back(lane as u32);
            } else {
                self.rests.add(member.start_ns, lane as u32);
            }
        }
    }

    /// Sweep after sweep.
    fn turn(&mut self) -> io::Result<()> {
        self.now_ns = self.around.clock.now_ns();
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
                if self.around.stop.is_set() {
                    self.ended.get_or_insert(Ended::Interrupted);
                }
            }
            self.wait()?;
            if self.around.stop.is_set() {
                self.ended.get_or_insert(Ended::Interrupted);
            }
            if self.ended.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lanes that have rested long enough stand in line.
    fn wake(&mut self) {
        while let Some((due_ns, lane)) = self.rests.due(self.now_ns) {
            let times = &mut self.times[lane as usize];
            if times.rests {
                self.think_ns += due_ns - times.since_ns;
            }
            (times.rests, times.since_ns, times.asked_ns) = (false, due_ns, due_ns);
            self.ready.push_back(lane);
        }
    }

    /// Starts what a lane asks for.
    #[inline]
    fn start(&mut self, lane: u32) {
        let plan = self.around.plan;
        let state = &mut self.lanes[lane as usize];
        let client = &mut self.clients[state.client as usize].client;
        let Some(request) = state.next(plan, client, &mut self.paths) else {
            let asked_ns = self.times[lane as usize].asked_ns;
            return self.through(lane, asked_ns);
        };
        match request {
            Request::Write { offset_bytes, size_bytes, .. } => {
                let record = &mut self.target.outgoing(lane)[..size_bytes as usize];
                plan.contents.fill(state.number(client), offset_bytes, record);
                self.now_ns = self.around.clock.now_ns();
            }
            Request::Read { offset_bytes, size_bytes, .. } if plan.fills_reads => {
                let record = &mut self.target.outgoing(lane)[..size_bytes as usize];
                plan.contents.fill(state.number(client), offset_bytes, record);
                self.now_ns = self.around.clock.now_ns();
            }
            _ => {}
        }
        self.times[lane as usize].started_ns = self.now_ns;
        match self.target.start(lane, &request) {
            Started::Done(answer) => {
                self.now_ns = self.around.clock.now_ns();
                self.told(lane, answer, self.now_ns);
            }
            Started::Pending => self.pending += 1,
        }
    }

    /// Takes what was answered; where no lane is ready, waits for an answer or for the next thing to be due.
    fn wait(&mut self) -> io::Result<()> {
        let limit_ns = if self.ready.is_empty() && self.left > 0 {
            let next_ns = self.window.next_ns.min(self.rests.next_ns());
            next_ns.saturating_sub(self.now_ns).min(WAIT_LIMIT_NS)
        } else {
            0
        };
        if self.pending > 0 || limit_ns > 0 { self.take_answers(limit_ns) } else { Ok(()) }
    }

    fn take_answers(&mut self, limit_ns: u64) -> io::Result<()> {
        let mut answered = std::mem::take(&mut self.answered);
        let each = &mut |lane, answer| answered.push((lane, answer));
        let waited = self.target.wait(Duration::from_nanos(limit_ns), each);
        self.now_ns = self.around.clock.now_ns();
        let at_ns = self.now_ns;
        self.pending -= answered.len() as u32;
        answered.drain(..).for_each(|(lane, answer)| self.told(lane, answer, at_ns));
        self.answered = answered;
        waited
    }

    /// Tells a lane its answer, counts, and sends it where it goes next.
    #[inline]
    fn told(&mut self, lane: u32, answer: Answer, at_ns: u64) {
        if at_ns >= self.window.next_ns {
            self.cross(at_ns);
        }
        let plan = self.around.plan;
        let state = &mut self.lanes[lane as usize];
        let member = &mut self.clients[state.client as usize];
        let times = &mut self.times[lane as usize];
        let operation = state.operation();
        let is_counted = self.ended.is_none();
        if is_again(answer) && times.retries < RETRY_LIMIT {
            times.retries += 1;
            self.tally.of(operation).retries += 1;
            self.ready.push_back(lane);
            return;
        }
        times.retries = 0;
        let is_record = matches!(operation, ClientOperation::Read | ClientOperation::Write);
        if is_record && answer > 0 && is_counted {
            self.tally.of(operation).size_bytes += answer as u64;
            member.count.size_bytes += answer as u64;
            if operation == ClientOperation::Read && plan.job.verify {
                let record = &self.target.incoming(lane)[..answer as usize];
                let (number, offset_bytes) = (state.number(&member.client), state.offset_bytes());
                self.tally.checked_records += 1;
                if let Some(first_byte) = plan.contents.first_difference(number, offset_bytes, record) {
                    let path = || state.path(plan, &member.client, operation);
                    self.tally.bad_record(|| BadRecord { path: path(), offset_bytes, first_byte });
                }
                self.now_ns = self.around.clock.now_ns();
            }
        }
        let told = state.answer(plan, &mut member.client, answer);
        times.service_ns += at_ns - times.started_ns;
        match told.operation {
            Over::No => return self.ready.push_back(lane),
            Over::Done if is_counted => {
                let response_ns = at_ns.saturating_sub(times.asked_ns);
                self.tally.of(operation).record(response_ns, times.service_ns);
                member.count.operations += u64::from(is_record);
            }
            Over::Failed(kind) if is_counted => {
                let path = || state.path(plan, &member.client, operation);
                self.tally.error(operation, kind, at_ns, || (path(), words(kind, answer)));
            }
            _ => {}
        }
        (times.asked_ns, times.service_ns) = (at_ns, 0);
        match told.file {
            FileOver::No => self.ready.push_back(lane),
            FileOver::Whole => {
                self.tally.files += u64::from(is_counted);
                self.file_over(lane, at_ns);
            }
            FileOver::GivenUp => {
                self.tally.files_given_up += u64::from(is_counted);
                self.file_over(lane, at_ns);
            }
        }
    }

    /// A lane is through with a file: it takes the next, after a rest where clients think.
    fn file_over(&mut self, lane: u32, at_ns: u64) {
        let plan = self.around.plan;
        let state = &mut self.lanes[lane as usize];
        if !state.has_more(plan, &self.clients[state.client as usize].client) {
            return self.through(lane, at_ns);
        }
        let Some(think) = &plan.job.think else { return self.ready.push_back(lane) };
        let times = &mut self.times[lane as usize];
        if self.ended.is_none() {
            self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        }
        (times.rests, times.since_ns) = (true, at_ns);
        self.rests.add(at_ns + length_ns(think, state.random()), lane);
    }

    /// A lane has no more to do.
    fn through(&mut self, lane: u32, at_ns: u64) {
        self.left -= 1;
        let member = &mut self.clients[self.lanes[lane as usize].client as usize];
        member.lanes_left -= 1;
        if self.ended.is_some() {
            return;
        }
        let times = &mut self.times[lane as usize];
        self.in_flight_ns += at_ns.saturating_sub(times.since_ns);
        times.since_ns = u64::MAX;
        if member.lanes_left == 0 {
            member.count.end_ns = Some(at_ns);
        }
    }

    /// Steps over the boundaries that have passed.
    #[cold]
    fn cross(&mut self, now_ns: u64) {
        while now_ns >= self.window.next_ns && self.ended.is_none() {
            let begin_ns = self.window.interval_begin_ns;
            let boundary = self.window.step();
            self.tell_interval(begin_ns, self.window.interval_begin_ns);
            if boundary == Boundary::End {
                self.ended = Some(Ended::Duration);
            }
        }
    }

    fn tell_interval(&mut self, begin_ns: u64, end_ns: u64) {
        let counts = [self.tally.reads(), self.tally.writes()];
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns - begin_ns,
            warm_up: false,
            read: counts[0].since(&self.counted[0]),
            write: counts[1].since(&self.counted[1]),
        };
        self.counted = counts;
        (self.around.on_interval)(interval);
    }

    /// Closes the books: the last interval, and the time of lanes that are not through. Gives the end.
    fn end(&mut self) -> u64 {
        let begin_ns = self.window.interval_begin_ns;
        let end_ns = match self.ended {
            Some(Ended::Duration) => begin_ns,
            Some(_) => self.now_ns.max(begin_ns),
            None => self.clients.iter().filter_map(|member| member.count.end_ns).max().unwrap_or(begin_ns),
        };
        if end_ns > begin_ns {
            self.tell_interval(begin_ns, end_ns);
        }
        self.ended.get_or_insert(Ended::SizeLimit);
        for times in &self.times {
            let ns = end_ns.saturating_sub(times.since_ns);
            *if times.rests { &mut self.think_ns } else { &mut self.in_flight_ns } += ns;
        }
        self.clients.iter_mut().for_each(|member| member.count.gave_up = member.client.gave_up);
        end_ns
    }

    /// After the end: takes the answers that are due, closes what is open and removes what a mix has just
    /// begun. Nothing of it is counted.
    fn tidy_up(&mut self) -> io::Result<()> {
        let limit_ns =
            if self.ended == Some(Ended::Interrupted) { INTERRUPTED_TIDY_LIMIT_NS } else { TIDY_LIMIT_NS };
        let mut until_ns = self.around.clock.now_ns() + limit_ns;
        let mut lanes = (0..self.lanes.len()).filter(|lane| !self.lanes[*lane].is_idle());
        if self.pending == 0 && lanes.next().is_none() {
            return Ok(());
        }
        while self.pending > 0 && self.has_time(&mut until_ns) {
            self.take_answers(WAIT_LIMIT_NS)?;
        }
        if self.pending > 0 {
            return Ok(());
        }
        for lane in 0..self.lanes.len() {
            self.lanes[lane].abandon();
            while !self.lanes[lane].is_idle() && self.has_time(&mut until_ns) {
                self.start(lane as u32);
                while self.pending > 0 && self.has_time(&mut until_ns) {
                    self.take_answers(WAIT_LIMIT_NS)?;
                }
            }
        }
        Ok(())
    }

    /// Whether there is time to tidy up; once it is to stop, only a little.
    fn has_time(&self, until_ns: &mut u64) -> bool {
        let now_ns = self.around.clock.now_ns();
        if self.around.stop.is_set() {
            *until_ns = (*until_ns).min(now_ns + INTERRUPTED_TIDY_LIMIT_NS);
        }
        now_ns < *until_ns
    }
}

impl Member {
    fn new(number: u32, outstanding: u32) -> Self {
        let count = ClientCount { number, operations: 0, size_bytes: 0, end_ns: None, gave_up: false };
        Member { client: Client::new(number), start_ns: 0, lanes_left: outstanding, count }
    }
}

/// Whether a request is made again.
#[inline]
fn is_again(answer: Answer) -> bool {
    answer == -Answer::from(libc::EAGAIN) || answer == -Answer::from(libc::EINTR)
}

fn words(kind: ClientErrorKind, answer: Answer) -> String {
    match (kind, answer) {
        (ClientErrorKind::Short, _) => "the file ended before its size".into(),
        _ => message_of(-answer as i32),
    }
}

/// Starts one request on a lane of its own and waits for its answer; none when it is to stop.
fn one_answer(target: &mut impl Target, request: &Request<'_>, stop: &Stop) -> io::Result<Option<Answer>> {
    let mut given = match target.start(0, request) {
        Started::Done(answer) => return Ok(Some(answer)),
        Started::Pending => None,
    };
    while given.is_none() && !stop.is_set() {
        target.wait(Duration::from_nanos(WAIT_LIMIT_NS), &mut |_, answer| given = Some(answer))?;
    }
    Ok(given)
}

fn wait_failure(error: &io::Error) -> Failure {
    Failure::system(
        "clients.wait",
        error.raw_os_error(),
        format!("the answers of the clients' operations cannot be had: {error}"),
        "the kernel refused it",
        "dmesg | tail; or set interface to \"plain\"",
    )
}

#[cfg(test)]
mod tests;
