//! A history lived by the kernel and by the model, and compared at checkpoints: every column of
//! /proc/fs/ext4/DEVICE/mb_groups, for every group.

use std::fs;
use std::time::{Duration, Instant};

use fsgauge_scan::{Ext, Problems};
use fsgauge_wire::{AgeMode, Stop};
use rustix::fs::{Mode as Permissions, OFlags, open, syncfs};

use super::layout::{self, Distances, Layout};
use super::one_processor::OneProcessor;
use super::{Both, Ext4, History, Mounted, Writing, both, numbers};
use crate::ager::{Ager, Mode};
use crate::free_map::ORDERS;

/// Something else on the machine made the kernel place a block otherwise, and the history begins again.
const ATTEMPTS: u32 = 5;
/// Checkpoints of ten that one attempt must reach where each was made to part: the write-back of a file in hundreds of pieces
/// races with the end of its own I/O, late in a history, and on a busy machine it does so in every attempt.
const REACHED_OF_TEN: u32 = 8;
/// What was freed is free shortly after the commit.
const PATIENCE: Duration = Duration::from_secs(5);
/// So long is waited for it where it cannot be seen, since the two have parted.
const SHORTLY: Duration = Duration::from_millis(100);

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
        let buddies = std::array::from_fn(|order| all.get(4 + order).map_or(0, |&count| count as u16));
        Line { free: all[1] as u32, runs: all[2] as u32, first: all[3] as u32, buddies }
    };
    text.lines().skip(1).map(line).collect()
}

/// The kernel knows of no buddies larger than a quarter of a group.
fn counted(mut buddies: [u16; ORDERS], group_blocks: u32) -> [u16; ORDERS] {
    let largest = group_blocks.ilog2() as usize - 2;
    for order in largest + 1..ORDERS {
        buddies[largest] += std::mem::take(&mut buddies[order]) << (order - largest);
    }
    buddies
}

fn lines_of_model(model: &Ext4) -> Vec<Line> {
    let space = model.space();
    let line = |group| {
        let tally = space.tally(group);
        Line {
            free: tally.free.into(),
            runs: tally.runs.into(),
            first: space.first_free(group),
            buddies: counted(tally.buddies, space.group_blocks()),
        }
    };
    (0..space.groups()).map(line).collect()
}

/// Transactions of the journal so far.
fn transactions(device: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/fs/jbd2/{device}-8/info")).unwrap();
    numbers(&text)[0]
}

/// What became of a history.
#[derive(Debug)]
pub(super) struct Lived {
    /// Checkpoints at which all was equal, up to the first at which it was not.
    pub(super) checkpoints: u32,
    /// How the two differed there.
    pub(super) parted: Option<String>,
    /// Operations that found no space.
    pub(super) refused: u64,
    /// Files at the end, and how far apart the layouts are that are on the device then.
    pub(super) files: usize,
    pub(super) distances: Distances,
}

/// Where the two parted.
#[derive(Debug)]
enum Outcome {
    /// Equal to the end.
    Agreed(Lived),
    /// Where they differed, and after how many checkpoints at which they did not.
    Parted(String, u32),
    /// They parted as well, after somebody else had made the kernel commit, or write back.
    Disturbed(String, u32),
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

/// Whether a history goes on when the two have parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    TheyPart,
    TheEnd,
}

fn compare(history: &History, checkpoint_every: usize, until: Until) -> Outcome {
    let Some(Both { mut mounted, device, mut model, mut log }) = both(history) else {
        return Outcome::Skipped;
    };
    let root = open(&mounted.point, OFlags::RDONLY | OFlags::CLOEXEC, Permissions::empty()).unwrap();
    let mode = if history.writing == Writing::Allocated { AgeMode::Fast } else { AgeMode::Write };
    let mode = Mode::new(mode, false, history.seed);
    let mut ager = Ager::new(root.try_clone().unwrap(), log.placement(), mode, Stop::new());
    syncfs(&root).unwrap();
    let (mut checkpoints, mut operations) = (0, 0);
    let mut is_disturbed = false;
    let mut parted = None;
    loop {
        if parted.is_some() {
            std::thread::sleep(SHORTLY);
        } else {
            parted = settled_distance(operations, &device, &model);
            checkpoints += u32::from(parted.is_none());
        }
        if let Some(distance) = parted.take_if(|_| until == Until::TheyPart) {
            let outcome = if is_disturbed { Outcome::Disturbed } else { Outcome::Parted };
            return outcome(distance, checkpoints);
        }
        let before = operations;
        let begun = transactions(&device);
        for operation in log.by_ref().take(checkpoint_every) {
            ager.apply(&operation);
            model.apply(&operation);
            operations += 1;
        }
        if operations == before {
            break;
        }
        // Somebody made the kernel commit, or write back, before it was asked to.
        is_disturbed |= transactions(&device) != begun || waiting_blocks(&device) != model.promised_blocks();
        syncfs(&root).unwrap();
        model.sync();
    }
    let refused = model.refused();
    assert!(parted.is_some() || refused == ager.counts.failed);
    drop((ager, root));
    mounted.unmount();
    model.unmount();
    let of_kernel = layout_of_kernel(&mounted, model.space().group_blocks().into());
    let of_model = layout_of_model(&model);
    let (files, distances) = (of_kernel.files, of_model.distances(&of_kernel));
    Outcome::Agreed(Lived { checkpoints, parted, refused, files, distances })
}

fn layout_of_kernel(mounted: &Mounted, group_blocks: u64) -> Layout {
    let image = layout::image(&mounted.image());
    let disk = Ext::open(&image, &mut Problems::new()).unwrap().unwrap();
    let mut layout = Layout::of_device(&disk);
    layout.cut_free(group_blocks);
    layout
}

fn layout_of_model(model: &Ext4) -> Layout {
    let mut layout = Layout::default();
    for file in model.extents() {
        layout.add_file(file.iter().map(|is| (is.logical, is.physical, u64::from(is.blocks))));
    }
    let mut from = 0;
    while let Some(run) = model.space().next_run(from) {
        layout.free.push((run.start, run.blocks.into()));
        from = run.end();
    }
    layout.cut_free(model.space().group_blocks().into());
    layout
}

/// Blocks that are promised to data in memory.
fn waiting_blocks(device: &str) -> u64 {
    let path = format!("/sys/fs/ext4/{device}/delayed_allocation_blocks");
    numbers(&fs::read_to_string(path).unwrap())[0]
}

/// How the two differ once all that was freed is free.
fn settled_distance(operations: usize, device: &str, model: &Ext4) -> Option<String> {
    let (of_model, firsts, begin) = (lines_of_model(model), first_blocks(model), Instant::now());
    loop {
        let distance = distance(operations, &lines_of_kernel(device), &of_model, &firsts);
        if distance.is_none() || begin.elapsed() > PATIENCE {
            return distance;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Both live the history to its end, also where they have parted; none where it was skipped.
pub(super) fn lived(history: &History, checkpoint_every: usize) -> Option<Lived> {
    let _one = OneProcessor::new();
    match compare(history, checkpoint_every, Until::TheEnd) {
        Outcome::Agreed(lived) => Some(lived),
        Outcome::Parted(distance, _) | Outcome::Disturbed(distance, _) => panic!("{distance}"),
        Outcome::Skipped => None,
    }
}

/// Both live the history and agree; none where it was skipped, or where the machine let no attempt end and the furthest
/// came far enough.
pub(super) fn assert_agrees(history: &History, checkpoint_every: usize, checkpoints: u32) -> Option<Lived> {
    let _one = OneProcessor::new();
    let mut parted: Vec<String> = Vec::new();
    let mut furthest = 0;
    for _ in 0..ATTEMPTS {
        match compare(history, checkpoint_every, Until::TheyPart) {
            Outcome::Agreed(agreed) => {
                assert!(agreed.checkpoints >= checkpoints, "{} checkpoints", agreed.checkpoints);
                println!("{} checkpoints; {}", agreed.checkpoints, agreed.distances.text);
                return Some(agreed);
            }
            Outcome::Skipped => return None,
            // A model that is wrong is wrong again in the same place. What the machine did meanwhile is not:
            // memory ran short, the disk was slow, and files were written back in parts.
            Outcome::Parted(distance, _) if parted.contains(&distance) => {
                panic!("twice the same: {distance}")
            }
            Outcome::Parted(distance, reached) | Outcome::Disturbed(distance, reached) => {
                parted.push(distance);
                furthest = furthest.max(reached);
            }
        }
    }
    if furthest * 10 >= checkpoints * REACHED_OF_TEN {
        println!("{furthest} of {checkpoints} checkpoints; never parted twice in the same way");
        return None;
    }
    panic!(
        "the kernel parted from the model in each of {ATTEMPTS} attempts, never twice in the same way: {parted:#?}"
    );
}
