//! Readers and log writers beside the jobs: counted apart, over the same time, and gone at the end.

use fsgauge_load::run_load;
use fsgauge_wire::{
    Access, Companion, CompanionKind, CompanionResult, Data, Ended, LoadJob, LoadResult, Stop, Target,
};

use crate::support::{Heard, assert_consistent, engine, files, lay_out, null_load, run};

const READER: Companion = Companion { role: CompanionKind::Reader, count: 2, block_size_bytes: 8192 };
const LOG: Companion = Companion { role: CompanionKind::Log, count: 2, block_size_bytes: 16384 };
const CHECKPOINT: Companion = Companion { role: CompanionKind::Checkpoint, count: 1, block_size_bytes: 8192 };

fn load(target: &Target, companions: Vec<Companion>) -> LoadJob {
    let target = target.clone();
    LoadJob { target, read_percent: 0, jobs: 2, access: Access::Sequential {}, companions, ..null_load() }
}

fn names(directory: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn assert_counted(result: &CompanionResult, asked: &Companion) {
    assert_eq!((result.role, result.count), (asked.role, asked.count));
    assert!(result.operations > 0, "{:?} did nothing", result.role);
    assert_eq!(result.size_bytes, result.operations * u64::from(asked.block_size_bytes));
    assert_eq!(result.latency.operations, result.operations);
}

/// One after the other, operations fit into the measured part, but for the first, which may have begun before.
fn assert_fit_the_measured_part(result: &LoadResult) {
    for companion in &result.companions {
        let room_ns = u64::from(companion.count) * (result.elapsed_ns + companion.latency.max_ns);
        assert!(companion.latency.sum_ns <= room_ns, "{:?}: {} ns", companion.role, companion.latency.sum_ns);
    }
}

#[test]
fn readers_and_logs_are_counted_apart_from_the_jobs() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Incompressible).unwrap();
    // A warm-up that were counted would be four times the room that there is. A log's first write waits for
    // the disk, which others may keep busy for long.
    let (warm_up_ns, duration_ns) = (2_400_000_000, 600_000_000);
    let load = LoadJob { warm_up_ns, duration_ns, ..load(&target, vec![READER, LOG, CHECKPOINT]) };
    let result = run(load).unwrap();
    assert_consistent(&result);
    assert_eq!((result.jobs.len(), result.companions.len(), result.read.is_none()), (2, 3, true));
    assert_counted(&result.companions[0], &READER);
    assert_counted(&result.companions[1], &LOG);
    assert_counted(&result.companions[2], &CHECKPOINT);
    assert_fit_the_measured_part(&result);
    assert_eq!(names(directory.path()), ["data-0000", "data-0001", "data-0002"]);
}

#[test]
fn they_end_with_the_jobs_however_long_they_could_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let long = LoadJob {
        warm_up_ns: 0,
        duration_ns: 600_000_000_000,
        size_limit_bytes: Some(64 << 20),
        ..load(&target, vec![READER, LOG])
    };
    let begin = std::time::Instant::now();
    let result = run(long).unwrap();
    assert_eq!(result.ended, Ended::SizeLimit);
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
    assert_counted(&result.companions[0], &READER);
    assert_eq!(names(directory.path()).len(), 3);
}

#[test]
fn an_interrupted_load_removes_its_logs() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let stop = Stop::new();
    let long = LoadJob { duration_ns: 600_000_000_000, ..load(&target, vec![LOG]) };
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        stop.set();
    });
    let result = run_load(long, engine(), None, &mut Heard::default(), stop).unwrap();
    stopper.join().unwrap();
    assert_eq!(result.ended, Ended::Interrupted);
    assert_eq!(names(directory.path()).len(), 3);
}

#[test]
fn a_companion_that_fails_ends_the_load_and_removes_the_logs() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let last = directory.path().join("data-0002");
    let shrink = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        std::fs::File::options().write(true).open(last).unwrap().set_len(0).unwrap();
    });
    // The jobs write the first bytes of the first file alone, slowly; only readers meet the end of the last.
    let rate = fsgauge_wire::Rate { operations_per_second: 1.0, arrival: fsgauge_wire::Arrival::Constant };
    let long = LoadJob {
        duration_ns: 600_000_000_000,
        rate: Some(rate),
        queue_depth: 1,
        ..load(&target, vec![LOG, READER])
    };
    let failure = run(long).unwrap_err();
    shrink.join().unwrap();
    assert_eq!(failure.code, "io.short");
    assert!(failure.what.starts_with("read of 8192 bytes"), "{}", failure.what);
    assert_eq!(names(directory.path()).len(), 3);
}

#[test]
fn a_log_that_is_there_already_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let log = directory.path().join("data--log-1");
    std::fs::write(&log, "precious").unwrap();
    let failure = run(load(&target, vec![LOG])).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("companion.log", 3));
    assert_eq!(std::fs::read(&log).unwrap(), b"precious");
    assert_eq!(names(directory.path()).len(), 4);
}

#[test]
fn companions_that_cannot_work_are_refused() {
    let file = Target::File { path: "/nowhere".into(), size_bytes: 1 << 20 };
    let device = Target::Block { path: "/dev/nothing".into(), offset_bytes: 0, size_bytes: 1 << 20 };
    let null = Target::Null { size_bytes: 1 << 20 };
    let sized = |companion: Companion, block_size_bytes| Companion { block_size_bytes, ..companion };
    let plain = |target: &Target, companion| load(target, vec![companion]);
    let refusals = [
        (plain(&device, LOG), "a log cannot be written next to /dev/nothing"),
        (plain(&null, LOG), "a log cannot be written next to the null target"),
        (plain(&null, READER), "a reader cannot read the null target"),
        (plain(&file, Companion { count: 0, ..LOG }), "a log has count 0"),
        (plain(&file, Companion { count: 1025, ..READER }), "1025 companions are more than 1024"),
        (plain(&file, sized(READER, 0)), "the reader's block size 0 is not between 1 and 1048576"),
        (plain(&file, sized(LOG, 1 << 29)), "the log's block size 536870912 is not between 1 and 268435456"),
        (
            LoadJob { direct: true, ..plain(&file, sized(READER, 1000)) },
            "the reader's block size 1000 is not a multiple of 512",
        ),
    ];
    for (load, what) in refusals {
        let failure = run(load).unwrap_err();
        assert_eq!((failure.what.as_str(), failure.code.as_str()), (what, "job.companions"));
        assert!(!failure.cause.is_empty() && !failure.next.is_empty());
    }
}
