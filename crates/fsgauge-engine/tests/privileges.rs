//! What the engine keeps of root's powers: what its job needs, as SECURITY.md says, and no open files of others.
//!
//! Tests that ask about root's powers are skipped for an ordinary user, who has none.

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Resource, Rlimit, Signal, geteuid, setrlimit};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support;
use crate::support::held::{Held, null_load};
use crate::support::{ENGINE, PATIENCE, last_event, signal, wait_for_interval};

const NOBODY: u32 = 65_534;
const DAC_OVERRIDE: u64 = 1 << 1;
const DAC_READ_SEARCH: u64 = 1 << 2;
const FOWNER: u64 = 1 << 3;
const IPC_LOCK: u64 = 1 << 14;
const SYS_ADMIN: u64 = 1 << 21;
const SYS_NICE: u64 = 1 << 23;

/// A job that works in a folder.
type JobOf = fn(&Path) -> Value;

fn is_root() -> bool {
    if !geteuid().is_root() {
        eprintln!("skipped: an ordinary user has no powers to drop");
    }
    geteuid().is_root()
}

/// A file and an empty folder, in the working directory's file system: /tmp may be in memory.
fn folder() -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(folder.path().join("f0000"), vec![1; 1 << 20]).unwrap();
    std::fs::create_dir(folder.path().join("aged")).unwrap();
    folder
}

/// A folder of another user, closed to all others, with a file of theirs. The folder to age in it is root's: root
/// ages no other.
fn folder_of_nobody() -> TempDir {
    let folder = folder();
    for path in [folder.path().join("f0000"), folder.path().to_path_buf()] {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    folder
}

fn files(directory: &Path) -> Value {
    json!({"kind": "files", "directory": directory, "prefix": "f", "count": 1, "file_size_bytes": 1 << 20})
}

/// Reads what is there; `changes` replaces keys.
fn load(directory: &Path, changes: Value) -> Value {
    let mut job = json!({
        "format": 1, "kind": "load", "interface": "io_uring", "direct": false, "access": {"kind": "random"},
        "read_percent": 100, "queue_depth": 4, "jobs": 1, "seed": 7, "interval_ns": 50_000_000,
        "block_sizes": [{"size_bytes": 4096, "weight": 1}], "duration_ns": 100_000_000,
        "target": files(directory), "noatime": true,
    });
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}

fn layout(directory: &Path) -> Value {
    json!({
        "format": 1, "kind": "layout", "target": files(directory), "block_size_bytes": 65536, "queue_depth": 4,
        "direct": false, "seed": 1,
    })
}

fn age(directory: &Path) -> Value {
    json!({
        "format": 1, "kind": "age", "directory": directory.join("aged"), "space_bytes": 50_000_000, "seed": 1,
        "time_limit_ns": 60_000_000_000u64, "mode": "write", "end": {"kind": "complete"},
        "profile": {"kind": "intermingled", "keep_files": 4},
    })
}

fn clients(directory: &Path) -> Value {
    json!({
        "format": 1, "kind": "clients", "target": {"kind": "path", "directory": directory.join("aged")},
        "phase": {"kind": "write"}, "clients": 2, "time_limit_ns": 60_000_000_000u64, "seed": 7,
        "files": {"clients": 2, "files_per_client": 3, "record_size_bytes": 4096,
                  "sizes": {"kind": "cycle", "sizes_bytes": [8192]}, "tree": {"kind": "own"}},
    })
}

fn scan(directory: &Path) -> Value {
    json!({"format": 1, "kind": "scan", "path": directory, "space": false})
}

fn probe(directory: &Path) -> Value {
    json!({"format": 1, "kind": "probe", "directory": directory})
}

/// A start in common with other engines, once this one is prepared.
fn soon() -> Value {
    json!({"start_at_ns": fsgauge_clock::now_ns() + 4_000_000_000})
}

fn serve_clock() -> Value {
    json!({
        "format": 1, "kind": "serve_clock", "address": "127.0.0.1", "key": "0".repeat(64), "time_limit_ns": 50_000_000,
    })
}

/// Every line of /proc/PID/status that speaks of powers.
fn powers(pid: u32) -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let found = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_one = name.starts_with("Cap") || name == "NoNewPrivs";
        is_one.then(|| (name.to_owned(), u64::from_str_radix(value.trim(), 16).unwrap()))
    });
    found.collect()
}

/// Waits until the engine has ended, without taking its last trace away: that still says what it could do.
fn wait_until_ended(child: &Child) {
    let begin = Instant::now();
    let is_zombie = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        stat.rsplit_once(") ").unwrap().1.starts_with('Z')
    };
    while !is_zombie() {
        assert!(begin.elapsed() < PATIENCE, "the engine did not end");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Runs a job to its end; gives what it could do, and its last event.
fn run(command: &mut Command, job: &Value) -> (BTreeMap<String, u64>, Value) {
    let child = support::start(command, &job.to_string());
    wait_until_ended(&child);
    let powers = powers(child.id());
    (powers, last_event(&child.wait_with_output().unwrap().stdout))
}

fn rings_are_for_administrators() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").is_ok_and(|text| text.trim() == "1")
}

#[test]
fn each_kind_of_job_keeps_what_it_needs_and_nothing_else() {
    if !is_root() {
        return;
    }
    let rings = if rings_are_for_administrators() { IPC_LOCK | SYS_ADMIN } else { IPC_LOCK };
    let table: [(JobOf, u64); 8] = [
        (|path| load(path, json!({})), DAC_OVERRIDE | FOWNER | rings),
        (|path| load(path, soon()), DAC_OVERRIDE | FOWNER | rings | SYS_NICE),
        (|_| serve_clock(), 0),
        (clients, DAC_OVERRIDE | FOWNER | rings),
        (layout, DAC_OVERRIDE | rings),
        (age, DAC_OVERRIDE | rings),
        (probe, DAC_OVERRIDE | rings),
        (scan, DAC_READ_SEARCH | FOWNER | SYS_ADMIN),
    ];
    for (job, needed) in table {
        let folder = folder();
        let job = job(folder.path());
        let before = powers(std::process::id());
        let (kept, last) = run(&mut Command::new(ENGINE), &job);
        assert_eq!(last["event"], "finished", "{last}");
        let needed = needed & before["CapPrm"];
        let wanted = [("CapAmb", 0), ("CapInh", 0), ("NoNewPrivs", 1)]
            .into_iter()
            .chain(["CapBnd", "CapEff", "CapPrm"].map(|set| (set, needed)))
            .map(|(set, powers)| (set.to_owned(), powers));
        assert_eq!(kept, wanted.collect(), "{}", job["kind"]);
    }
}

/// What is another user's is measured all the same: the powers that are kept are enough.
#[test]
fn files_of_another_user_are_measured_as_before() {
    if !is_root() {
        return;
    }
    for job in [|path: &Path| load(path, json!({})), layout, clients, age, scan, probe] {
        let folder = folder_of_nobody();
        let job = job(folder.path());
        let (_, last) = run(&mut Command::new(ENGINE), &job);
        assert_eq!(last["event"], "finished", "{}: {last}", job["kind"]);
        assert!(last["result"]["files_scanned"].as_u64() != Some(0), "{last}");
    }
}

/// Starts the engine without one of root's powers.
fn without(power: CapabilitySet) -> Command {
    let mut command = Command::new(ENGINE);
    // SAFETY: prctl(2) is async-signal-safe.
    unsafe { command.pre_exec(move || Ok(remove_capability_from_bounding_set(power)?)) };
    command
}

/// Each power that is kept is missed where it is not there: none is kept for nothing.
#[test]
fn none_is_kept_for_nothing() {
    if !is_root() {
        return;
    }
    let reading = |path: &Path| load(path, json!({}));
    let plain = |path: &Path| load(path, json!({"noatime": false}));
    let cases: [(JobOf, CapabilitySet); 7] = [
        (plain, CapabilitySet::DAC_OVERRIDE),
        (reading, CapabilitySet::FOWNER),
        (layout, CapabilitySet::DAC_OVERRIDE),
        (clients, CapabilitySet::DAC_OVERRIDE),
        (age, CapabilitySet::DAC_OVERRIDE),
        (probe, CapabilitySet::DAC_OVERRIDE),
        (scan, CapabilitySet::DAC_READ_SEARCH),
    ];
    for (job, power) in cases {
        let folder = folder_of_nobody();
        let job = job(folder.path());
        let (_, with) = run(&mut Command::new(ENGINE), &job);
        let (_, last) = run(&mut without(power), &job);
        assert_eq!(
            (&with["event"], &last["event"]),
            (&json!("finished"), &json!("failed")),
            "{}",
            job["kind"]
        );
    }
}

/// Without CAP_IPC_LOCK the ring's buffers count against a limit that is small on many systems, and the load runs
/// without registered buffers: another measurement.
#[test]
fn buffers_are_registered_whatever_the_limit_of_locked_memory() {
    if !is_root() {
        return;
    }
    let folder = folder();
    let registered = |mut command: Command| {
        let limit = Rlimit { current: Some(0), maximum: Some(0) };
        // SAFETY: setrlimit(2) is async-signal-safe.
        unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Memlock, limit)?)) };
        let (_, last) = run(&mut command, &load(folder.path(), json!({})));
        last["result"]["features"]["registered_buffers"].clone()
    };
    assert_eq!(registered(Command::new(ENGINE)), true);
    assert_ne!(registered(without(CapabilitySet::IPC_LOCK)), true);
}

#[test]
fn threads_have_real_time_priority_before_a_common_start() {
    if !is_root() {
        return;
    }
    let had = |mut command: Command| {
        let mut held =
            Held::start(&mut command, &null_load(&json!({"start_on_order": true, "duration_ns": 1_000_000})));
        held.wait_for("armed");
        let start_at_ns = fsgauge_clock::now_ns() + 500_000_000;
        held.order(&json!({"kind": "start", "start_at_ns": start_at_ns}));
        held.end().1["result"]["common_start"]["real_time"].clone()
    };
    assert_eq!(had(without(CapabilitySet::SYS_NICE)), false);
    // A kernel may have no real-time time for this group of processes: nothing to ask for then.
    assert!(had(Command::new(ENGINE)).is_boolean());
}

#[test]
fn workers_have_no_more_than_their_engine() {
    if !is_root() {
        return;
    }
    let folder = folder();
    let job =
        load(folder.path(), json!({"workers": "processes", "jobs": 2, "duration_ns": 600_000_000_000u64}));
    let mut engine = support::start(&mut Command::new(ENGINE), &job.to_string());
    let _reader = wait_for_interval(&mut engine);
    let pid = engine.id();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let children: Vec<u32> = children.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (own, theirs): (_, Vec<_>) = (powers(pid), children.into_iter().map(powers).collect());
    signal(&engine, Signal::KILL);
    engine.wait().unwrap();
    assert_eq!(theirs.len(), 2);
    for their in theirs {
        assert_eq!(their, own);
    }
}

#[test]
fn inherited_files_are_closed() {
    let folder = folder();
    let secret = File::create(folder.path().join("secret")).unwrap();
    fcntl_setfd(&secret, FdFlags::empty()).unwrap();
    let job = load(folder.path(), json!({"duration_ns": 600_000_000_000u64, "noatime": false}));
    let mut command = Command::new(ENGINE);
    let mut engine = support::start(command.stderr(Stdio::null()), &job.to_string());
    let _reader = wait_for_interval(&mut engine);
    let open: Vec<_> = support::open_files(engine.id() as i32).into_iter().map(|(_, path)| path).collect();
    signal(&engine, Signal::KILL);
    engine.wait().unwrap();
    fcntl_setfd(&secret, FdFlags::CLOEXEC).unwrap();
    assert!(secret.as_raw_fd() > 2 && open.iter().any(|path| path.ends_with("f0000")), "{open:?}");
    assert!(!open.iter().any(|path| path.ends_with("secret")), "{open:?}");
}

/// An ordinary user's engine runs as it did: there is nothing to drop, and nothing that could fail.
#[test]
fn an_ordinary_user_is_left_alone() {
    if !is_root() {
        return;
    }
    // Its folder may be closed to others, so the engine is opened for them.
    let engine = File::open(ENGINE).unwrap();
    fcntl_setfd(&engine, FdFlags::empty()).unwrap();
    let mut command = Command::new(format!("/proc/self/fd/{}", engine.as_raw_fd()));
    let (kept, last) = run(command.uid(NOBODY).gid(NOBODY), &json!({"format": 1, "kind": "probe"}));
    assert_eq!(last["event"], "finished", "{last}");
    assert_eq!((kept["CapEff"], kept["CapPrm"], kept["NoNewPrivs"]), (0, 0, 0));
}
