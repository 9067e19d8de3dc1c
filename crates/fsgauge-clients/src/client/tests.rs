//! Clients driven by hand, on a file system that is a table of names and sizes.

use std::collections::{BTreeMap, BTreeSet};

use fsgauge_wire::{
    Activity, Arrival, ClientsJob, Create, FileSet, FileSizes, Phase, Tree, WeightedActivity,
};

use super::*;

const NO_SPACE: Answer = -(libc::ENOSPC as Answer);
const IO: Answer = -(libc::EIO as Answer);

fn job(phase: Phase) -> ClientsJob {
    ClientsJob {
        phase,
        think: Some(fsgauge_wire::Think { mean_ns: 1, spread: Arrival::Constant }),
        files: FileSet {
            clients: 1,
            files_per_client: 3,
            sizes: FileSizes::Cycle { sizes_bytes: vec![10_000] },
            record_size_bytes: 4096,
            tree: Tree::Own {},
        },
        time_limit_ns: 1,
        interval_ns: 1,
        ..ClientsJob::plain()
    }
}

const WRITE: Phase = Phase::Write { create: Create::AndWrite };

/// Plays the target: what is asked for, in words, and what there is.
#[derive(Default)]
struct Table {
    asked: Vec<String>,
    files: BTreeMap<String, u64>,
    open: BTreeMap<Handle, String>,
    handles: Handle,
    /// Answers that are given instead, by the beginning of what is asked for.
    instead: Vec<(String, Answer)>,
}

impl Table {
    fn answer(&mut self, request: &Request<'_>) -> Answer {
        let text = |path: &std::ffi::CStr| path.to_str().unwrap().rsplit('/').next().unwrap().to_string();
        let asked = match request {
            Request::Create { path } => format!("create {}", text(path)),
            Request::Open { path, write } => format!("open {} {write}", text(path)),
            Request::Write { offset_bytes, data, .. } => format!("write {offset_bytes}+{}", data.len()),
            Request::Read { offset_bytes, size_bytes, .. } => format!("read {offset_bytes}+{size_bytes}"),
            Request::Fsync { .. } => "fsync".into(),
            Request::Close { .. } => "close".into(),
            Request::Stat { path } => format!("stat {}", text(path)),
            Request::List { path } => format!("list {}", text(path)),
            Request::Rename { from, to } => format!("rename {} {}", text(from), text(to)),
            Request::Unlink { path } => format!("unlink {}", text(path)),
            Request::MakeDirectory { .. } | Request::RemoveDirectory { .. } | Request::Null => {
                unreachable!("no client asks for this")
            }
        };
        self.asked.push(asked.clone());
        if let Request::Close { handle } = request {
            assert!(self.open.remove(handle).is_some(), "closed twice");
        }
        if let Some((_, answer)) = self.instead.iter().find(|(begin, _)| asked.starts_with(begin)) {
            return *answer;
        }
        self.carry_out(request, text)
    }

    fn carry_out(&mut self, request: &Request<'_>, text: impl Fn(&std::ffi::CStr) -> String) -> Answer {
        match request {
            Request::Create { path } => match self.files.contains_key(&text(path)) {
                true => -Answer::from(libc::EEXIST),
                false => {
                    self.files.insert(text(path), 0);
                    self.handle(text(path))
                }
            },
            Request::Open { path, .. } => match self.files.contains_key(&text(path)) {
                true => self.handle(text(path)),
                false => -Answer::from(libc::ENOENT),
            },
            Request::Write { handle, offset_bytes, data } => {
                let size = self.files.get_mut(&self.open[handle]).unwrap();
                assert_eq!(*size, *offset_bytes, "written in order");
                *size += data.len() as u64;
                data.len() as Answer
            }
            Request::Read { handle, offset_bytes, size_bytes } => {
                let left = self.files[&self.open[handle]].saturating_sub(*offset_bytes);
                left.min(u64::from(*size_bytes)) as Answer
            }
            Request::Rename { from, to } => {
                let size = self.files.remove(&text(from)).unwrap();
                self.files.insert(text(to), size);
                0
            }
            Request::Unlink { path } => match self.files.remove(&text(path)) {
                Some(_) => 0,
                None => -Answer::from(libc::ENOENT),
            },
            Request::Stat { path } => match self.files.get(&text(path)) {
                Some(size) => *size as Answer,
                None => -Answer::from(libc::ENOENT),
            },
            _ => 0,
        }
    }

    fn handle(&mut self, name: String) -> Answer {
        self.handles += 1;
        self.open.insert(self.handles, name);
        self.handles as Answer
    }
}

/// One client on a table.
struct Driven {
    plan: Plan,
    client: Client,
    lanes: Vec<Lane>,
    records: Records,
    table: Table,
    answers: Vec<Progress>,
}

impl Driven {
    fn new(job: &ClientsJob) -> Self {
        let plan = Plan::new(job);
        let lanes = (0..job.outstanding).map(|slot| Lane::new(&plan, 0, 0, slot)).collect();
        let records = plan.records();
        Driven {
            client: Client::new(&plan, 0),
            plan,
            lanes,
            records,
            table: Table::default(),
            answers: Vec::new(),
        }
    }

    /// One request of one lane; false when it has no more.
    fn step(&mut self, lane: usize) -> bool {
        let mut paths = Paths::new();
        let next = self.lanes[lane].next(&self.plan, &mut self.client, &mut paths, &mut self.records);
        let Some(request) = next else {
            return false;
        };
        let answer = self.table.answer(&request);
        self.answers.push(self.lanes[lane].answer(&self.plan, &mut self.client, answer));
        true
    }

    /// Round and round until no lane has more; bounded.
    fn run(&mut self) {
        for _ in 0..10_000 {
            let stepped = (0..self.lanes.len()).filter(|lane| self.step(*lane)).count();
            if stepped == 0 {
                assert!(self.table.open.is_empty(), "left open: {:?}", self.table.open);
                return;
            }
        }
        panic!("it does not end");
    }

    fn files(&self, over: FileProgress) -> usize {
        self.answers.iter().filter(|progress| progress.file == over).count()
    }

    fn failed(&self) -> Vec<ClientErrorKind> {
        let kind = |progress: &Progress| match progress.operation {
            OperationProgress::Failed(kind) => Some(kind),
            _ => None,
        };
        self.answers.iter().filter_map(kind).collect()
    }
}

fn asked(phase: Phase, fsync: bool) -> String {
    let mut driven = Driven::new(&ClientsJob { fsync, ..job(phase) });
    driven.client.next_file = 2;
    driven.table.files.insert("c00000-f000002".into(), 10_000);
    if matches!(driven.plan.job.phase, Phase::Write { .. }) {
        driven.table.files.clear();
    }
    driven.run();
    driven.table.asked.join(", ")
}

#[test]
fn a_file_goes_through_the_steps_of_its_phase() {
    let records = "write 0+4096, write 4096+4096, write 8192+1808";
    let file = "c00000-f000002";
    assert_eq!(asked(WRITE, false), format!("create {file}, {records}, close"));
    assert_eq!(asked(WRITE, true), format!("create {file}, {records}, fsync, close"));
    let two_steps = Phase::Write { create: Create::ThenOpen };
    assert_eq!(asked(two_steps, false), format!("create {file}, close, open {file} true, {records}, close"));
    let read = asked(Phase::Read {}, false);
    assert_eq!(read, format!("open {file} false, read 0+4096, read 4096+4096, read 8192+1808, close"));
    assert_eq!(asked(Phase::Stat {}, false), format!("stat {file}"));
    assert_eq!(asked(Phase::Delete {}, false), format!("unlink {file}"));
    let there_and_back = format!("rename {file} {file}.new, rename {file}.new {file}");
    assert_eq!(asked(Phase::Rename {}, false), there_and_back);
    assert_eq!(asked(Phase::List {}, false), "list c00000");
}

#[test]
fn the_creation_in_two_steps_is_one_operation() {
    let mut driven = Driven::new(&job(Phase::Write { create: Create::ThenOpen }));
    assert_eq!(driven.lanes[0].operation(), ClientOperation::Stat);
    driven.step(0);
    assert_eq!(driven.lanes[0].operation(), ClientOperation::Create);
    driven.step(0);
    assert_eq!(driven.answers[0].operation, OperationProgress::Pending);
    assert_eq!(driven.answers[1].operation, OperationProgress::Done);
    assert_eq!(driven.lanes[0].operation(), ClientOperation::Open);
}

#[test]
fn an_empty_file_has_no_records() {
    let mut empty = job(WRITE);
    empty.files.sizes = FileSizes::Cycle { sizes_bytes: vec![0] };
    let mut driven = Driven::new(&empty);
    driven.run();
    assert_eq!(driven.table.asked[..2], ["create c00000-f000000", "close"]);
    assert_eq!(driven.files(FileProgress::Whole), 3);
}

#[test]
fn a_record_that_is_done_in_part_is_gone_on_with() {
    let mut driven = Driven::new(&job(WRITE));
    driven.table.instead.push(("write 0+4096".into(), 100));
    driven.step(0);
    driven.step(0);
    assert_eq!(driven.answers[1].operation, OperationProgress::Pending);
    assert_eq!(driven.lanes[0].offset_bytes(), 100);
    driven.table.instead = vec![("write 100+3996".into(), 3996)];
    driven.step(0);
    assert_eq!(
        driven.answers[2],
        Progress { operation: OperationProgress::Done, file: FileProgress::Pending }
    );
}

#[test]
fn after_an_error_the_file_is_closed_and_the_next_one_taken() {
    let mut driven = Driven::new(&job(WRITE));
    driven.table.instead.push(("write 4096".into(), IO));
    driven.run();
    let file = ["write 0+4096", "write 4096+4096", "close"];
    assert_eq!(driven.table.asked[1..4], file);
    assert_eq!(driven.table.asked[5..8], file);
    assert_eq!((driven.files(FileProgress::GivenUp), driven.client.gave_up), (3, false));
    assert_eq!(driven.failed(), [ClientErrorKind::Io; 3]);
}

#[test]
fn a_file_that_ends_early_is_short() {
    let mut driven = Driven::new(&job(Phase::Read {}));
    for (file, size_bytes) in [("c00000-f000000", 10_000), ("c00000-f000001", 5000), ("c00000-f000002", 0)] {
        driven.table.files.insert(file.into(), size_bytes);
    }
    driven.run();
    assert_eq!(driven.failed(), [ClientErrorKind::Short; 2]);
    assert_eq!((driven.files(FileProgress::Whole), driven.files(FileProgress::GivenUp)), (1, 2));
}

#[test]
fn ten_failed_files_in_a_row_and_the_client_gives_up() {
    let mut many = job(Phase::Read {});
    many.files.files_per_client = 100;
    let mut driven = Driven::new(&many);
    driven.table.files.insert("c00000-f000009".into(), 10_000);
    driven.run();
    // Nine fail, one is there, ten fail.
    assert_eq!((driven.files(FileProgress::GivenUp), driven.files(FileProgress::Whole)), (19, 1));
    assert!(driven.client.gave_up);
}

#[test]
fn a_full_storage_ends_the_client_at_once() {
    for step in ["create", "write", "fsync", "close"] {
        let mut driven = Driven::new(&ClientsJob { fsync: true, ..job(WRITE) });
        driven.table.instead.push((step.into(), NO_SPACE));
        driven.run();
        assert!(driven.client.gave_up, "{step}");
        assert_eq!(driven.files(FileProgress::GivenUp), 1, "{step}");
    }
}

#[test]
fn a_server_out_of_reach_ends_the_client_at_once_and_a_lost_connection_does_not() {
    for (answer, gave_up, given_up) in [(OUT_OF_REACH, true, 1), (-Answer::from(libc::ECONNRESET), false, 3)]
    {
        let mut driven = Driven::new(&job(WRITE));
        driven.table.instead.push(("create".into(), answer));
        driven.run();
        assert_eq!((driven.client.gave_up, driven.files(FileProgress::GivenUp)), (gave_up, given_up));
    }
}

#[test]
fn lanes_of_a_client_share_its_files() {
    let mut wide = job(WRITE);
    wide.outstanding = 3;
    wide.files.files_per_client = 20;
    let mut driven = Driven::new(&wide);
    driven.run();
    assert_eq!(driven.files(FileProgress::Whole), 20);
    assert!(driven.table.files.values().all(|size| *size == 10_000) && driven.table.files.len() == 20);
    let first: Vec<&str> = driven.table.asked[..6].iter().map(String::as_str).collect();
    let writes = ["write 0+4096"; 3];
    assert_eq!(first[..3], ["create c00000-f000000", "create c00000-f000001", "create c00000-f000002"]);
    assert_eq!(first[3..], writes);
}

fn mix(activities: &[(Activity, u32)]) -> ClientsJob {
    let weighted =
        |(activity, weight): &(Activity, u32)| WeightedActivity { activity: *activity, weight: *weight };
    job(Phase::Mix { activities: activities.iter().map(weighted).collect() })
}

const ALL: [(Activity, u32); 6] = [
    (Activity::Read, 3),
    (Activity::Create, 2),
    (Activity::Save, 2),
    (Activity::Delete, 2),
    (Activity::Stat, 1),
    (Activity::List, 1),
];

/// Steps a mix, its set being there.
fn mixed(job: &ClientsJob, steps: usize, instead: &[(&str, Answer)]) -> Driven {
    let mut driven = Driven::new(job);
    for file in 0..job.files.files_per_client {
        driven.table.files.insert(format!("c00000-f{file:06}"), 10_000);
    }
    driven.table.instead = instead.iter().map(|(begin, answer)| (begin.to_string(), *answer)).collect();
    for at in 0..steps {
        driven.step(at % driven.lanes.len());
    }
    driven
}

fn tidied(mut driven: Driven) -> Driven {
    for lane in 0..driven.lanes.len() {
        driven.lanes[lane].abandon();
        for _ in 0..5 {
            if !driven.lanes[lane].is_idle() {
                driven.step(lane);
            }
        }
        assert!(driven.lanes[lane].is_idle());
    }
    assert!(driven.table.open.is_empty(), "left open: {:?}", driven.table.open);
    driven
}

#[test]
fn a_mix_never_fails_and_leaves_only_whole_files_whenever_it_ends() {
    for outstanding in [1, 3] {
        for steps in (0..400).chain([5000]) {
            let driven = tidied(mixed(&ClientsJob { outstanding, ..mix(&ALL) }, steps, &[]));
            assert_eq!(driven.failed(), [], "{steps} steps");
            let files = &driven.table.files;
            assert!(files.values().all(|size| *size == 10_000), "{steps} steps: {files:?}");
            assert!(files.keys().all(|name| !name.ends_with(".new")), "{steps} steps: {files:?}");
            assert!((0..3).all(|file| files.contains_key(&format!("c00000-f{file:06}"))));
        }
    }
}

#[test]
fn a_mix_draws_by_weight() {
    let driven = mixed(&mix(&[(Activity::Stat, 3), (Activity::List, 1)]), 20_000, &[]);
    let lists = driven.table.asked.iter().filter(|asked| asked.starts_with("list")).count();
    // 5000 expected, with a standard deviation of 61.
    assert!((4600..5400).contains(&lists), "{lists}");
    let files: BTreeSet<&String> = driven.table.asked.iter().filter(|a| a.starts_with("stat")).collect();
    assert_eq!(files.len(), 3);
}

#[test]
fn a_mix_goes_on_after_errors_and_tidies_up() {
    let driven = mixed(&mix(&ALL), 300, &[("write 8192", IO)]);
    let (failed, asked) = (driven.failed(), driven.table.asked.clone());
    assert!(failed.len() > 3 && failed.iter().all(|kind| *kind == ClientErrorKind::Io), "{failed:?}");
    for at in (0..asked.len() - 3).filter(|at| asked[*at].starts_with("write 8192")) {
        assert_eq!(asked[at + 1], "close");
        assert!(asked[at + 2].starts_with("unlink"), "{}", asked[at + 2]);
    }
    let driven = tidied(driven);
    assert_eq!(driven.table.files.len(), 3);
}

#[test]
fn a_mix_passes_over_names_that_are_taken() {
    let mut driven = Driven::new(&mix(&[(Activity::Create, 1), (Activity::Delete, 1)]));
    for taken in 3..6 {
        driven.table.files.insert(format!("c00000-f{taken:06}"), 77);
    }
    for _ in 0..200 {
        driven.step(0);
    }
    assert_eq!(driven.failed(), [ClientErrorKind::Exists; 3]);
    let driven = tidied(driven);
    assert!((3..6).all(|taken| driven.table.files[&format!("c00000-f{taken:06}")] == 77));
}

#[test]
fn a_client_is_small() {
    let bytes = size_of::<Lane>() + size_of::<Client>();
    assert!(bytes <= 128, "{bytes} bytes");
}
