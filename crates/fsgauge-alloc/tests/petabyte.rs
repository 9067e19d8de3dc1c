//! Free space at scale, in a process of its own: what a petabyte takes of memory.

use fsgauge_alloc::free_map::FreeMap;
use fsgauge_alloc::policy::mballoc::{Mballoc, Release, Settings};
use fsgauge_alloc::policy::{Policy, Purpose, Request};

fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// 2^38 blocks of 4 KiB in 8.4 million groups: at most 1 GB, where 8 are allowed, and files are found their place.
#[test]
fn a_petabyte_fits_in_memory() {
    let before = resident_bytes();
    let mut space = FreeMap::new(1 << 38, 32768).unwrap();
    let groups = space.groups();
    let mut policy = Mballoc::new(Settings::new(Release::Linux6_18, groups), groups);
    for file in 0..2000 {
        // Inodes all over the device.
        let goal = u64::from(file) * 137_000_000;
        let request = Request {
            file,
            inode: file.into(),
            logical: 0,
            blocks: 300,
            file_blocks: 0,
            goal,
            last: None,
            purpose: Purpose::ExactData,
        };
        let extent = policy.allocate(&mut space, &request).unwrap();
        assert_eq!(extent.blocks, 300);
    }
    assert_eq!(space.free_blocks(), (1 << 38) - 2000 * 300);
    let grown = resident_bytes() - before;
    assert!(grown < 1 << 30, "{grown} bytes");
}
