//! What clients write: read back, in trees, verified.

use super::jobs::*;
use fsgauge_wire::{ClientErrorKind, ClientOperation, ClientsJob, Create, FileSet, LoadResult, Phase, Tree};
use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::path::PathBuf;

#[test]
fn what_is_written_is_read_back_however_it_is_carried() {
    for directory in directories() {
        for (name, write) in variants(directory.path(), WRITE) {
            let result = run(&write).unwrap();
            assert_whole(&result);
            assert_littles_law(&result);
            let files = tree(directory.path());
            assert_eq!((files.len(), clients(&result).files), (60, 60), "{name}");
            assert_eq!(files[Path::new("c00001/c00001-f000001")], 100_000);
            assert_eq!(files.values().sum::<u64>(), result.write.as_ref().unwrap().size_bytes);
            assert_eq!(count(&result, ClientOperation::Connect), 10);
            assert_eq!(count(&result, ClientOperation::Create), 60);
            assert_eq!(count(&result, ClientOperation::Close), 60);
            assert_eq!(count(&result, ClientOperation::Write), 20 * (4 + 2 + 25));
            assert!(result.read.is_none() && clients(&result).connect_ns > 0);

            for (reader, read) in variants(directory.path(), READ) {
                let result = run(&read).unwrap();
                assert_whole(&result);
                assert_littles_law(&result);
                assert_eq!(clients(&result).checked_records, 20 * 31, "{name}, {reader}");
                assert_eq!(count(&result, ClientOperation::Open), 60);
                assert_eq!(result.read.as_ref().unwrap().size_bytes, files.values().sum::<u64>());
            }
            let result = run(&job(directory.path(), Phase::Stat {})).unwrap();
            assert_whole(&result);
            assert_eq!(count(&result, ClientOperation::Stat), 60);
            let result = run(&job(directory.path(), Phase::Delete {})).unwrap();
            assert_whole(&result);
            assert_eq!((count(&result, ClientOperation::Unlink), tree(directory.path()).len()), (60, 0));
        }
    }
}

#[test]
fn files_can_be_created_in_two_steps_and_synced() {
    let directory = tempfile::tempdir().unwrap();
    let phase = Phase::Write { create: Create::ThenOpen };
    let result = run(&ClientsJob { fsync: true, ..job(directory.path(), phase) }).unwrap();
    assert_whole(&result);
    assert_littles_law(&result);
    for operation in [ClientOperation::Create, ClientOperation::Open, ClientOperation::Fsync] {
        assert_eq!(count(&result, operation), 60, "{operation:?}");
    }
    assert_eq!(count(&result, ClientOperation::Close), 60);
}

#[test]
fn shared_trees_are_made_once_and_dealt_evenly() {
    let plain = job(Path::new(""), WRITE);
    let files = FileSet { tree: Tree::Shared { depth: 2, fan_out: 3 }, ..plain.files.clone() };
    let directory = written(&ClientsJob { files: files.clone(), ..plain });
    let found = tree(directory.path());
    assert_eq!(found.len(), 60);
    let mut leaves: BTreeMap<PathBuf, u32> = BTreeMap::new();
    found.keys().for_each(|path| *leaves.entry(path.parent().unwrap().into()).or_default() += 1);
    assert_eq!(leaves.len(), 9);
    assert!(leaves.values().all(|count| (6..=7).contains(count)), "{leaves:?}");
    let result = run(&ClientsJob { files, ..job(directory.path(), READ) }).unwrap();
    assert_whole(&result);
}

/// Changes a file in `c00003`, and tells where the first bad byte is to be found.
fn plant(directory: &Path, change: impl Fn(&std::fs::File)) -> LoadResult {
    let path = directory.join("c00003/c00003-f000002");
    change(&std::fs::File::options().read(true).write(true).open(path).unwrap());
    run(&job(directory, READ)).unwrap()
}

fn assert_bad(result: &LoadResult, expected: &[(u64, u64)]) {
    assert_sound(result);
    let found: Vec<(u64, u64)> =
        clients(result).bad.iter().map(|bad| (bad.offset_bytes, bad.first_byte)).collect();
    assert_eq!((found.as_slice(), clients(result).bad_records), (expected, expected.len() as u64));
    assert!(clients(result).bad.iter().all(|bad| bad.path.ends_with("/c00003/c00003-f000002")));
}

#[test]
fn planted_damage_is_found_where_it_is() {
    // File 2 of client 3 has the third size: 100 000 bytes.
    let directory = written(&job(Path::new(""), WRITE));
    let byte_at = |file: &std::fs::File, offset| {
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset).unwrap();
        byte
    };
    for offset in [0, 15, 16, 4095, 4096, 50_000, 99_999] {
        let flip = |file: &std::fs::File| {
            file.write_all_at(&[byte_at(file, offset)[0] ^ 4], offset).unwrap();
        };
        assert_bad(&plant(directory.path(), flip), &[(offset / 4096 * 4096, offset)]);
        assert_bad(&plant(directory.path(), flip), &[]);
    }
    let swap = |file: &std::fs::File| {
        let (mut first, mut second) = ([0; 4096], [0; 4096]);
        file.read_exact_at(&mut first, 8192).unwrap();
        file.read_exact_at(&mut second, 12288).unwrap();
        file.write_all_at(&second, 8192).unwrap();
        file.write_all_at(&first, 12288).unwrap();
    };
    assert_bad(&plant(directory.path(), swap), &[(8192, 8192), (12288, 12288)]);
    plant(directory.path(), swap);
    let other = std::fs::read(directory.path().join("c00004/c00004-f000001")).unwrap();
    let result = plant(directory.path(), |file| file.write_all_at(&other[..4096], 0).unwrap());
    // Both are first pages: the file's number, in the second word, is what differs first.
    assert_bad(&result, &[(0, 8)]);
}

#[test]
fn a_file_that_is_too_short_is_given_up_and_told() {
    let directory = written(&job(Path::new(""), WRITE));
    let result = plant(directory.path(), |file| file.set_len(50_000).unwrap());
    assert_sound(&result);
    let clients = clients(&result);
    assert_eq!((clients.files, clients.files_given_up, clients.clients_gave_up), (59, 1, 0));
    assert_eq!(clients.errors.len(), 1);
    let error = &clients.errors[0];
    assert_eq!(
        (error.operation, error.kind, error.count),
        (ClientOperation::Read, ClientErrorKind::Short, 1)
    );
    assert!(error.first_path.ends_with("/c00003/c00003-f000002"), "{}", error.first_path);
    assert_eq!((count(&result, ClientOperation::Close), clients.bad_records), (60, 0));
}

#[test]
fn what_was_appended_to_a_file_is_seen_though_no_client_reads_it() {
    let directory = written(&job(Path::new(""), WRITE));
    let files: Vec<PathBuf> =
        tree(directory.path()).into_keys().map(|path| directory.path().join(path)).collect();
    for (path, more) in files.iter().zip([&b"x"[..], &[0; 5000]]) {
        let file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        std::io::Write::write_all(&mut &file, more).unwrap();
    }
    let result = run(&job(directory.path(), READ)).unwrap();
    let of = clients(&result);
    assert_eq!((of.bad_records, of.bad.len(), of.files_given_up), (2, 2, 0));
    for bad in &of.bad {
        assert!(files[..2].iter().any(|path| path.display().to_string() == bad.path), "{bad:?}");
        assert_eq!(bad.offset_bytes, bad.first_byte);
        assert!(bad.first_byte < std::fs::metadata(&bad.path).unwrap().len());
    }
    let unchecked = run(&ClientsJob { verify: false, ..job(directory.path(), READ) }).unwrap();
    assert_eq!(clients(&unchecked).bad_records, 0);
}
