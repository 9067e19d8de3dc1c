//! Places that the caller holds, and places that are renamed or replaced while they are worked in: what the engine
//! makes, reads and removes is where the job began, and nothing outside changes.

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rustix::io::{FdFlags, fcntl_setfd};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support;
use crate::support::held::Held;
use crate::support::{ENGINE, last_event};

/// A folder, and one elsewhere with what must not be touched. The working directory's file system: /tmp may be in
/// memory, which has no extents to scan.
struct Bench {
    parent: TempDir,
    outside: TempDir,
}

impl Bench {
    fn new() -> Self {
        let made = || TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let bench = Bench { parent: made(), outside: made() };
        fs::write(bench.outside.path().join("secret"), vec![7; 300_000]).unwrap();
        fs::create_dir(bench.place()).unwrap();
        bench
    }

    /// The folder's name.
    fn place(&self) -> PathBuf {
        self.parent.path().join("scratch")
    }

    /// Where the folder is once it was replaced.
    fn aside(&self) -> PathBuf {
        self.parent.path().join("aside")
    }

    /// Renames the folder, and puts one of links in its place.
    fn swap(&self) {
        fs::rename(self.place(), self.aside()).unwrap();
        fs::create_dir(self.place()).unwrap();
        let secret = self.outside.path().join("secret");
        for name in ["f0000", "f0001", "f-log-0"] {
            symlink(&secret, self.place().join(name)).unwrap();
        }
        for name in ["c00000", "c00001", "d0000", "aged"] {
            symlink(self.outside.path(), self.place().join(name)).unwrap();
        }
    }

    fn assert_untouched(&self) {
        let names: Vec<_> =
            fs::read_dir(self.outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["secret"]);
        assert!(fs::read(self.outside.path().join("secret")).unwrap() == vec![7; 300_000]);
        assert_eq!(fs::read_dir(self.place()).unwrap().count(), 7, "something was made in the new folder");
    }
}

/// A job that works in a folder.
type JobOf = fn(&Path) -> Value;
/// Plants something under a second path that leads to the first.
type Plant = fn(&Path, &Path);

fn files(directory: &Path) -> Value {
    json!({"kind": "files", "directory": directory, "prefix": "f", "count": 2, "file_size_bytes": 65536})
}

fn layout(directory: &Path) -> Value {
    json!({
        "format": 1, "kind": "layout", "target": files(directory), "block_size_bytes": 65536, "queue_depth": 4,
        "direct": false, "seed": 1,
    })
}

/// Writes every block, with a log beside it, and reads all of it back.
fn load(directory: &Path, changes: Value) -> Value {
    let mut job = json!({
        "format": 1, "kind": "load", "interface": "psync", "direct": false, "access": {"kind": "sequential"},
        "read_percent": 0, "queue_depth": 1, "jobs": 2, "seed": 7, "passes": 1, "ranges": {"kind": "own_files"},
        "block_sizes": [{"size_bytes": 4096, "weight": 1}], "duration_ns": 60_000_000_000u64, "verify": true,
        "target": files(directory), "companions": [{"role": "log", "count": 1, "block_size_bytes": 4096}],
    });
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}

fn clients(directory: &Path, changes: Value) -> Value {
    let mut job = json!({
        "format": 1, "kind": "clients", "target": {"kind": "path", "directory": directory},
        "phase": {"kind": "write"}, "clients": 2, "time_limit_ns": 60_000_000_000u64, "seed": 7,
        "files": {"clients": 2, "files_per_client": 3, "record_size_bytes": 4096,
                  "sizes": {"kind": "cycle", "sizes_bytes": [8192]}, "tree": {"kind": "own"}},
    });
    job.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    job
}

fn age(directory: &Path) -> Value {
    json!({
        "format": 1, "kind": "age", "directory": directory, "space_bytes": 50_000_000, "seed": 1,
        "time_limit_ns": 60_000_000_000u64, "mode": "write", "end": {"kind": "complete"},
        "profile": {"kind": "intermingled", "keep_files": 4},
    })
}

/// Lets processes that are started have a descriptor.
fn pass_on(descriptor: &OwnedFd) {
    fcntl_setfd(descriptor, FdFlags::empty()).unwrap();
}

fn with_held(mut job: Value, path: &Path, descriptor: &OwnedFd) -> Value {
    job["held"] = json!([{"path": path, "descriptor": descriptor.as_raw_fd()}]);
    job
}

fn run(job: &Value) -> (Output, Value) {
    let output = support::start(&mut Command::new(ENGINE), &job.to_string()).wait_with_output().unwrap();
    let last = last_event(&output.stdout);
    (output, last)
}

/// By the time the engine starts, the name of the folder means another.
#[test]
fn a_held_folder_is_reached_whatever_its_name_means() {
    let jobs: [(&str, JobOf, &str); 9] = [
        ("probe", |_| json!({"format": 1, "kind": "probe"}), ""),
        ("layout", layout, "f0001"),
        ("load", |place| load(place, json!({})), "f0001"),
        ("processes", |place| load(place, json!({"workers": "processes"})), "f0001"),
        ("shared", |place| load(place, json!({"descriptors": "shared"})), "f0001"),
        ("clients", |place| clients(place, json!({})), "c00001/c00001-f000002"),
        ("threads", |place| clients(place, json!({"dispatch": "threads"})), "c00001/c00001-f000002"),
        ("age", age, "d0000"),
        ("below", |place| layout(&place.join("below")), "below/f0001"),
    ];
    for (name, job, made) in jobs {
        let bench = Bench::new();
        if name == "below" {
            fs::create_dir(bench.place().join("below")).unwrap();
        }
        let descriptor = OwnedFd::from(File::open(bench.place()).unwrap());
        pass_on(&descriptor);
        bench.swap();
        let mut job = job(&bench.place());
        if name == "probe" {
            job["directory"] = json!(bench.place());
        }
        let (_, last) = run(&with_held(job, &bench.place(), &descriptor));
        assert_eq!(last["event"], "finished", "{name}: {last}");
        assert!(bench.aside().join(made).exists(), "{name}");
        assert!(!bench.aside().join("f-log-0").exists(), "{name}");
        bench.assert_untouched();
    }
}

#[test]
fn a_held_folder_is_scanned_and_backed_up_whatever_its_name_means() {
    let bench = Bench::new();
    let (_, laid_out) = run(&layout(&bench.place()));
    assert_eq!(laid_out["event"], "finished", "{laid_out}");
    let descriptor = OwnedFd::from(File::open(bench.place()).unwrap());
    pass_on(&descriptor);
    bench.swap();
    let backup =
        json!({"phase": {"kind": "backup", "order": "directory", "block_size_bytes": 65536}, "clients": 1});
    let (_, last) = run(&with_held(clients(&bench.place(), backup), &bench.place(), &descriptor));
    assert_eq!(last["result"]["clients"]["files"], 2, "{last}");
    let scan = json!({"format": 1, "kind": "scan", "path": bench.place(), "space": false});
    let (_, last) = run(&with_held(scan, &bench.place(), &descriptor));
    if last["error"]["code"] != "job.no_fiemap" {
        assert_eq!(last["result"]["counts"]["files"], 2, "{last}");
    }
    bench.assert_untouched();
}

/// Nobody holds the folder: it is replaced once the engine has said that it is prepared.
#[test]
fn a_folder_that_is_replaced_under_a_run_is_left_for_the_one_that_it_began_with() {
    let on_order = |mut job: Value| {
        job["start_on_order"] = json!(true);
        job["lease"] = json!({"silence_limit_ns": 60_000_000_000u64});
        job
    };
    let jobs: [(JobOf, &str); 4] = [
        (|place| load(place, json!({})), "f0001"),
        (|place| load(place, json!({"workers": "processes"})), "f0001"),
        (|place| clients(place, json!({"sync_at_end": true})), "c00001/c00001-f000002"),
        (age, "d0000"),
    ];
    for (job, made) in jobs {
        let bench = Bench::new();
        let mut engine = Held::engine(&on_order(job(&bench.place())));
        engine.wait_for("armed");
        bench.swap();
        let start_at_ns = fsgauge_clock::now_ns() + 500_000_000;
        engine.order(&json!({"kind": "start", "start_at_ns": start_at_ns}));
        let (code, last) = engine.end();
        assert_eq!((code, &last["event"]), (Some(0), &json!("finished")), "{last}");
        let integrity = &last["result"]["integrity"];
        if integrity.is_object() {
            assert_eq!(
                (&integrity["checked_blocks"], &integrity["faulty"]),
                (&json!(32), &json!([])),
                "{last}"
            );
        }
        assert!(bench.aside().join(made).exists(), "{made}");
        assert!(!bench.aside().join("f-log-0").exists());
        bench.assert_untouched();
    }
}

/// Files that are links, pipes or another's under a second name are refused, and at once.
#[test]
fn what_is_no_file_of_the_folder_is_refused() {
    let planted: [(&str, Plant); 3] = [
        ("symbolic link", |secret, name| symlink(secret, name).unwrap()),
        ("second name", |secret, name| fs::hard_link(secret, name).unwrap()),
        ("no ordinary file", |_, name| {
            let kind = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, name, kind, rustix::fs::Mode::RWXU, 0).unwrap();
        }),
    ];
    for (cause, plant) in planted {
        for job in [
            layout,
            |place: &Path| load(place, json!({})),
            |place: &Path| load(place, json!({"extend": true})),
        ] {
            let bench = Bench::new();
            let secret = bench.outside.path().join("secret");
            plant(&secret, &bench.place().join("f0000"));
            let (output, last) = run(&job(&bench.place()));
            assert_eq!(
                (output.status.code(), &last["error"]["code"]),
                (Some(3), &json!("target.open")),
                "{last}"
            );
            assert!(last["error"]["cause"].as_str().unwrap().contains(cause), "{last}");
            assert!(fs::read(secret).unwrap() == vec![7; 300_000]);
        }
    }
}

#[test]
fn descriptors_that_are_none_are_refused() {
    let bench = Bench::new();
    let open = OwnedFd::from(File::open(bench.place()).unwrap());
    let (reader, _writer) = std::io::pipe().unwrap();
    let reader = OwnedFd::from(reader);
    [&open, &reader].into_iter().for_each(pass_on);
    let number = open.as_raw_fd();
    let path = bench.place().display().to_string();
    let held = |path: &str, descriptor: i32| json!({"path": path, "descriptor": descriptor});
    for wrong in [
        json!([held(&path, 900)]),
        json!([held(&path, reader.as_raw_fd())]),
        json!([held(&path, 1)]),
        json!([held(&path, -1)]),
        json!([held("scratch", number)]),
        json!([held(&format!("{path}/../scratch"), number)]),
        json!([held(&path, number), held("/elsewhere", number)]),
    ] {
        let (output, last) = run(&json!({"format": 1, "kind": "probe", "held": wrong}));
        let found = (output.status.code(), &last["error"]["code"]);
        assert_eq!(found, (Some(2), &json!("job.held")), "{wrong}: {last}");
    }
}
