//! The loop on a target that notes what comes, in which order.

use std::cell::RefCell;
use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Duration;

use fsgauge_wire::{
    ClientErrorKind, ClientOperation, ClientsJob, FileOrder, FileSet, FileSizes, OperationCall, Phase, Tree,
};

use fsgauge_net::Waiting;

use super::*;
use crate::server::ConnectLimit;

/// Answers at once, or when it is waited for: then all, the last asked first.
struct Noting {
    record: Vec<u8>,
    noted: Rc<RefCell<Vec<String>>>,
    pends: bool,
    pending: Vec<(u32, Answer)>,
}

impl Target for Noting {
    fn incoming(&self, _lane: u32) -> &[u8] {
        &self.record
    }

    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started {
        let (letter, answer) = match request {
            Request::Write { data, .. } => ('w', data.len() as Answer),
            Request::Create { .. } => ('c', 1),
            _ => ('x', 0),
        };
        self.noted.borrow_mut().push(format!("{letter}{lane}"));
        if self.pends {
            self.pending.push((lane, answer));
            return Started::Pending;
        }
        Started::Done(answer)
    }

    fn wait(&mut self, _limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        self.pending.drain(..).rev().for_each(|(lane, answer)| each(lane, answer));
        Ok(())
    }

    fn calls(&self) -> Vec<OperationCall> {
        Vec::new()
    }
}

fn job() -> ClientsJob {
    ClientsJob {
        clients: 3,
        files: FileSet {
            clients: 3,
            files_per_client: 2,
            sizes: FileSizes::Cycle { sizes_bytes: vec![8192] },
            record_size_bytes: 4096,
            tree: Tree::Own {},
        },
        ..ClientsJob::plain()
    }
}

fn noted(job: &ClientsJob, pends: bool) -> (String, LoopOutcome) {
    let (plan, clock) = (Plan::new(job), Clock::new().0);
    let (noted, mut ignore) = (Rc::new(RefCell::new(Vec::new())), |_| {});
    let context = LoopContext { plan: &plan, clock, stop: Stop::never(), on_interval: &mut ignore };
    let target = Noting { record: vec![0; 4096], noted: noted.clone(), pends, pending: Vec::new() };
    let mut event_loop = EventLoop::new(context, target, 0..job.clients);
    let outcome = event_loop.run(clock.now_ns()).unwrap();
    let text = noted.borrow().join(" ");
    (text, outcome)
}

#[test]
fn clients_go_round_and_round() {
    let (order, outcome) = noted(&job(), false);
    let file = "c0 c1 c2 w0 w1 w2 w0 w1 w2 x0 x1 x2";
    assert_eq!(order, format!("{file} {file}"));
    assert_eq!((outcome.tally.files, outcome.ended), (6, Ended::SizeLimit));
}

#[test]
fn none_is_more_than_one_operation_ahead_whatever_the_order_of_answers() {
    let (order, outcome) = noted(&ClientsJob { clients: 3, ..job() }, true);
    assert_eq!(outcome.tally.files, 6);
    let mut counts = [0; 3];
    for noted in order.split(' ') {
        counts[noted[1..].parse::<usize>().unwrap()] += 1;
        assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{order}");
    }
}

#[test]
fn a_longer_file_does_not_hold_others_up() {
    let mut uneven = job();
    uneven.files.sizes = FileSizes::Cycle { sizes_bytes: vec![4096, 12288, 0] };
    uneven.files.files_per_client = 1;
    assert_eq!(noted(&uneven, false).0, "c0 c1 c2 w0 w1 x2 x0 w1 w1 x1");
}

#[test]
fn time_is_that_of_the_clients() {
    let (_, outcome) = noted(&job(), false);
    let ends: u64 = outcome.clients.iter().map(|client| client.end_ns.unwrap() - outcome.begin_ns).sum();
    assert_eq!((outcome.in_flight_ns, outcome.think_ns), (ends, 0));
    assert_eq!(outcome.end_ns, outcome.clients.iter().filter_map(|client| client.end_ns).max().unwrap());
}

/// Takes its time for each call, and asks for the end in the fifth.
struct Slow {
    record: Vec<u8>,
    stop: Stop,
    calls: u32,
}

impl Target for Slow {
    fn incoming(&self, _lane: u32) -> &[u8] {
        &self.record
    }

    fn start(&mut self, _lane: u32, request: &Request<'_>) -> Started {
        std::thread::sleep(Duration::from_millis(12));
        self.calls += 1;
        if self.calls == 5 {
            self.stop.set();
        }
        Started::Done(match request {
            Request::Write { data, .. } => data.len() as Answer,
            _ => 1,
        })
    }

    fn wait(&mut self, _limit: Duration, _each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        Ok(())
    }

    fn calls(&self) -> Vec<OperationCall> {
        Vec::new()
    }
}

#[test]
fn intervals_are_whole_but_for_the_last_however_slow_a_call_is() {
    let (plan, clock, stop) =
        (Plan::new(&ClientsJob { interval_ns: 5_000_000, ..job() }), Clock::new().0, Stop::new());
    let mut intervals = Vec::new();
    let mut keep = |interval: Interval| intervals.push(interval);
    let context = LoopContext { plan: &plan, clock, stop, on_interval: &mut keep };
    let target = Slow { record: vec![0; 4096], stop, calls: 0 };
    let outcome = EventLoop::new(context, target, 0..3).run(clock.now_ns()).unwrap();
    assert_eq!((outcome.ended, outcome.tally.total()), (Ended::Interrupted, 5));
    let (last, whole) = intervals.split_last().unwrap();
    assert!(whole.len() >= 11 && whole.iter().all(|interval| interval.elapsed_ns == 5_000_000));
    assert!(last.elapsed_ns <= 5_000_000);
    let sum: u64 = intervals.iter().map(|interval| interval.elapsed_ns).sum();
    assert_eq!(sum, outcome.end_ns - outcome.begin_ns);
    assert_eq!(outcome.in_flight_ns, 3 * sum);
}

#[test]
fn intervals_are_whole_behind_the_stonewall_too() {
    let mut walled =
        ClientsJob { interval_ns: 5_000_000, time_limit_ns: 20_000_000, wear_out: true, ..job() };
    // Two calls: the second is on its way at the stonewall, and its client has nothing to do behind it.
    walled.files.sizes = FileSizes::Cycle { sizes_bytes: vec![0] };
    let (plan, clock, stop) = (Plan::new(&walled), Clock::new().0, Stop::new());
    let mut intervals = Vec::new();
    let mut keep = |interval: Interval| intervals.push(interval);
    let context = LoopContext { plan: &plan, clock, stop, on_interval: &mut keep };
    let target = Slow { record: vec![0; 4096], stop, calls: 5 };
    let mut event_loop = EventLoop::new(context, target, 0..1);
    event_loop.wears_out(Arc::new(WearOut::new(1)));
    let outcome = event_loop.run(clock.now_ns()).unwrap();
    assert_eq!((outcome.ended, outcome.tally.files), (Ended::SizeLimit, 1));
    let (last, whole) = intervals.split_last().unwrap();
    assert!(whole.len() >= 4 && whole.iter().all(|interval| interval.elapsed_ns == 5_000_000));
    assert!(last.elapsed_ns <= 5_000_000);
    let sum: u64 = intervals.iter().map(|interval| interval.elapsed_ns).sum();
    assert_eq!(sum, outcome.end_ns - outcome.begin_ns);
}

/// Lets clients in when it is waited for, but for every tenth; notes the most that were on their way.
struct Admitting {
    noting: Noting,
    outstanding: u32,
    most: usize,
}

impl Target for Admitting {
    fn incoming(&self, lane: u32) -> &[u8] {
        self.noting.incoming(lane)
    }

    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started {
        self.noting.start(lane, request)
    }

    fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        self.most = self.most.max(self.noting.pending.len());
        self.noting.wait(limit, each)
    }

    fn calls(&self) -> Vec<OperationCall> {
        Vec::new()
    }

    fn admit(&mut self, client: u32) -> Started {
        let is_refused = client % 10 == 9;
        self.noting.noted.borrow_mut().push(format!("a{client}"));
        let answer = if is_refused { -Answer::from(libc::ECONNREFUSED) } else { 0 };
        self.noting.pending.push((client * self.outstanding, answer));
        Started::Pending
    }
}

#[test]
fn clients_come_in_few_at_a_time_and_one_that_is_refused_is_counted() {
    let mut many = ClientsJob { clients: 100, outstanding: 2, ..job() };
    many.files.clients = 100;
    for makes_directories in [true, false] {
        let (plan, clock) = (Plan::new(&many), Clock::new().0);
        let (noted, mut ignore) = (Rc::new(RefCell::new(Vec::new())), |_| {});
        let context = LoopContext { plan: &plan, clock, stop: Stop::never(), on_interval: &mut ignore };
        let noting = Noting { record: vec![0; 4096], noted: noted.clone(), pends: true, pending: Vec::new() };
        let target = Admitting { noting, outstanding: 2, most: 0 };
        let mut event_loop = EventLoop::new(context, target, 0..100);
        let waiting = Waiting::within(Duration::from_secs(600), &Stop::never());
        let (begin_ns, end_ns) = event_loop.admit(&ConnectLimit::new(), makes_directories, &waiting).unwrap();
        assert!(begin_ns <= end_ns && event_loop.target.most <= 32 && event_loop.target.most >= 20);
        let [connect] = &event_loop.tally.results()[..] else { panic!() };
        assert_eq!((connect.operation, connect.operations), (ClientOperation::Connect, 90));
        assert_eq!(connect.errors, 10);
        let [error] = &event_loop.tally.errors()[..] else { panic!() };
        assert_eq!((error.kind, error.count), (ClientErrorKind::ConnectionRefused, 10));
        let directories = noted.borrow().iter().filter(|noted| noted.starts_with('x')).count();
        assert_eq!(directories, if makes_directories { 90 } else { 0 });
        // Who was refused makes the directory before the first file: both lanes of ten clients.
        noted.borrow_mut().clear();
        let outcome = event_loop.run(clock.now_ns()).unwrap();
        assert_eq!((outcome.tally.files, outcome.tally.files_given_up), (200, 0));
        let first = |lane: u32| noted.borrow().iter().find(|noted| noted[1..] == lane.to_string()).cloned();
        let wanted = if makes_directories { "x18" } else { "c18" };
        assert_eq!((first(18).unwrap().as_str(), first(16).unwrap().as_str()), (wanted, "c16"));
        assert_eq!(noted.borrow().iter().filter(|noted| **noted == "x18").count(), directories / 90 + 1);
    }
}

/// A server that sends its answers byte by byte lets each client in just in time, and the last one never.
#[test]
fn letting_all_clients_in_has_one_limit() {
    let (plan, clock) = (Plan::new(&job()), Clock::new().0);
    let (noted, mut ignore) = (Rc::new(RefCell::new(Vec::new())), |_| {});
    let context = LoopContext { plan: &plan, clock, stop: Stop::never(), on_interval: &mut ignore };
    let noting = Noting { record: vec![0; 4096], noted, pends: true, pending: Vec::new() };
    let mut event_loop = EventLoop::new(context, Admitting { noting, outstanding: 1, most: 0 }, 0..1);
    let over = Waiting::within(Duration::ZERO, &Stop::never());
    let failure = event_loop.admit(&ConnectLimit::new(), true, &over).unwrap_err();
    assert_eq!(failure.code, "network.timeout");
}

/// A directory of which each call takes longer than there is time.
struct LateNames;

impl Target for LateNames {
    fn incoming(&self, _lane: u32) -> &[u8] {
        &[]
    }

    fn start(&mut self, _lane: u32, _request: &Request<'_>) -> Started {
        Started::Done(0)
    }

    fn wait(&mut self, _limit: Duration, _each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        Ok(())
    }

    fn open_directory(&mut self, _path: &CStr) -> Result<OwnedFd, Answer> {
        Ok(File::open("/").unwrap().into())
    }

    fn read_names(
        &mut self,
        _directory: &OwnedFd,
        each: &mut dyn FnMut(&CStr),
    ) -> Result<Option<u32>, Answer> {
        std::thread::sleep(Duration::from_millis(5));
        each(c"c00000-f000001");
        Ok(Some(1))
    }

    fn calls(&self) -> Vec<OperationCall> {
        Vec::new()
    }
}

#[test]
fn no_file_is_taken_when_names_come_after_the_time() {
    let job = ClientsJob {
        phase: Phase::Stat {},
        order: FileOrder::Directory,
        time_limit_ns: 2_000_000,
        clients: 1,
        ..job()
    };
    let (plan, clock, mut ignore) = (Plan::new(&job), Clock::new().0, |_| {});
    let context = LoopContext { plan: &plan, clock, stop: Stop::never(), on_interval: &mut ignore };
    let outcome = EventLoop::new(context, LateNames, 0..1).run(clock.now_ns()).unwrap();
    let done = |operation| outcome.tally.done(operation).map_or(0, |tally| tally.operations);
    assert_eq!((done(ClientOperation::List), done(ClientOperation::Stat)), (1, 0));
    assert_eq!((outcome.ended, outcome.drained.operations), (Ended::Duration, 1));
    assert_eq!(outcome.in_flight_ns, outcome.end_ns - outcome.begin_ns);
}
