//! Logs replayed on an ordinary directory: what is there afterwards is what the result says, in every mode.

use std::time::{Duration, Instant};

use fsgauge_alloc::run_age;
use fsgauge_wire::{AgeEnd, AgeEnded, AgeJob, AgeMode, AgeOperation, Event, Failure, Listener, Stop};
use tempfile::TempDir;

use crate::support::{Heard, MIB, age, engine, job, listing, profile, tree};

const PROFILES: [(&str, u64); 5] = [
    (r#"{"kind":"intermingled","keep_files":7}"#, 100_000),
    (r#"{"kind":"churn","streams":5,"rewrite_percent":10}"#, 1_500),
    (r#"{"kind":"connections","clients":19,"file_size_bytes":300001,"fsync":true}"#, 2_000),
    (r#"{"kind":"git_like"}"#, 3_000),
    (r#"{"kind":"database","page_bytes":5000,"fsync_every":100}"#, 1_000),
];

/// A folder in the target's file system: /tmp may be in memory.
fn folder() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A folder in memory where there is one: no syncfs waits for what others write.
fn folder_in_memory() -> TempDir {
    TempDir::new_in("/dev/shm").unwrap_or_else(|_| folder())
}

/// The result, or none where this file system has no such mode.
fn age_or_skip(job: &AgeJob) -> Option<fsgauge_wire::AgeResult> {
    match age(job) {
        Err(Failure { code, cause, .. }) if code == "job.no_direct" || code == "job.no_fallocate" => {
            eprintln!("skipped: {cause}");
            None
        }
        other => Some(other.unwrap()),
    }
}

#[test]
fn every_profile_leaves_what_its_result_says_and_modes_replay_one_log() {
    for (json, operations) in PROFILES {
        let mut checksums = Vec::new();
        for mode in [AgeMode::Fast, AgeMode::Write, AgeMode::Direct] {
            let root = folder();
            let end = AgeEnd::Operations { operations };
            let profile = profile(json);
            let Some(result) = age_or_skip(&AgeJob { mode, end, profile, ..job(root.path()) }) else {
                continue;
            };
            let what = format!("{json} {mode:?}");
            assert_eq!(
                (result.ended, result.errors.len()),
                (AgeEnded::Complete, 0),
                "{what}: {:?}",
                result.errors
            );
            let tree = tree(root.path());
            assert_eq!((tree.files, tree.size_bytes), (result.live_files, result.live_bytes), "{what}");
            assert!(tree.most_names <= 1025, "{what}");
            assert!(result.live_files > 0 && result.written_bytes >= result.live_bytes, "{what}");
            let done: u64 = result.operations.iter().map(|each| each.done).sum();
            let skipped: u64 = result.operations.iter().map(|each| each.skipped + each.failed).sum();
            assert!(done <= operations && skipped == 0, "{what}");
            checksums.push((result.log_checksum, result.live_bytes, done));
        }
        assert!(checksums.len() >= 2 && checksums.windows(2).all(|two| two[0] == two[1]), "{checksums:?}");
    }
}

/// The copy has the log's names and sizes, and creates alone.
fn assert_fresh_copies(json: &str, space_bytes: u64, operations: u64) {
    let aged_root = folder_in_memory();
    let end = AgeEnd::Operations { operations };
    let space_bytes = Some(space_bytes);
    let aged_job = AgeJob { end, space_bytes, profile: profile(json), ..job(aged_root.path()) };
    let Some(aged) = age_or_skip(&aged_job) else { return };
    for mode in [AgeMode::Fast, AgeMode::Write, AgeMode::Direct] {
        let root = folder_in_memory();
        let directory = root.path().display().to_string();
        let fresh_job = AgeJob { mode, fresh_copy: true, directory, ..aged_job.clone() };
        let Some(fresh) = age_or_skip(&fresh_job) else { continue };
        let what = format!("{json} {mode:?}");
        assert_eq!((fresh.ended, fresh.errors.len()), (AgeEnded::Complete, 0), "{what}");
        assert_eq!(listing(root.path()), listing(aged_root.path()), "{what}");
        assert_eq!((fresh.live_files, fresh.live_bytes), (aged.live_files, aged.live_bytes), "{what}");
        assert_eq!((fresh.directories, fresh.storage_age), (aged.directories, Some(1.0)), "{what}");
        assert_eq!(fresh.virtual_time_ns, aged.virtual_time_ns, "{what}");
        let [creates] = fresh.operations[..] else { panic!("{:?}", fresh.operations) };
        assert_eq!((creates.operation, creates.done), (AgeOperation::Create, fresh.live_files), "{what}");
        assert!(fresh.notes.iter().any(|note| note.code == "age.fresh_copy"));
    }
}

#[test]
fn a_fresh_copy_is_the_same_tree_written_once() {
    for (json, operations) in PROFILES {
        assert_fresh_copies(json, 50 * MIB, operations);
    }
    // More files than one directory takes, so that directories are left and taken again.
    let small = r#"{"kind":"bins","bins":[{"at_least_bytes":1,"below_bytes":4096,"weight":1}]}"#;
    let crowded = format!(r#"{{"kind":"churn","streams":1,"rewrite_percent":20,"sizes":{small}}}"#);
    assert_fresh_copies(&crowded, 8 * MIB, 8_000);
    // Some directories lose all their files.
    assert_fresh_copies(r#"{"kind":"git_like","files_per_directory":1,"update_percent":50}"#, 2 * MIB, 2_000);
}

/// What the log would leave is not known before its end, and this one has none.
#[test]
fn a_fresh_copy_of_an_endless_log_ends_with_its_time() {
    let root = folder();
    let job = AgeJob { fresh_copy: true, time_limit_ns: 200_000_000, ..endless(&root) };
    let result = age(&job).unwrap();
    assert_eq!((result.ended, result.live_files), (AgeEnded::TimeLimit, 0));
    assert_eq!(tree(root.path()).most_names, 0);
}

#[test]
fn what_was_left_open_is_in_the_result() {
    let root = folder();
    let result = age(&job(root.path())).unwrap();
    let fsgauge_wire::AgeProfile::Intermingled { file_size_bytes, .. } = result.profile else { panic!() };
    assert_eq!(file_size_bytes.unwrap() * 20, result.live_bytes);
    assert_eq!((result.sync_every_bytes, result.syncs), (0, 1));
    assert_eq!(result.storage_age, Some(1.0));
    assert!(result.notes.iter().any(|note| note.code == "age.fast"));
}

#[test]
fn data_is_written_and_synced_as_often_as_asked() {
    let root = folder();
    let every = Some(10 * MIB);
    let result = age(&AgeJob { mode: AgeMode::Write, sync_every_bytes: every, ..job(root.path()) }).unwrap();
    assert_eq!(result.written_bytes, 40 * MIB);
    assert_eq!(result.syncs, 5);
    let data = std::fs::read(root.path().join("d0000/f0000")).unwrap();
    assert!(data.iter().filter(|&&byte| byte == 0).count() < data.len() / 100);
}

#[test]
fn a_directory_that_holds_anything_or_is_none_is_refused_and_left_alone() {
    let root = folder();
    std::fs::write(root.path().join("mine"), "text").unwrap();
    assert_eq!(age(&job(root.path())).unwrap_err().code, "job.not_empty");
    assert_eq!(std::fs::read_to_string(root.path().join("mine")).unwrap(), "text");
    assert_eq!(tree(root.path()).files, 1);
    assert_eq!(age(&job(&root.path().join("none"))).unwrap_err().code, "job.directory");
    assert_eq!(age(&job(&root.path().join("mine"))).unwrap_err().code, "job.directory");
}

#[test]
fn what_cannot_fit_is_refused_before_anything_is_made() {
    let root = folder();
    let small = AgeJob { space_bytes: Some(10 * MIB), ..job(root.path()) };
    assert_eq!(age(&small).unwrap_err().code, "job.space");
    let large = AgeJob { space_bytes: Some(1 << 60), ..job(root.path()) };
    assert_eq!(age(&large).unwrap_err().code, "job.space");
    assert_eq!(tree(root.path()).most_names, 0);
    // lost+found is the file system's own.
    std::fs::create_dir(root.path().join("lost+found")).unwrap();
    assert_eq!(age(&job(root.path())).unwrap().live_files, 20);
}

/// A log without an end that matters.
fn endless(root: &TempDir) -> AgeJob {
    let end = AgeEnd::Operations { operations: u64::MAX };
    AgeJob { profile: profile(r#"{"kind":"churn"}"#), end, ..job(root.path()) }
}

#[test]
fn a_time_limit_and_a_signal_end_it_with_what_there_is() {
    let root = folder();
    let begin = Instant::now();
    let result = age(&AgeJob { time_limit_ns: 300_000_000, ..endless(&root) }).unwrap();
    assert_eq!(result.ended, AgeEnded::TimeLimit);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());

    let (root, stop) = (folder(), Stop::new());
    let mut heard = Heard::default();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(600));
        stop.set();
    });
    let result = run_age(&endless(&root), engine(), &mut heard, stop).unwrap();
    stopper.join().unwrap();
    assert_eq!(result.ended, AgeEnded::Interrupted);
    let tree = tree(root.path());
    assert_eq!((tree.files, tree.size_bytes), (result.live_files, result.live_bytes));
    let progress = |event: &Event| matches!(event, Event::AgeProgress(progress) if progress.operations > 0);
    assert!(heard.events.iter().any(progress));
    assert!(result.notes.iter().any(|note| note.code == "age.unsynced"));
}

#[test]
fn a_reader_that_goes_away_ends_it() {
    struct Gone;
    impl Listener for Gone {
        fn event(&mut self, _: Event) -> std::io::Result<()> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
    }
    let root = folder();
    let result = run_age(&endless(&root), engine(), &mut Gone, Stop::new()).unwrap();
    assert_eq!(result.ended, AgeEnded::Interrupted);
}

#[test]
fn a_file_that_somebody_else_took_is_an_error_and_no_end() {
    let (root, stop) = (folder(), Stop::new());
    let path = root.path().join("d0000");
    // On a busy disk the folder is made late, and is not empty while files go on to be made in it.
    let thief = std::thread::spawn(move || {
        let until = Instant::now() + Duration::from_secs(60);
        std::thread::sleep(Duration::from_millis(200));
        while std::fs::remove_dir_all(&path).is_err() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_secs(2));
        stop.set();
    });
    let result = run_age(&endless(&root), engine(), &mut Heard::default(), stop).unwrap();
    thief.join().unwrap();
    let missing = |error: &&fsgauge_wire::AgeError| error.errno == 2;
    let deletes =
        result.errors.iter().filter(missing).any(|error| error.operation == Some(AgeOperation::Delete));
    assert!(deletes || result.ended == AgeEnded::GaveUp, "{:?}", result.errors);
    assert!(result.notes.iter().any(|note| note.code == "age.refused"));
}
