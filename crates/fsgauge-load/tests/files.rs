//! Real files: layout, reads and writes through both interfaces, and what is refused.

use std::collections::HashSet;
use std::path::Path;

use fsgauge_wire::{Access, Data, Interface, LoadJob, Target};

use crate::support::{assert_consistent, files, lay_out, null_load, operations, run};

/// Every 4096 bytes of every file of a directory.
fn pages(directory: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .flat_map(|path| std::fs::read(path).unwrap().chunks(4096).map(<[u8]>::to_vec).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_layout_fills_every_file_with_data_that_never_repeats() {
    let directory = tempfile::tempdir().unwrap();
    lay_out(&files(directory.path()), Data::Incompressible).unwrap();
    let pages = pages(directory.path());
    assert_eq!(pages.len(), 3 * 256);
    assert_eq!(pages.iter().collect::<HashSet<_>>().len(), pages.len());
    let zeros = pages.iter().flatten().filter(|byte| **byte == 0).count();
    assert!(zeros < 3 * (1 << 20) / 100, "{zeros} zeros");
}

#[test]
fn a_layout_of_zeros_is_zeros() {
    let directory = tempfile::tempdir().unwrap();
    lay_out(&files(directory.path()), Data::Zero).unwrap();
    assert!(pages(directory.path()).iter().flatten().all(|byte| *byte == 0));
}

#[test]
fn both_interfaces_read_and_write_real_files() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    for (interface, queue_depth, batch) in
        [(Interface::Psync, 1, None), (Interface::IoUring, 8, None), (Interface::IoUring, 8, Some(8))]
    {
        let load = LoadJob {
            target: target.clone(),
            interface,
            queue_depth,
            batch,
            read_percent: 50,
            jobs: 2,
            ..null_load()
        };
        let result = run(load).unwrap();
        assert!(operations(&result) > 100, "{} with {interface:?}", operations(&result));
        assert_consistent(&result);
        assert_eq!(result.features.is_some(), interface == Interface::IoUring);
    }
}

#[test]
fn sequential_writes_reach_every_page_once() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    let load = LoadJob {
        target,
        access: Access::Sequential {},
        read_percent: 0,
        jobs: 3,
        warm_up_ns: 0,
        duration_ns: 60_000_000_000,
        size_limit_bytes: Some(3 << 20),
        ..null_load()
    };
    let result = run(load).unwrap();
    assert_eq!(result.write.unwrap().size_bytes, 3 << 20);
    assert!(result.notes.iter().any(|note| note.code == "target.created"));
    let pages = pages(directory.path());
    assert_eq!(pages.len(), 3 * 256);
    assert!(pages.iter().all(|page| page.iter().any(|byte| *byte != 0)), "a page was left out");
    assert_eq!(pages.iter().collect::<HashSet<_>>().len(), pages.len());
}

#[test]
fn direct_reads_work_where_the_file_system_has_them() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let target = files(directory.path());
    lay_out(&target, Data::Incompressible).unwrap();
    match run(LoadJob { target, direct: true, ..null_load() }) {
        Ok(result) => assert_consistent(&result),
        Err(failure) => assert_eq!(failure.cause, "its file system has no direct I/O"),
    }
}

#[test]
fn a_file_that_was_not_laid_out_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let failure = run(LoadJob { target: files(directory.path()), ..null_load() }).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("target.open", 3));
    assert_eq!(failure.next, "run a job of kind layout on this target first");
}

#[test]
fn a_file_that_is_too_short_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(8192).unwrap();
    let path = file.path().display().to_string();
    let failure =
        run(LoadJob { target: Target::File { path: path.clone(), size_bytes: 1 << 20 }, ..null_load() });
    assert_eq!(failure.unwrap_err().what, format!("{path} has 8192 bytes, the job says 1048576"));
}

#[test]
fn a_file_that_shrinks_under_the_load_is_told_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let size_bytes = 1 << 20;
    let target = Target::File { path: path.display().to_string(), size_bytes };
    lay_out(&target, Data::Zero).unwrap();
    let shrinking = path.clone();
    let shrink = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(150));
        std::fs::File::options().write(true).open(shrinking).unwrap().set_len(0).unwrap();
    });
    let failure = run(LoadJob { target, duration_ns: 30_000_000_000, ..null_load() }).unwrap_err();
    shrink.join().unwrap();
    assert_eq!(failure.code, "io.short");
    assert!(failure.what.starts_with("read of 4096 bytes at offset "), "{}", failure.what);
}

#[test]
fn a_file_is_not_a_block_device() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display().to_string();
    let target = Target::Block { path: path.clone(), offset_bytes: 0, size_bytes: 4096 };
    let failure = run(LoadJob { target, read_percent: 0, ..null_load() }).unwrap_err();
    assert_eq!(failure.what, format!("{path} is not a block device"));
}
