//! How fast free space is taken and given back: `allocations POLICY DEVICE_BYTES OPERATIONS`. The device is filled to 80 %
//! with pieces of 4 KiB to 4 MiB, and from then on a drawn piece is given back and another taken, in turns. Pieces are drawn
//! some at a time: one by one, this program's own waits for its table of pieces, which no cache holds, were a sixth of the
//! time. Prints operations, seconds and seconds of processor time of this second part. For `make bench`.

use std::time::Instant;

use fsgauge_alloc::free_map::{FreeMap, Run};
use fsgauge_alloc::policy::mballoc::{Mballoc, Release, Settings};
use fsgauge_alloc::policy::{BestFit, FirstFit, NextFit, Policy, Purpose, Request};

const BLOCK_BYTES: u64 = 4096;
const GROUP_BLOCKS: u32 = 32768;
const FULL_PERCENT: u64 = 80;
const DRAWN_AT_ONCE: usize = 64;

/// xorshift64* of Vigna (2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// 1 to 1024, each power of two as likely as the next.
    fn blocks(&mut self) -> u32 {
        let order = self.below(10);
        ((1 << order) + self.below(1 << order)) as u32
    }
}

fn policy_of(name: &str, groups: u32) -> Result<Box<dyn Policy>, String> {
    Ok(match name {
        "first-fit" => Box::new(FirstFit),
        "next-fit" => Box::new(NextFit::default()),
        "best-fit" => Box::new(BestFit),
        "mballoc" => Box::new(Mballoc::new(Settings::new(Release::Linux6_18, groups), groups)),
        _ => {
            return Err(format!(
                "no policy is called {name}; there are: first-fit, next-fit, best-fit, mballoc"
            ));
        }
    })
}

struct Churn {
    space: FreeMap,
    policy: Box<dyn Policy>,
    random: Random,
    taken: Vec<Run>,
    /// Of those taken, the ones to give back next.
    drawn: Vec<Run>,
}

impl Churn {
    fn take(&mut self) -> Result<(), String> {
        let wanted = self.random.blocks();
        let goal = self.random.below(self.space.blocks());
        let request = Request {
            file: self.taken.len() as u32,
            inode: self.taken.len() as u64,
            logical: 0,
            blocks: wanted,
            file_blocks: 0,
            goal,
            last: None,
            purpose: Purpose::ExactData,
        };
        let extent = self.policy.allocate(&mut self.space, &request).ok_or("no space is left")?;
        self.taken.push(Run { start: extent.physical, blocks: extent.blocks });
        Ok(())
    }

    fn give(&mut self) {
        if self.drawn.is_empty() {
            for _ in 0..DRAWN_AT_ONCE.min(self.taken.len()) {
                let at = self.random.below(self.taken.len() as u64) as usize;
                self.drawn.push(self.taken.swap_remove(at));
            }
        }
        if let Some(run) = self.drawn.pop() {
            self.space.give(run.start, run.blocks);
        }
    }
}

fn processor_seconds() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/schedstat").map_err(|error| error.to_string())?;
    let ns: f64 =
        text.split(' ').next().unwrap_or_default().parse().map_err(|_| "schedstat has no number")?;
    Ok(ns / 1e9)
}

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, size, operations] = words.as_slice() else {
        return Err("allocations POLICY DEVICE_BYTES OPERATIONS".into());
    };
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let space = FreeMap::new(number(size)? / BLOCK_BYTES, GROUP_BLOCKS)?;
    let policy = policy_of(name, space.groups())?;
    let mut churn = Churn { space, policy, random: Random(1), taken: Vec::new(), drawn: Vec::new() };
    let free_at_the_end = churn.space.blocks() / 100 * (100 - FULL_PERCENT);
    while churn.space.free_blocks() > free_at_the_end {
        churn.take()?;
    }
    let (begin, processor) = (Instant::now(), processor_seconds()?);
    let operations = number(operations)?;
    for step in 0..operations {
        if step % 2 == 0 { churn.give() } else { churn.take()? }
    }
    println!("{operations} {} {}", begin.elapsed().as_secs_f64(), processor_seconds()? - processor);
    Ok(())
}
