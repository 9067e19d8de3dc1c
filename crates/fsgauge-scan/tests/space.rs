//! Free space of real, mounted file systems: every count is that of the file system's own tools. Needs root and
//! loop devices: elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a
//! failure.

use std::fs;

use fsgauge_wire::{Group, ScanJob, ScanMap, ScanResult};

use crate::mounts::{Mounted, fill, job, mounted_or_skip, scan, sync, text, tool, unmount};

const MIB: u64 = 1 << 20;

/// What holds of all free space, whoever counted it.
fn check_sums(found: &ScanResult) {
    let free = found.free.as_ref().unwrap();
    let of_bins: (u64, u64) =
        free.lengths.iter().fold((0, 0), |sum, bin| (sum.0 + bin.extents, sum.1 + bin.size_bytes));
    assert_eq!((Some(of_bins.0), of_bins.1), (free.extents, free.size_bytes));
    assert!(free.largest_bytes.unwrap() <= free.size_bytes);
    let of_groups: u64 = found.groups.iter().map(|group| group.free_bytes).sum();
    assert_eq!(of_groups, free.size_bytes, "every free piece is in a group");
    let most = found.groups.iter().map(|group| group.largest_free_bytes).max().unwrap();
    assert!(most <= free.largest_bytes.unwrap());
    assert!(
        found.groups.windows(2).all(|pair| pair[0].offset_bytes + pair[0].size_bytes <= pair[1].offset_bytes)
    );
}

/// Shares of a map, summed to bytes, within what rounding to 255ths of a cell allows.
fn check_map(map: &ScanMap, shares: &[u8], expected_bytes: u64, what: &str) {
    let cell = map.cell_bytes as f64;
    let sum: f64 = shares.iter().map(|&share| f64::from(share) / 255.0 * cell).sum();
    let touched = shares.iter().filter(|&&share| share > 0).count() as f64;
    let allowed = touched * cell / 255.0;
    assert!(
        (sum - expected_bytes as f64).abs() <= allowed,
        "{what}: {sum} of {expected_bytes}, {allowed} allowed"
    );
}

/// Unmounts it, so that all is on the device, mounts it for reading, scans it and leaves it unmounted.
fn scan_afresh(mounted: &mut Mounted) -> ScanResult {
    mounted.unmount();
    tool("mount", &["-o", "ro", &mounted.device, text(&mounted.point)]).unwrap();
    let found = scan(&ScanJob { map_order: 5, ..job(&mounted.point) });
    unmount(&mounted.point);
    found.unwrap()
}

/// A row of e2freefrag's histogram: the length from which on, how many, their blocks.
fn histogram(said: &str) -> Vec<(u64, u64, u64)> {
    let bytes = |text: &str| {
        let unit = match text.chars().last() {
            Some('K') => 1 << 10,
            Some('M') => 1 << 20,
            Some('G') => 1 << 30,
            _ => panic!("a length in {text}"),
        };
        text[..text.len() - 1].parse::<u64>().unwrap() * unit
    };
    let row = |line: &str| {
        let (range, rest) = line.split_once(':')?;
        let (from, _) = range.split_once("...")?;
        let mut numbers = rest.split_whitespace().map(|word| word.parse::<u64>());
        Some((bytes(from.trim()), numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    said.lines().filter_map(row).collect()
}

fn bins(found: &ScanResult, block_bytes: u64) -> Vec<(u64, u64, u64)> {
    let bins = &found.free.as_ref().unwrap().lengths;
    bins.iter().map(|bin| (bin.at_least_bytes, bin.extents, bin.size_bytes / block_bytes)).collect()
}

/// dumpe2fs's groups: free blocks of each.
fn dumpe2fs_free(device: &str) -> Vec<u64> {
    let said = tool("dumpe2fs", &[device]).unwrap();
    let free = |line: &str| line.trim().split_once(" free blocks,")?.0.parse().ok();
    said.lines().filter_map(free).collect()
}

#[test]
fn ext4_is_as_e2freefrag_and_dumpe2fs_say() {
    let options = ["mkfs.ext4", "-q", "-b", "4096", "-g", "8192"];
    let Some(mut mounted) = mounted_or_skip(160 * MIB, &options, "rw") else { return };
    fill(&mounted.point).unwrap();
    sync(&mounted.point);
    let found = scan(&ScanJob { map_order: 5, ..job(&mounted.point) }).unwrap();
    // The kernel's list lacks what the allocator holds for files that may grow.
    assert_eq!((found.source.space_by.as_str(), found.problems.len()), ("bitmaps", 0));
    check_sums(&found);
    let map = found.map.as_ref().unwrap();
    check_map(map, &map.free, found.free.as_ref().unwrap().size_bytes, "free");
    check_map(map, &map.data, found.counts.extent_bytes, "data");

    let live = found;
    let found = scan_afresh(&mut mounted);
    assert_eq!(found.source.space_by, "getfsmap");
    assert_eq!((&live.free, &live.groups), (&found.free, &found.groups));
    assert_eq!(bins(&found, 4096), histogram(&tool("e2freefrag", &[&mounted.device]).unwrap()));
    let groups: Vec<u64> = found.groups.iter().map(|group| group.free_bytes / 4096).collect();
    assert_eq!(groups, dumpe2fs_free(&mounted.device));
    assert_eq!(groups.len(), 5);
}

#[test]
fn ext4_with_small_blocks_has_its_first_block_before_its_first_group() {
    let options = ["mkfs.ext4", "-q", "-b", "1024", "-O", "^flex_bg"];
    let Some(mut mounted) = mounted_or_skip(64 * MIB, &options, "rw") else { return };
    fs::write(mounted.point.join("file"), vec![1; 3_333_333]).unwrap();
    sync(&mounted.point);
    let found = scan_afresh(&mut mounted);
    check_sums(&found);
    assert_eq!((found.source.block_size_bytes, found.groups[0].offset_bytes), (1024, 1024));
    assert_eq!(bins(&found, 1024), histogram(&tool("e2freefrag", &[&mounted.device]).unwrap()));
    let groups: Vec<u64> = found.groups.iter().map(|group| group.free_bytes / 1024).collect();
    assert_eq!(groups, dumpe2fs_free(&mounted.device));
}

/// One number of `xfs_db -c "agf N" -c "print NAME"`.
fn agf(device: &str, group: usize, name: &str) -> u64 {
    let said = tool("xfs_db", &["-r", "-c", &format!("agf {group}"), "-c", &format!("print {name}"), device]);
    said.unwrap().rsplit(" = ").next().unwrap().trim().parse().unwrap()
}

/// The last number of the line of `freesp -s` that begins so.
fn freesp(said: &str, begin: &str) -> u64 {
    let line =
        said.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("{begin} in {said}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn xfs_is_as_xfs_db_says() {
    let Some(mut mounted) = mounted_or_skip(320 * MIB, &["mkfs.xfs", "-q"], "rw") else { return };
    fill(&mounted.point).unwrap();
    sync(&mounted.point);
    let found = scan_afresh(&mut mounted);
    assert_eq!(found.source.space_by, "getfsmap");
    check_sums(&found);
    let (mut kept_for_trees, device) = (0, mounted.device.as_str());
    for (number, group) in found.groups.iter().enumerate() {
        assert_eq!(group.free_bytes / 4096, agf(device, number, "freeblks"), "group {number}");
        assert_eq!(group.largest_free_bytes / 4096, agf(device, number, "longest"), "group {number}");
        kept_for_trees += agf(device, number, "flcount");
    }
    // freesp lists the blocks that each group keeps for its own trees as extents of one block.
    let said = tool("xfs_db", &["-r", "-c", "freesp -s", device]).unwrap();
    let free = found.free.as_ref().unwrap();
    assert_eq!(free.extents.unwrap() + kept_for_trees, freesp(&said, "total free extents"));
    assert_eq!(free.size_bytes / 4096 + kept_for_trees, freesp(&said, "total free blocks"));
    let row = |line: &str| {
        let numbers: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        (numbers.len() >= 4).then(|| (numbers[0], numbers[2], numbers[3]))
    };
    let mut rows: Vec<_> = said.lines().filter_map(row).collect();
    // Single blocks are those of the trees too; a row of nothing is left out by both.
    if rows[0].0 == 1 {
        (rows[0].1, rows[0].2) = (rows[0].1 - kept_for_trees, rows[0].2 - kept_for_trees);
        rows.retain(|row| row.1 > 0);
    }
    let ours: Vec<_> =
        bins(&found, 4096).iter().map(|&(from, count, blocks)| (from / 4096, count, blocks)).collect();
    assert_eq!(ours, rows);
}

/// What `btrfs inspect-internal dump-tree -t 10` (the free space tree) counts in chunks that hold data: pieces,
/// also those that it keeps as bitmaps.
fn free_space_tree(mounted: &Mounted) -> u64 {
    let number = |text: &str, before: &str| {
        let (_, rest) = text.split_once(before)?;
        rest.split(|byte: char| !byte.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let chunks = tool("btrfs", &["inspect-internal", "dump-tree", "-t", "chunk", &mounted.device]).unwrap();
    let mut data = Vec::new();
    let mut address = 0;
    for line in chunks.lines() {
        address = number(line, "CHUNK_ITEM ").unwrap_or(address);
        if line.contains("type DATA") {
            data.push(address);
        }
    }
    assert!(!data.is_empty(), "{chunks}");
    let said = tool("btrfs", &["inspect-internal", "dump-tree", "-t", "10", &mounted.device]).unwrap();
    let mut pieces = 0;
    let mut holds_data = false;
    for line in said.lines() {
        if let Some(begin) = number(line, "key (").filter(|_| line.contains("FREE_SPACE_INFO")) {
            holds_data = data.contains(&begin);
        }
        pieces += number(line, "free space info extent count ").filter(|_| holds_data).unwrap_or(0);
    }
    pieces
}

/// In how many chunks that hold data the second superblock lies: no file gets that place, though the free space tree
/// and the kernel's sums have it as free.
fn superblocks_among_data(mounted: &Mounted) -> u64 {
    let chunks = tool("btrfs", &["inspect-internal", "dump-tree", "-t", "chunk", &mounted.device]).unwrap();
    let number = |line: &str, before: &str| -> u64 {
        let (_, rest) = line.split_once(before).unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let (mut length, mut holds_data, mut found) = (0, false, 0);
    for line in chunks.lines() {
        if line.contains("stripe_len") {
            (length, holds_data) = (number(line, "length "), line.contains("type DATA"));
        } else if line.contains("stripe ") && line.contains(" offset ") && holds_data {
            let begin = number(line, " offset ");
            found += u64::from((begin..begin + length).contains(&(64 * MIB)));
        }
    }
    found
}

fn check_btrfs(mkfs: &[&str]) -> Option<ScanResult> {
    let mut mounted = mounted_or_skip(512 * MIB, mkfs, "rw")?;
    fill(&mounted.point).unwrap();
    let found = scan_afresh(&mut mounted);
    assert_eq!((found.source.space_by.as_str(), found.source.writable), ("free space trees", false));
    let pieces = found.free.as_ref().unwrap().extents.unwrap();
    // It lies inside of a free piece here, and makes it two.
    assert_eq!(pieces, free_space_tree(&mounted) + superblocks_among_data(&mounted), "{mkfs:?}");
    tool("mount", &["-o", "ro", &mounted.device, text(&mounted.point)]).unwrap();
    let sums = std::panic::catch_unwind(|| check_sums_of_data(&mounted, &found));
    unmount(&mounted.point);
    sums.unwrap();
    Some(found)
}

#[test]
fn btrfs_is_as_its_free_space_tree_says() {
    for mkfs in [&["mkfs.btrfs", "-q"][..], &["mkfs.btrfs", "-q", "-d", "dup"], &["mkfs.btrfs", "-q", "-M"]] {
        let Some(found) = check_btrfs(mkfs) else { return };
        assert_eq!(found.source.size_bytes, 512 * MIB);
        let map = found.map.as_ref().unwrap();
        check_map(map, &map.free, found.free.as_ref().unwrap().size_bytes, "free");
        let offset = |group: &Group| group.offset_bytes + group.size_bytes;
        assert!(found.groups.iter().all(|group| offset(group) <= 512 * MIB), "{:?}", found.groups);
        assert!(map.unallocated.contains(&255));
    }
}

#[test]
fn btrfs_without_a_free_space_tree_is_read_from_its_extents() {
    let mkfs = ["mkfs.btrfs", "-q", "-R", "^free-space-tree"];
    let Some(mounted) = mounted_or_skip(512 * MIB, &mkfs, "rw,space_cache=v1") else { return };
    fill(&mounted.point).unwrap();
    sync(&mounted.point);
    let found = scan(&job(&mounted.point)).unwrap();
    check_sums_of_data(&mounted, &found);
}

/// Free bytes are what the chunks of data have and do not use.
fn check_sums_of_data(mounted: &Mounted, found: &ScanResult) {
    let said = tool("btrfs", &["filesystem", "df", "-b", text(&mounted.point)]).unwrap();
    let line = said.lines().find(|line| line.starts_with("Data")).unwrap();
    let number = |name: &str| {
        let (_, rest) = line.split_once(name).unwrap();
        rest.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    let kept = superblocks_among_data(mounted) * (64 << 10);
    assert_eq!(found.free.as_ref().unwrap().size_bytes, number("total=") - number("used=") - kept);
}

#[test]
fn free_space_is_left_out_when_it_is_not_asked_for() {
    let Some(mounted) = mounted_or_skip(64 * MIB, &["mkfs.ext4", "-q"], "rw") else { return };
    let found = scan(&ScanJob { space: false, ..job(&mounted.point) }).unwrap();
    assert_eq!((found.free, found.groups.len(), found.source.space_by.as_str()), (None, 0, "none"));
}

/// Runs one test of this file as an ordinary user would see the file system: with no capabilities.
fn as_nobody<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        scope
            .spawn(move || {
                rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65_534)).unwrap();
                work()
            })
            .join()
            .unwrap()
    })
}

#[test]
fn an_ordinary_user_gets_what_the_kernel_tells_everybody() {
    let Some(ext4) = mounted_or_skip(64 * MIB, &["mkfs.ext4", "-q", "-b", "4096"], "rw") else { return };
    let Some(xfs) = mounted_or_skip(320 * MIB, &["mkfs.xfs", "-q"], "rw") else { return };
    let Some(btrfs) = mounted_or_skip(256 * MIB, &["mkfs.btrfs", "-q"], "rw") else { return };
    for (mounted, by, has_groups) in
        [(&ext4, "getfsmap", true), (&xfs, "getfsmap", true), (&btrfs, "counters", false)]
    {
        let folder = mounted.point.join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), vec![1; 50_000]).unwrap();
        sync(&mounted.point);
        let wanted = ScanJob { map_order: 2, threads: Some(1), ..job(&folder) };
        let (of_root, of_nobody) = (scan(&wanted).unwrap(), as_nobody(|| scan(&wanted)).unwrap());
        assert_eq!((of_nobody.counts, of_nobody.source.space_by.as_str()), (of_root.counts, by));
        let codes: Vec<&str> = of_nobody.notes.iter().map(|note| note.code.as_str()).collect();
        assert!(of_nobody.problems.is_empty(), "a normal state: {:?}", of_nobody.problems);
        if of_root.source.space_by == "bitmaps" {
            // The sum is the file system's own; the pieces lack what its allocator holds, which is said.
            let (of_root, of_nobody) = (of_root.free.unwrap(), of_nobody.free.unwrap());
            assert_eq!(of_nobody.size_bytes, of_root.size_bytes);
            let in_pieces: u64 = of_nobody.lengths.iter().map(|bin| bin.size_bytes).sum();
            assert!(in_pieces < of_nobody.size_bytes && codes.contains(&"free_space_differs"), "{codes:?}");
        } else if has_groups {
            assert_eq!((of_nobody.free, of_nobody.groups), (of_root.free, of_root.groups));
            assert_eq!(of_nobody.map, of_root.map);
        } else {
            assert_eq!((of_nobody.free.unwrap().extents, of_nobody.map), (None, None));
            let codes: Vec<&str> = of_nobody.notes.iter().map(|note| note.code.as_str()).collect();
            assert_eq!(codes, ["chunks_unknown", "no_map", "free_pieces_unknown"]);
        }
    }
}
