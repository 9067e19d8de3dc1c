//! Mode `fast`: all columns of /proc/fs/ext4/DEVICE/mb_groups are equal for every group after every checkpoint.

use std::fs;
use std::time::{Duration, Instant};

use fsgauge_wire::{AgeEnd, AgeMode, Stop};
use rustix::fs::{Mode as Permissions, OFlags, fstatvfs, open, syncfs};

use super::{Both, Ext4, History, MIB, both, numbers, pin_to_one_processor, profile};
use crate::ager::{Ager, Mode};
use crate::free_map::ORDERS;

/// Checkpoints of the four histories below, at least: what proofs.tsv tells people is their sum.
const CHECKPOINTS: [u32; 4] = [41, 11, 11, 20];

/// Somebody else's sync commits a transaction too early, and the history begins again.
const ATTEMPTS: u32 = 5;
/// What was freed is free shortly after the commit.
const PATIENCE: Duration = Duration::from_secs(30);

/// Free blocks, free runs, first free block, and buddies by order: a line of mb_groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    free: u32,
    runs: u32,
    first: u32,
    buddies: [u16; ORDERS],
}

/// Reading it makes the kernel look at every group.
fn lines_of_kernel(device: &str) -> Vec<Line> {
    let text = fs::read_to_string(format!("/proc/fs/ext4/{device}/mb_groups")).unwrap();
    let line = |line: &str| {
        let all = numbers(line);
        let buddies = std::array::from_fn(|order| all[4 + order] as u16);
        Line { free: all[1] as u32, runs: all[2] as u32, first: all[3] as u32, buddies }
    };
    text.lines().skip(1).map(line).collect()
}

fn lines_of_model(model: &Ext4) -> Vec<Line> {
    let space = model.space();
    let line = |group| {
        let tally = space.tally(group);
        Line {
            free: tally.free.into(),
            runs: tally.runs.into(),
            first: space.first_free(group),
            buddies: tally.buddies,
        }
    };
    (0..space.groups()).map(line).collect()
}

/// Transactions of the journal so far.
fn transactions(device: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/fs/jbd2/{device}-8/info")).unwrap();
    numbers(&text)[0]
}

/// Where the two parted.
#[derive(Debug)]
enum Outcome {
    /// Equal at so many checkpoints, and how many operations found no space.
    Agreed(u32, u64),
    Parted(String),
    /// They parted as well, where more than one transaction was committed: somebody else made the kernel commit.
    Disturbed(String),
    Skipped,
}

/// All is equal. Only where the kernel has looked for a group's first free block anew meanwhile, because somebody made it
/// drop its caches, may it have come nearer to the true one.
fn is_same(kernel: Line, model: Line, first: u32) -> bool {
    kernel == Line { first: kernel.first, ..model } && (model.first..=first).contains(&kernel.first)
}

/// The first free block of each group as it is; the group's end in a full one.
fn first_blocks(model: &Ext4) -> Vec<u32> {
    let space = model.space();
    (0..space.groups())
        .map(|group| space.next_in_group(group, 0).map_or(space.length(group), |run| run.0))
        .collect()
}

fn distance(operations: usize, kernel: &[Line], model: &[Line], firsts: &[u32]) -> Option<String> {
    assert_eq!(kernel.len(), model.len());
    let differ: Vec<usize> =
        (0..kernel.len()).filter(|&group| !is_same(kernel[group], model[group], firsts[group])).collect();
    let free = |lines: &[Line]| lines.iter().map(|line| u64::from(line.free)).sum::<u64>();
    let shown: Vec<String> = differ
        .iter()
        .take(4)
        .map(|&group| format!("\n#{group} kernel {:?}\n#{group} model  {:?}", kernel[group], model[group]))
        .collect();
    (!differ.is_empty()).then(|| {
        format!(
            "after {operations} operations {} of {} groups differ ({} and {} blocks are free):{}",
            differ.len(),
            kernel.len(),
            free(kernel),
            free(model),
            shown.concat()
        )
    })
}

fn compare(history: &History, checkpoint_every: usize) -> Outcome {
    let Some(Both { mounted, device, mut model, mut log }) = both(history) else {
        return Outcome::Skipped;
    };
    let root = open(&mounted.point, OFlags::RDONLY | OFlags::CLOEXEC, Permissions::empty()).unwrap();
    let mode = Mode::new(AgeMode::Fast, false, history.seed);
    let mut ager = Ager::new(root.try_clone().unwrap(), log.placement(), mode, Stop::new());
    syncfs(&root).unwrap();
    let (mut agreed, mut operations) = (0, 0);
    let mut begun = transactions(&device);
    loop {
        let kernel = settled_lines(&device, &root);
        if let Some(distance) = distance(operations, &kernel, &lines_of_model(&model), &first_blocks(&model))
        {
            let transactions = transactions(&device) - begun;
            return if transactions > 1 { Outcome::Disturbed(distance) } else { Outcome::Parted(distance) };
        }
        agreed += 1;
        let before = operations;
        begun = transactions(&device);
        for operation in log.by_ref().take(checkpoint_every) {
            ager.apply(&operation);
            model.apply(&operation);
            operations += 1;
        }
        if operations == before {
            assert_eq!(model.refused(), ager.counts.failed);
            return Outcome::Agreed(agreed, model.refused());
        }
        syncfs(&root).unwrap();
        model.sync();
    }
}

/// The lines once all that was freed is free.
fn settled_lines(device: &str, root: &rustix::fd::OwnedFd) -> Vec<Line> {
    let begin = Instant::now();
    loop {
        let lines = lines_of_kernel(device);
        let free: u64 = lines.iter().map(|line| u64::from(line.free)).sum();
        if free == fstatvfs(root).unwrap().f_bfree || begin.elapsed() > PATIENCE {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Gives operations without space, or none where it was skipped.
fn assert_agrees(history: &History, checkpoint_every: usize, checkpoints: u32) -> Option<u64> {
    pin_to_one_processor();
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        match compare(history, checkpoint_every) {
            Outcome::Agreed(agreed, refused) => {
                assert!(agreed >= checkpoints, "{agreed} checkpoints");
                return Some(refused);
            }
            Outcome::Parted(distance) => panic!("{distance}"),
            Outcome::Skipped => return None,
            Outcome::Disturbed(distance) => last = distance,
        }
    }
    panic!("in each of {ATTEMPTS} attempts the kernel committed more than once between checkpoints: {last}");
}

/// Small and middling files come and go at 80 % full, some are written again in place.
#[test]
fn churn_places_every_block_as_the_kernel_does() {
    let history = History {
        profile: profile(r#"{"kind":"churn","streams":8,"rewrite_percent":20}"#),
        end: AgeEnd::Operations { operations: 40_000 },
        size_bytes: 4096 * MIB,
        room_bytes: 3000 * MIB,
        seed: 7,
    };
    assert_agrees(&history, 1000, CHECKPOINTS[0]);
}

/// Twenty files grow in turns, so that each has thousands of extents and a tree of several levels; then some go.
#[test]
fn intermingled_files_lie_as_in_the_kernel() {
    let history = History {
        profile: profile(r#"{"kind":"intermingled","chunk_bytes":1048576,"keep_files":9}"#),
        end: AgeEnd::Complete {},
        size_bytes: 80 << 30,
        room_bytes: 60 << 30,
        seed: 3,
    };
    assert_agrees(&history, 6000, CHECKPOINTS[1]);
}

/// Many small files in many directories, which grow an index each.
#[test]
fn small_files_and_their_directories_lie_as_in_the_kernel() {
    let history = History {
        profile: profile(r#"{"kind":"git_like","files_per_directory":300}"#),
        end: AgeEnd::Operations { operations: 40_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1200 * MIB,
        seed: 5,
    };
    assert_agrees(&history, 2000, CHECKPOINTS[2]);
}

/// Space is short: requests are halved, commits waited for, and some operations refused.
#[test]
fn a_device_that_fills_up_is_filled_as_by_the_kernel() {
    let history = History {
        profile: profile(r#"{"kind":"churn","streams":4,"rewrite_percent":10}"#),
        end: AgeEnd::Operations { operations: 12_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1900 * MIB,
        seed: 11,
    };
    let refused = assert_agrees(&history, 500, CHECKPOINTS[3]);
    assert!(refused.is_none_or(|refused| refused > 0));
}

/// What is said of the model on every page is what these tests hold.
#[test]
fn the_proof_that_people_read_is_this_one() {
    let checkpoints: u32 = CHECKPOINTS.iter().sum();
    let said =
        format!("ext4-6.18 fallocate\tagrees with Linux 6.18 in {checkpoints} of {checkpoints} checkpoints");
    assert!(crate::PROOFS.lines().any(|line| line.starts_with(&said)), "{said}");
}
