//! A petabyte of free space in blocks of 4 KiB, and two thousand files that mballoc places all over it. Prints the blocks
//! that are left. For `make bench`, which watches its memory.

use fsgauge_alloc::free_map::FreeMap;
use fsgauge_alloc::policy::mballoc::{Mballoc, Release, Settings};
use fsgauge_alloc::policy::{Policy, Purpose, Request};

const FILES: u32 = 2000;

fn main() -> Result<(), String> {
    let mut space = FreeMap::new((1 << 50) / 4096, 32768)?;
    let groups = space.groups();
    let mut policy = Mballoc::new(Settings::new(Release::Linux6_18, groups), groups);
    for file in 0..FILES {
        let request = Request {
            file,
            inode: file.into(),
            logical: 0,
            blocks: 300,
            file_blocks: 0,
            goal: u64::from(file) * (space.blocks() / u64::from(FILES)),
            last: None,
            purpose: Purpose::ExactData,
        };
        policy.allocate(&mut space, &request).ok_or("no space is left")?;
    }
    println!("{}", space.free_blocks());
    Ok(())
}
