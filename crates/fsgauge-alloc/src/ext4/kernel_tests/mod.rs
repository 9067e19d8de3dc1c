//! The model against the kernel that runs, on sparse loop devices.
//!
//! They need root and loop devices: elsewhere they say so and are skipped; FSGAUGE_TEST_ROOT=1 makes that a failure. A kernel
//! without a model is a failure, and so is a kernel that places blocks otherwise. All but `block_by_block` are
//! run on older kernels as well, in the virtual rig's guest, by tests/rigs/test_vm_allocators.py.

mod block_by_block;
mod compare;
mod fast;
mod full;
mod joined;
#[allow(dead_code, unreachable_pub, reason = "integration tests have this file as well")]
#[path = "../../../tests/support/layout.rs"]
mod layout;
#[allow(unreachable_pub, reason = "integration tests have this file as well")]
#[path = "../../../../fsgauge-scan/tests/mounts/mounted.rs"]
mod mounted;
mod one_processor;
mod raced;
mod small_blocks;
mod write;

use std::fs;
use std::path::Path;

use fsgauge_wire::{AgeEnd, AgeProfile};

use super::profile::profile;
use super::{Ext4, Geometry, Setting, Writing};
use crate::OpLog;
use crate::free_map::Run;
use crate::policy::mballoc::{Mballoc, Release, Settings, Windows};
use mounted::{Mounted, mounted_or_skip_in, tool};

const MIB: u64 = 1 << 20;
/// A large journal and a long interval: transactions are committed by syncs, and at no other time.
const MKFS: &[&str] = &["mkfs.ext4", "-q", "-J"];
const JOURNAL: &str = "size=256";
/// With blocks of 1 KiB, on a device a quarter as large.
const SMALL_JOURNAL: &str = "size=64";
const LAZY: &str = "lazy_itable_init=1,lazy_journal_init=1";
const MOUNT: &str = "noinit_itable,commit=3600";
const MOUNT_BLOCK_BY_BLOCK: &str = "noinit_itable,commit=3600,nodelalloc";
const MOUNT_JOINED: &str = "noinit_itable,commit=3600,dioread_lock";

/// A history to compare.
struct History {
    profile: AgeProfile,
    end: AgeEnd,
    size_bytes: u64,
    room_bytes: u64,
    seed: u64,
    /// Of the hashes of names, by which directories grow: a UUID; a new one each time where there is none.
    hash_seed: Option<&'static str>,
    block_bytes: u32,
    writing: Writing,
}

/// A file system that the kernel has mounted, its model, and the log for both.
struct Both {
    mounted: Mounted,
    /// Its name without /dev.
    device: String,
    model: Ext4,
    log: OpLog,
}

/// None where it is skipped.
fn both(history: &History) -> Option<Both> {
    let release = running_release();
    let parent = std::env::current_exe().unwrap().parent().map(Path::to_owned).unwrap();
    let hash_seed = history.hash_seed.map(|seed| format!(",hash_seed={seed}")).unwrap_or_default();
    let extended = format!("{LAZY}{hash_seed}");
    let block = history.block_bytes.to_string();
    let journal = if history.block_bytes < 4096 { SMALL_JOURNAL } else { JOURNAL };
    let mkfs = [MKFS, &[journal, "-b", &block, "-E", extended.as_str()]].concat();
    let options = match history.writing {
        Writing::BlockByBlock => MOUNT_BLOCK_BY_BLOCK,
        Writing::Cached { joins_at_once: true, .. } => MOUNT_JOINED,
        Writing::Allocated | Writing::Cached { .. } => MOUNT,
    };
    let mounted = mounted_or_skip_in(&parent, history.size_bytes, &mkfs, options)?;
    let device = mounted.device.trim_start_matches("/dev/").to_owned();
    let geometry = geometry(&mounted);
    let processors = possible_processors();
    let settings = settings(release, &device, &geometry, processors);
    let log = OpLog::new(&history.profile, history.end, history.room_bytes, history.seed).unwrap();
    let policy = Box::new(Mballoc::new(settings, geometry.inodes_in_use.len() as u32));
    let setting = Setting { placement: log.placement(), processors, writing: history.writing };
    let model = Ext4::new(&geometry, policy, setting).unwrap();
    Some(Both { mounted, device, model, log })
}

fn numbers(text: &str) -> Vec<u64> {
    let parts = text.split(|letter: char| !letter.is_ascii_digit());
    parts.filter(|part| !part.is_empty()).map(|part| part.parse().unwrap()).collect()
}

fn geometry(mounted: &Mounted) -> Geometry {
    let dump = tool("dumpe2fs", &[&mounted.device]).unwrap();
    let after = |name: &str| {
        dump.lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_else(|| panic!("{name}: {dump}"))
            .trim()
    };
    let number = |name: &str| after(name).parse::<u64>().unwrap();
    let first_block = number("First block:");
    let mut free = Vec::new();
    let (mut inodes_in_use, mut directories) = (Vec::new(), Vec::new());
    let inodes_per_group = number("Inodes per group:") as u32;
    // Lines of groups are indented, those of the whole file system are not.
    for line in dump.lines().filter_map(|line| line.strip_prefix("  ")) {
        if let Some(ranges) = line.strip_prefix("Free blocks: ") {
            for range in ranges.split(", ").filter(|range| !range.is_empty()) {
                let ends = numbers(range);
                let (first, last) = (ends[0], ends[ends.len() - 1]);
                free.push(Run { start: first - first_block, blocks: (last - first + 1) as u32 });
            }
        } else if let Some(ranges) = line.strip_prefix("Free inodes: ") {
            let (ends, group) = (numbers(ranges), inodes_in_use.len() as u64);
            let used = ends[0] - 1 - group * u64::from(inodes_per_group);
            assert_eq!(ends.len(), 2, "free inodes of group {group} are in one range: {ranges}");
            inodes_in_use.push(used as u32);
        } else if let Some((counts, _)) = line.split_once(" directories") {
            directories.push(*numbers(counts).last().unwrap() as u32);
        }
    }
    let root = tool("debugfs", &["-R", "blocks /", &mounted.device]).unwrap();
    Geometry {
        block_bytes: number("Block size:") as u32,
        blocks: number("Block count:") - first_block,
        group_blocks: number("Blocks per group:") as u32,
        inodes_per_group,
        flex_groups: number("Flex block group size:") as u32,
        hash_seed: seed(after("Directory Hash Seed:")),
        free,
        inodes_in_use,
        directories,
        root_block: numbers(&root)[0] - first_block,
        root_blocks: number("Reserved block count:"),
    }
}

/// A UUID as four words, the first byte the least significant.
fn seed(uuid: &str) -> [u32; 4] {
    let digits: String = uuid.chars().filter(|letter| *letter != '-').collect();
    std::array::from_fn(|word| {
        let at = word * 8;
        u32::from_str_radix(&digits[at..at + 8], 16).unwrap().swap_bytes()
    })
}

fn settings(release: Release, device: &str, geometry: &Geometry, processors: u32) -> Settings {
    let of =
        |name: &str| numbers(&fs::read_to_string(format!("/sys/fs/ext4/{device}/{name}")).unwrap())[0] as u32;
    let structs = fs::read_to_string(format!("/proc/fs/ext4/{device}/mb_structs_summary")).unwrap();
    Settings {
        block_bytes: geometry.block_bytes,
        flex_groups: geometry.flex_groups,
        processors,
        max_to_scan: of("mb_max_to_scan"),
        min_to_scan: of("mb_min_to_scan"),
        order2_request: of("mb_order2_req"),
        windows: Windows::Growing { shared_blocks: of("mb_stream_req") },
        group_preallocation_blocks: of("mb_group_prealloc"),
        linear_groups: of("mb_max_linear_groups"),
        // Linux 6.1 has no such pass.
        trim_orders: if release == Release::Linux6_1 { 0 } else { of("mb_best_avail_max_trim_order") },
        ordered_groups: structs.starts_with("optimize_scan: 1"),
        ..Settings::new(release, 0)
    }
}

/// Processors that there may be: 0-1 are two.
fn possible_processors() -> u32 {
    let text = fs::read_to_string("/sys/devices/system/cpu/possible").unwrap();
    *numbers(&text).last().unwrap() as u32 + 1
}

/// Through the page cache, with folios as the kernel that runs has them.
fn cached() -> Writing {
    let largest_folio_pages = running_release().largest_folio_pages();
    Writing::Cached { largest_folio_pages, joins_at_once: false }
}

/// The same with `dioread_lock`.
fn cached_and_joined() -> Writing {
    let largest_folio_pages = running_release().largest_folio_pages();
    Writing::Cached { largest_folio_pages, joins_at_once: true }
}

fn running_release() -> Release {
    let running = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let running = running.trim();
    Release::of_kernel(running).unwrap_or_else(|| panic!("there is no model of mballoc for Linux {running}"))
}
