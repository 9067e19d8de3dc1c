use std::collections::HashMap;

use fsgauge_wire::{AgeLifetimes, AgeSizes};

use super::*;
use crate::log_state::taken;

const MIB: u64 = 1 << 20;

fn churn() -> AgeProfile {
    AgeProfile::Churn {
        sizes: AgeSizes::default(),
        lifetimes: AgeLifetimes::default(),
        streams: 8,
        rewrite_percent: 10,
        turn_bytes: None,
    }
}

fn git_like() -> AgeProfile {
    let AgeSizes::LognormalPareto { .. } = AgeSizes::default() else { unreachable!() };
    let sizes = AgeSizes::LognormalPareto {
        median_bytes: 4096,
        sigma: 1.5,
        tail_percent: 0.0,
        tail_from_bytes: MIB,
        tail_alpha: 1.0,
        largest_bytes: None,
    };
    AgeProfile::GitLike { sizes, files_per_directory: 16, update_percent: 1.0 }
}

fn connections() -> AgeProfile {
    AgeProfile::Connections { clients: 59, file_size_bytes: MIB - 100, record_bytes: 4096, fsync: true }
}

fn database() -> AgeProfile {
    AgeProfile::Database { files: 4, page_bytes: 4096, extend_bytes: MIB, fsync_every: 64 }
}

fn intermingled(keep_files: Option<u32>) -> AgeProfile {
    AgeProfile::Intermingled { files: 20, file_size_bytes: None, chunk_bytes: MIB, keep_files }
}

fn all() -> [(&'static str, AgeProfile); 5] {
    [
        ("intermingled", intermingled(Some(3))),
        ("churn", churn()),
        ("connections", connections()),
        ("git_like", git_like()),
        ("database", database()),
    ]
}

fn log(profile: &AgeProfile, end: AgeEnd, seed: u64) -> OpLog {
    OpLog::new(profile, end, 100 * MIB, seed).unwrap()
}

fn checksum(profile: &AgeProfile, seed: u64) -> String {
    let mut log = log(profile, AgeEnd::Operations { operations: 50_000 }, seed);
    log.by_ref().for_each(drop);
    log.checksum()
}

/// These must not change without a word in the changelog: images aged before could not be made again.
#[test]
fn a_seed_gives_the_same_log_to_the_bit() {
    let found: Vec<_> = all().iter().map(|(name, profile)| (*name, checksum(profile, 7))).collect();
    let expected = [
        ("intermingled", "bc3e5dfba79cf7fa"),
        ("churn", "383b07c1cca821b0"),
        ("connections", "7c412b380f9378d2"),
        ("git_like", "b35b85ba0df2b406"),
        ("database", "31ca00c6bb105723"),
    ];
    assert_eq!(found, expected.map(|(name, sum)| (name, sum.to_string())));
}

#[test]
fn another_seed_gives_another_log_from_the_fill_on() {
    for (name, profile) in all() {
        if name != "connections" {
            assert_ne!(checksum(&profile, 7), checksum(&profile, 8), "{name}");
        }
    }
    // What has nothing to draw while it fills has only its deletes to differ in.
    let fill = |profile: &AgeProfile, seed| {
        let mut log = log(profile, AgeEnd::Complete {}, seed);
        log.by_ref().for_each(drop);
        log.checksum()
    };
    assert_ne!(fill(&churn(), 7), fill(&churn(), 8));
    assert_ne!(fill(&git_like(), 7), fill(&git_like(), 8));
}

/// Replays a log in memory and holds every operation to what the file is then.
#[test]
fn operations_fit_the_files_they_are_for() {
    for (name, profile) in all() {
        let mut live: HashMap<u32, u64> = HashMap::new();
        let mut last_ns = 0;
        for operation in log(&profile, AgeEnd::Operations { operations: 60_000 }, 3) {
            let Operation { virtual_time_ns, kind, file, offset_bytes, size_bytes, .. } = operation;
            assert!(virtual_time_ns >= last_ns, "{name}: time goes back");
            last_ns = virtual_time_ns;
            match kind {
                AgeOperation::Create => assert_eq!(live.insert(file, size_bytes), None, "{name}"),
                AgeOperation::Append => {
                    assert_eq!(live[&file], offset_bytes, "{name}");
                    assert!(size_bytes > 0);
                    live.insert(file, offset_bytes + size_bytes);
                }
                AgeOperation::Overwrite => assert!(offset_bytes + size_bytes <= live[&file], "{name}"),
                AgeOperation::Truncate => {
                    assert_eq!(live.insert(file, offset_bytes), Some(offset_bytes + size_bytes), "{name}");
                }
                AgeOperation::Delete => assert_eq!(live.remove(&file), Some(size_bytes), "{name}"),
                AgeOperation::Fsync => assert!(live.contains_key(&file), "{name}"),
            }
        }
        let taken_bytes: u64 = live.values().map(|&size| taken(size)).sum();
        // One file of the git-like tree lies beside the one that it replaces.
        assert!(taken_bytes <= 106 * MIB, "{name}: {taken_bytes}");
        let numbers = live.keys().max().copied().unwrap_or(0) as usize;
        assert!(numbers <= 3 * live.len() + 64, "{name}: {numbers} for {} files", live.len());
    }
}

#[test]
fn the_space_stays_filled_after_the_fill() {
    for (name, profile) in [("churn", churn()), ("connections", connections()), ("git_like", git_like())] {
        let mut log = log(&profile, AgeEnd::StorageAge { storage_age: 4.0 }, 3);
        let (mut least, mut filled) = (u64::MAX, false);
        while log.next().is_some() {
            filled |= log.profile.is_filled();
            if filled {
                least = least.min(log.log.taken_bytes());
            }
        }
        // The largest file of a law is a twentieth of the room; 59 clients have a file each to write.
        let floor = if name == "connections" { 40 } else { 90 };
        assert!(least >= floor * MIB, "{name}: {least}");
        let age = log.written_bytes as f64 / log.live_bytes as f64;
        assert!((4.0..4.6).contains(&age), "{name}: {age}");
    }
}

#[test]
fn intermingled_files_take_turns_and_go_one_at_a_time() {
    let operations: Vec<_> = log(&intermingled(Some(3)), AgeEnd::Complete {}, 1).collect();
    let kinds = |kind| operations.iter().filter(move |operation| operation.kind == kind);
    assert_eq!(kinds(AgeOperation::Create).count(), 20);
    let appends: Vec<_> = kinds(AgeOperation::Append).collect();
    assert_eq!(appends.len(), 100);
    for (at, append) in appends.iter().enumerate() {
        assert_eq!((append.file, append.size_bytes), (at as u32 % 20, MIB));
        assert_eq!(append.offset_bytes, at as u64 / 20 * MIB);
    }
    assert_eq!(kinds(AgeOperation::Delete).count(), 17);
}

#[test]
fn connections_finish_every_file_of_the_fill() {
    let profile =
        AgeProfile::Connections { clients: 50, file_size_bytes: MIB, record_bytes: 4096, fsync: false };
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    let mut neighbours = 0;
    let mut last_file = u32::MAX;
    for operation in log(&profile, AgeEnd::Complete {}, 1) {
        *sizes.entry(operation.file).or_default() += operation.size_bytes;
        neighbours += u32::from(operation.file == last_file);
        last_file = operation.file;
    }
    assert_eq!(sizes.len(), 100);
    assert!(sizes.values().all(|&size| size == MIB));
    assert!(neighbours < 10, "{neighbours} records follow one of their own file");
}

#[test]
fn ends_are_kept() {
    let profile = churn();
    assert_eq!(log(&profile, AgeEnd::Operations { operations: 1234 }, 1).count(), 1234);
    let hour_ns = 3600 * 1_000_000_000;
    let mut log = log(&profile, AgeEnd::VirtualTime { virtual_time_ns: hour_ns }, 1);
    log.by_ref().for_each(drop);
    assert!((hour_ns / 2..=hour_ns).contains(&log.virtual_time_ns()), "{}", log.virtual_time_ns());
    assert!(log.share().unwrap() <= 1.0);
}

#[test]
fn a_profile_that_does_not_fit_is_refused() {
    let code =
        |profile: &AgeProfile, room| OpLog::new(profile, AgeEnd::Complete {}, room, 1).err().unwrap().code;
    assert_eq!(code(&intermingled(None), 19 * MIB), "job.space");
    assert_eq!(code(&intermingled(Some(21)), 100 * MIB), "job.profile");
    assert_eq!(code(&connections(), 58 * MIB), "job.space");
    assert_eq!(code(&database(), 4 * 4095), "job.space");
    let AgeProfile::Churn { lifetimes, streams, .. } = churn() else { unreachable!() };
    let bins = vec![fsgauge_wire::AgeSizeBin { at_least_bytes: 1, below_bytes: 200 * MIB, weight: 1.0 }];
    let sizes = AgeSizes::Bins { bins };
    assert_eq!(
        code(
            &AgeProfile::Churn { sizes, lifetimes, streams, rewrite_percent: 0, turn_bytes: None },
            100 * MIB
        ),
        "job.space"
    );
}

/// Each stream has a place in memory: with four thousand million of them the process was ended for want of 24 GB.
#[test]
fn streams_have_a_limit() {
    let AgeProfile::Churn { sizes, lifetimes, .. } = churn() else { unreachable!() };
    let begun = |streams| {
        let (sizes, lifetimes) = (sizes.clone(), lifetimes.clone());
        let profile = AgeProfile::Churn { sizes, lifetimes, streams, rewrite_percent: 0, turn_bytes: None };
        OpLog::new(&profile, AgeEnd::Complete {}, 100 * MIB, 1).map(drop)
    };
    assert!(begun(1 << 16).is_ok());
    assert_eq!(begun(u32::MAX).unwrap_err().code, "job.profile");
}

/// Of two kinds of files made equally often, only those of the short lifetime go while there are any.
#[test]
fn lifetimes_decide_which_file_goes() {
    let bin = |at_least_ns, below_ns| fsgauge_wire::AgeLifetimeBin { at_least_ns, below_ns, weight: 1.0 };
    let bins = vec![bin(1_000_000_000_000, 2_000_000_000_000), bin(1 << 59, 1 << 60)];
    let size = fsgauge_wire::AgeSizeBin { at_least_bytes: 4000, below_bytes: 4096, weight: 1.0 };
    let (sizes, lifetimes) = (AgeSizes::Bins { bins: vec![size] }, AgeLifetimes::Bins { bins });
    let profile = AgeProfile::Churn { sizes, lifetimes, streams: 1, rewrite_percent: 0, turn_bytes: None };
    let (mut created_ns, mut ages_ns) = (HashMap::new(), Vec::new());
    // 25,600 files fit, half of them short-lived; half of what takes the place of those that go is so again.
    for operation in log(&profile, AgeEnd::Operations { operations: 45_600 }, 1) {
        match operation.kind {
            AgeOperation::Create => _ = created_ns.insert(operation.file, operation.virtual_time_ns),
            _ => ages_ns.push(operation.virtual_time_ns - created_ns[&operation.file]),
        }
    }
    assert_eq!(ages_ns.len(), 10_000);
    assert!(ages_ns.iter().all(|age_ns| (1_000_000_000_000..2_000_000_000_000).contains(age_ns)));
}

fn in_turns(turn_bytes: Option<u64>, rewrite_percent: u8) -> AgeProfile {
    let AgeProfile::Churn { sizes, lifetimes, .. } = churn() else { unreachable!() };
    AgeProfile::Churn { sizes, lifetimes, streams: 6, rewrite_percent, turn_bytes }
}

/// The life of a Lustre target could not be told by sizes of preallocation: each file was written alone.
#[test]
fn streams_write_files_at_the_same_time_and_the_level_is_kept() {
    let (mut sizes, mut most_bytes, mut at_once) = (HashMap::new(), 0, 0);
    let mut open = HashMap::new();
    let (mut taken_bytes, mut operations) = (0, 0u64);
    for operation in log(&in_turns(Some(65_536), 0), AgeEnd::Operations { operations: 60_000 }, 3) {
        operations += 1;
        let size_bytes = sizes.entry(operation.file).or_insert(0u64);
        taken_bytes -= taken(*size_bytes);
        match operation.kind {
            AgeOperation::Create => {
                assert_eq!((operation.size_bytes, *size_bytes), (0, 0));
                open.insert(operation.stream, operation.file);
            }
            AgeOperation::Append => {
                assert_eq!(
                    open[&operation.stream], operation.file,
                    "a stream writes the file that it has open"
                );
                assert!(operation.size_bytes <= 65_536 && operation.offset_bytes == *size_bytes);
                *size_bytes += operation.size_bytes;
            }
            AgeOperation::Delete => {
                assert_eq!(operation.size_bytes, *size_bytes);
                *size_bytes = 0;
            }
            kind => panic!("{kind:?}"),
        }
        taken_bytes += taken(*size_bytes);
        most_bytes = most_bytes.max(taken_bytes);
        at_once = at_once.max(open.len());
    }
    assert_eq!((operations, at_once), (60_000, 6));
    assert!(most_bytes <= 100 * MIB && most_bytes > 95 * MIB, "{most_bytes}");
}

#[test]
fn a_fill_in_turns_ends_by_itself_at_its_level() {
    let mut live = HashMap::new();
    let mut filled = log(&in_turns(Some(65_536), 0), AgeEnd::Complete {}, 3);
    for operation in filled.by_ref() {
        match operation.kind {
            // A short life may end before the fill does.
            AgeOperation::Delete => _ = live.remove(&operation.file),
            _ => *live.entry(operation.file).or_insert(0) += operation.size_bytes,
        }
    }
    let taken_bytes: u64 = live.values().map(|&size_bytes| taken(size_bytes)).sum();
    assert!(live.values().all(|&size_bytes| size_bytes > 0));
    assert!((95 * MIB..=100 * MIB).contains(&taken_bytes), "{taken_bytes}");
}

#[test]
fn turns_that_cannot_be_are_refused() {
    let said = |profile: &AgeProfile| {
        OpLog::new(profile, AgeEnd::Complete {}, 100 * MIB, 1).err().map(|failure| failure.what)
    };
    assert_eq!(said(&in_turns(Some(0), 0)).as_deref(), Some("turn_bytes is 0"));
    assert_eq!(said(&in_turns(Some(4096), 5)).as_deref(), Some("rewrite_percent is 5 with turn_bytes"));
    assert_eq!(said(&in_turns(None, 5)), None);
}
