//! Files of real, mounted file systems: every count is that of `filefrag -v`. Needs root and loop devices:
//! elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a failure.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fsgauge_wire::{Ended, FilesBin, ScanCounts, ScanJob, ScanMap, ScanResult};

use crate::mounts::{
    Frag, Line, Mounted, filefrag, fill, job, mounted_or_skip, scan, scan_stopped, sync, text, tool, unmount,
};

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-b", "4096", "-O", "inline_data"];
const XFS: &[&str] = &["mkfs.xfs", "-q"];
const BTRFS: &[&str] = &["mkfs.btrfs", "-q"];
const MIB: u64 = 1 << 20;

/// Lines of one file that take a place, joined where they touch in the file and on the device.
fn joined(frag: &Frag) -> Vec<Line> {
    let mut joined: Vec<Line> = Vec::new();
    for line in frag.lines.iter().filter(|line| !has(line, "inline") && !has(line, "delalloc")) {
        match joined.last_mut() {
            Some(last)
                if !has(last, "encoded")
                    && !has(line, "encoded")
                    && last.logical + last.length == line.logical
                    && last.physical + last.length == line.physical =>
            {
                last.length += line.length;
            }
            _ => joined.push(line.clone()),
        }
    }
    joined
}

fn has(line: &Line, flag: &str) -> bool {
    line.flags.split(',').any(|each| each == flag)
}

/// The counts that filefrag's lines amount to.
fn counted(frags: &[Frag], folders: u64) -> ScanCounts {
    let mut counts = ScanCounts { folders, ..ScanCounts::default() };
    for frag in frags {
        let joined = joined(frag);
        let with = |flag: &str| frag.lines.iter().filter(|line| has(line, flag)).count() as u64;
        counts.files += 1;
        counts.files_without_extents += u64::from(joined.is_empty());
        counts.fragmented_files += u64::from(joined.len() > 1);
        counts.extents += joined.len() as u64;
        // filefrag counts what lies in the inode; it has no place on the device.
        let go_on = |pair: &[Line]| {
            pair[0].flags.replace("last,", "") == pair[1].flags.replace("last,", "")
                && pair[0].logical + pair[0].length == pair[1].logical
                && pair[0].physical + pair[0].length == pair[1].physical
        };
        let gone_on = frag.lines.windows(2).filter(|pair| go_on(pair)).count() as u64;
        counts.raw_extents += frag.lines.len() as u64 - with("inline") - gone_on;
        counts.unwritten_extents += with("unwritten");
        counts.inline_extents += with("inline");
        counts.shared_extents += with("shared");
        counts.compressed_extents += with("encoded");
        let covered: u64 = frag
            .lines
            .iter()
            .map(|line| {
                let end = ((line.logical + line.length) * 4096).min(frag.size_bytes);
                end.saturating_sub(line.logical * 4096)
            })
            .sum();
        counts.sparse_files += u64::from(covered < frag.size_bytes);
        for (at, line) in joined.iter().enumerate() {
            counts.extent_bytes += line.length * 4096;
            counts.contiguous_block_pairs += line.length - 1;
            let touches = joined.get(at + 1).is_some_and(|next| line.logical + line.length == next.logical);
            counts.block_pairs += line.length - 1 + u64::from(touches);
        }
    }
    counts
}

fn folders(root: &Path) -> u64 {
    tool("find", &[text(root), "-type", "d"]).unwrap().lines().count() as u64
}

/// Files by their number of extents, as filefrag has them.
fn by_extents(frags: &[Frag]) -> Vec<FilesBin> {
    let mut bins: BTreeMap<u64, FilesBin> = BTreeMap::new();
    for extents in frags.iter().map(|frag| joined(frag).len() as u64).filter(|extents| *extents > 0) {
        let at_least_extents = 1 << extents.ilog2();
        let bin = bins.entry(at_least_extents).or_insert(FilesBin { at_least_extents, files: 0, extents: 0 });
        (bin.files, bin.extents) = (bin.files + 1, bin.extents + extents);
    }
    bins.into_values().collect()
}

/// A file with two names is known by the one that was found first, whichever that is.
fn with_first_names(map: &Option<ScanMap>) -> Option<ScanMap> {
    let mut map = map.clone()?;
    map.names.iter_mut().for_each(|name| *name = name.replace("folder0/another-name-of-large", "large"));
    Some(map)
}

/// What filefrag tells too: of compressed extents it has no length on the device, so that none touch.
fn told(counts: &ScanCounts) -> ScanCounts {
    let is_compressed = counts.compressed_extents > 0;
    ScanCounts {
        extents: if is_compressed { 0 } else { counts.extents },
        fragmented_files: if is_compressed { 0 } else { counts.fragmented_files },
        contiguous_block_pairs: if is_compressed { 0 } else { counts.contiguous_block_pairs },
        shared_bytes: 0,
        shared_once_extents: None,
        shared_once_bytes: None,
        short_bytes: 0,
        jumps: None,
        beyond_end_files: 0,
        beyond_end_bytes: 0,
        tail_bytes: 0,
        ..*counts
    }
}

/// Counts, lengths and the list of files equal what filefrag says, and what it sums up itself.
fn check(mounted: &Mounted) -> ScanResult {
    sync(&mounted.point);
    let frags = filefrag(&mounted.point);
    let one = scan(&ScanJob { threads: Some(1), top: 1000, map_order: 4, ..job(&mounted.point) }).unwrap();
    let two = scan(&ScanJob { threads: Some(2), top: 1000, map_order: 4, ..job(&mounted.point) }).unwrap();
    assert_eq!(told(&one.counts), told(&counted(&frags, folders(&mounted.point))));
    assert_eq!((&one.counts, &one.top), (&two.counts, &two.top), "threads do not matter");
    assert_eq!(with_first_names(&one.map), with_first_names(&two.map), "threads do not matter");
    assert_eq!(one.problems, []);

    let lengths: u64 = one.extent_lengths.iter().map(|bin| bin.extents).sum();
    assert_eq!(lengths, one.counts.extents);
    if one.counts.compressed_extents == 0 {
        assert_eq!(one.files_by_extents, by_extents(&frags));
    }
    assert_eq!(one.files_by_extents, two.files_by_extents);
    let in_pieces = |frag: &&Frag| joined(frag).len() > 1 && one.counts.compressed_extents == 0;
    for frag in frags.iter().filter(in_pieces) {
        let name = frag.path.to_string_lossy();
        let listed =
            one.top.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{name} is missing"));
        let logical: Vec<u64> = listed.list.iter().map(|extent| extent.logical_bytes / 4096).collect();
        let expected: Vec<u64> = joined(frag).iter().map(|line| line.logical).collect();
        assert_eq!(logical, expected, "{name}");
        let is_whole = frag.lines.windows(2).all(|pair| pair[0].logical + pair[0].length == pair[1].logical);
        if is_whole && frag.lines[0].logical == 0 {
            assert_eq!(listed.extents, frag.extents, "filefrag's own number for {name}");
        }
    }
    assert_eq!(one.top.len() as u64, one.counts.fragmented_files);
    one
}

#[test]
fn ext4_is_as_filefrag_says() {
    let Some(mounted) = mounted_or_skip(128 * MIB, EXT4, "rw") else { return };
    fill(&mounted.point).unwrap();
    let found = check(&mounted);
    let counts = &found.counts;
    assert!(
        counts.fragmented_files >= 2 && counts.unwritten_extents >= 2 && counts.inline_extents >= 1,
        "{counts:?}"
    );
    assert_eq!((counts.sparse_files, found.source.files_by.as_str()), (2, "fiemap"));
    assert_eq!((found.source.file_system.as_str(), found.source.writable), ("ext4", true));
    assert_eq!(found.source.size_bytes, 128 * MIB);
}

#[test]
fn ext3_is_as_filefrag_says() {
    let mkfs = ["mkfs.ext3", "-q", "-b", "4096"];
    let Some(mounted) = mounted_or_skip(96 * MIB, &mkfs, "rw") else { return };
    // No fallocate there.
    for file in 0..50 {
        fs::write(mounted.point.join(format!("f{file}")), vec![1; file * 1111]).unwrap();
    }
    fs::write(mounted.point.join("large"), vec![2; 9 << 20]).unwrap();
    let found = check(&mounted);
    assert_eq!((found.counts.files, found.source.file_system.as_str()), (51, "ext3"));
}

#[test]
fn xfs_is_as_filefrag_says_also_where_files_share_extents() {
    let Some(mounted) = mounted_or_skip(320 * MIB, XFS, "rw") else { return };
    fill(&mounted.point).unwrap();
    let (from, to) = (mounted.point.join("large"), mounted.point.join("clone"));
    tool("cp", &["--reflink=always", text(&from), text(&to)]).unwrap();
    let found = check(&mounted);
    assert!(found.counts.shared_extents >= 2, "{:?}", found.counts);
    assert_eq!(found.source.size_bytes, 320 * MIB);
}

#[test]
fn btrfs_is_as_filefrag_says_with_its_subvolumes_and_snapshots() {
    let Some(mounted) = mounted_or_skip(256 * MIB, BTRFS, "rw") else { return };
    fill(&mounted.point).unwrap();
    let inner = mounted.point.join("subvolume");
    tool("btrfs", &["subvolume", "create", text(&inner)]).unwrap();
    fs::write(inner.join("file"), vec![5; 100_000]).unwrap();
    sync(&mounted.point);
    let snapshot = mounted.point.join("snapshot");
    tool("btrfs", &["subvolume", "snapshot", text(&inner), text(&snapshot)]).unwrap();
    let found = check(&mounted);
    assert!(found.counts.shared_extents >= 2, "{:?}", found.counts);
    assert!(found.notes.iter().all(|note| note.code != "other_mounts"), "{:?}", found.notes);
}

#[test]
fn compressed_extents_of_btrfs_are_counted_apart() {
    let Some(mounted) = mounted_or_skip(256 * MIB, BTRFS, "rw,compress-force=zstd") else { return };
    fs::write(mounted.point.join("zeros"), vec![0; 1 << 20]).unwrap();
    let found = check(&mounted);
    assert_eq!(found.counts.compressed_extents, 8, "128 KiB each");
    assert!(found.notes.iter().any(|note| note.code == "compressed_lengths"), "{:?}", found.notes);
}

#[test]
fn what_is_only_in_the_cache_is_counted_and_said() {
    let Some(mounted) = mounted_or_skip(128 * MIB, &["mkfs.ext4", "-q"], "rw,commit=300") else { return };
    sync(&mounted.point);
    fs::write(mounted.point.join("fresh"), vec![1; 1 << 20]).unwrap();
    let found = scan(&job(&mounted.point)).unwrap();
    assert_eq!((found.counts.delayed_extents, found.counts.extents, found.counts.sparse_files), (1, 0, 0));
    assert!(found.notes.iter().any(|note| note.code == "delayed_extents"), "{:?}", found.notes);
}

#[test]
fn one_file_alone_is_scanned() {
    let Some(mounted) = mounted_or_skip(128 * MIB, EXT4, "rw") else { return };
    fill(&mounted.point).unwrap();
    let found = scan(&ScanJob { top: 1, ..job(&mounted.point.join("pieces")) }).unwrap();
    let frags = filefrag(&mounted.point.join("pieces"));
    assert_eq!(told(&found.counts), told(&counted(&frags, 0)));
    assert_eq!((found.counts.files, found.top[0].extents), (1, frags[0].extents));
}

#[test]
fn what_is_mounted_below_is_left_out_and_said() {
    let Some(outer) = mounted_or_skip(64 * MIB, EXT4, "rw") else { return };
    let Some(inner) = mounted_or_skip(64 * MIB, EXT4, "rw") else { return };
    fs::write(outer.point.join("seen"), vec![1; 5000]).unwrap();
    fs::write(inner.point.join("not-seen"), vec![1; 5000]).unwrap();
    let below = outer.point.join("below");
    fs::create_dir(&below).unwrap();
    tool("mount", &["--bind", text(&inner.point), text(&below)]).unwrap();
    let found = scan(&job(&outer.point));
    unmount(&below);
    let found = found.unwrap();
    assert_eq!(found.counts.files, 1);
    let said = found.notes.iter().find(|note| note.code == "other_mounts").map(|note| note.text.as_str());
    assert_eq!(said, Some("1 folder or file below is another mount and was skipped"), "{:?}", found.notes);
}

#[test]
fn a_mounted_device_is_scanned_where_it_is_mounted_and_this_is_said() {
    let Some(mounted) = mounted_or_skip(64 * MIB, EXT4, "rw") else { return };
    fs::write(mounted.point.join("file"), vec![1; 5000]).unwrap();
    let found = scan(&job(Path::new(&mounted.device))).unwrap();
    assert_eq!((found.counts.files, found.source.writable), (1, true));
    assert_eq!(found.source.mount_point.as_deref(), Some(text(&mounted.point)));
    assert_eq!(found.source.path, mounted.device);
    assert!(found.notes.iter().any(|note| note.code == "device_is_mounted"), "{:?}", found.notes);
}

#[test]
fn a_file_system_without_fiemap_is_an_error_that_names_it() {
    let folder = Path::new("/proc/self");
    if !folder.exists() {
        return;
    }
    let failure = scan(&job(folder)).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("job.no_fiemap", 2));
    assert!(failure.cause.contains("proc"), "{}", failure.cause);
}

#[test]
fn a_path_that_is_not_there_is_an_error() {
    let failure = scan(&job(Path::new("/nowhere/at/all"))).unwrap_err();
    assert_eq!(failure.code, "job.path");
    let failure = scan(&job(Path::new("/dev/null"))).unwrap_err();
    assert_eq!(failure.code, "job.path");
}

#[test]
fn a_deep_tree_is_walked_to_its_end() {
    let Some(mounted) = mounted_or_skip(64 * MIB, EXT4, "rw") else { return };
    let mut deep = mounted.point.clone();
    for _ in 0..300 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("bottom"), vec![1; 5000]).unwrap();
    for threads in [1, 2] {
        let found = scan(&ScanJob { threads: Some(threads), ..job(&mounted.point) }).unwrap();
        assert_eq!((found.counts.files, found.counts.folders), (1, 302), "lost+found is one of them");
    }
}

#[test]
fn a_scan_that_is_stopped_says_so_and_gives_no_half_of_the_free_space() {
    let Some(mut mounted) = mounted_or_skip(64 * MIB, EXT4, "rw") else { return };
    let by_mount = scan_stopped(&job(&mounted.point)).unwrap();
    mounted.unmount();
    let on_disk = scan_stopped(&job(Path::new(&mounted.device))).unwrap();
    for found in [by_mount, on_disk] {
        assert_eq!((found.ended, found.counts.files), (Ended::Interrupted, 0));
        assert_eq!((found.free, found.groups), (None, vec![]));
    }
}

/// Files are made and removed all the while: what went away between its name and its extents is counted and said.
#[test]
fn files_that_go_away_meanwhile_are_a_finding() {
    let Some(mounted) = mounted_or_skip(64 * MIB, EXT4, "rw") else { return };
    let (kept, passing) = (mounted.point.join("kept"), mounted.point.join("passing"));
    for folder in [&kept, &passing] {
        fs::create_dir(folder).unwrap();
    }
    for number in 0..100 {
        fs::write(kept.join(format!("{number}")), [1; 5000]).unwrap();
    }
    let (over, until) = (AtomicBool::new(false), Instant::now() + Duration::from_secs(20));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) && Instant::now() < until {
                let name = |number| passing.join(format!("{number}"));
                (0..300).for_each(|number| fs::write(name(number), [1; 10]).unwrap());
                (0..300).for_each(|number| fs::remove_file(name(number)).unwrap());
            }
        });
        let mut met = None;
        while met.is_none() && Instant::now() < until {
            let found = scan(&ScanJob { space: false, ..job(&mounted.point) });
            let vanished =
                |found: &ScanResult| found.problems.iter().any(|problem| problem.code == "vanished");
            met = found
                .map_or_else(|failure| Some(Err(failure)), |found| vanished(&found).then_some(Ok(found)));
        }
        over.store(true, Ordering::Relaxed);
        let found = met.expect("no scan met a file that went away").unwrap();
        assert_ne!(found.ended, Ended::Interrupted);
        assert!(found.counts.files >= 100, "{:?}", found.counts);
    });
}
