//! Planted faults: files are written by real loads, one thing in them is changed, and that must be found, every
//! time, with its kind and place, and nothing else. Places are drawn at random from a fixed seed.

#[path = "../../tests/support/writers.rs"]
mod writers;

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fsgauge_wire::{
    Access, BlockFault, Data, Descriptors, Engine, Event, FaultyBlock, IntegrityResult, Interface, LoadJob,
    Profile, Ranges, Stop, Target,
};
use tempfile::TempDir;

use super::image::{Images, Write};
use super::ledger::Ledger;
use super::read_back::read_back;
use super::tag::SECTOR_BYTES;
use crate::pattern::Place;
use crate::random::Random;
use crate::target::{Ground, path_of};
use writers::verified;

const SECTOR: u64 = SECTOR_BYTES as u64;
const BLOCKS: u64 = 32;
const WRITERS: u32 = 2;
/// How often each fault is planted in each load.
const REPETITIONS: u64 = 12;

struct Deaf;

impl fsgauge_wire::Listener for Deaf {
    fn event(&mut self, _event: Event) -> std::io::Result<()> {
        Ok(())
    }
}

/// In memory where there is a file system for that: nothing here depends on a device.
fn scratch() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

fn ground(load: &LoadJob) -> Ground {
    match &load.target {
        // A file stands for it.
        Target::Block { path, .. } => {
            Ground::passed_on(&load.target, std::fs::File::open(path).unwrap().into())
        }
        target => Ground::of(target, false).unwrap(),
    }
}

/// Two writers, so many passes, 32 blocks in one file or in one a writer.
fn load(directory: &Path, ranges: Ranges, block_bytes: u32, passes: u64) -> LoadJob {
    let operations_of_a_pass =
        if ranges == (Ranges::Shared {}) { BLOCKS * u64::from(WRITERS) } else { BLOCKS };
    LoadJob {
        size_limit_bytes: Some(passes * operations_of_a_pass * u64::from(block_bytes)),
        duration_ns: 60_000_000_000,
        ..verified(directory, ranges, WRITERS, BLOCKS, block_bytes)
    }
}

/// Loads that differ in everything that decides how blocks reach the file.
fn loads(directory: &Path, passes: u64) -> Vec<LoadJob> {
    let load = |ranges, block_bytes| load(directory, ranges, block_bytes, passes);
    let psync = |load: LoadJob| LoadJob { interface: Interface::Psync, ..load };
    let deep = |load: LoadJob| LoadJob { queue_depth: 4, ..load };
    let shared_file = |load: LoadJob| LoadJob { descriptors: Descriptors::Shared, ..load };
    let in_order = |load: LoadJob| LoadJob { access: Access::Sequential {}, ..load };
    vec![
        psync(in_order(load(Ranges::Shared {}, 8192))),
        deep(shared_file(load(Ranges::Shared {}, 8192))),
        deep(in_order(load(Ranges::Segmented {}, 8192))),
        psync(shared_file(load(Ranges::Interleaved {}, 4096))),
        LoadJob { data: Data::Zero, ..deep(load(Ranges::Interleaved {}, 8192)) },
        shared_file(in_order(load(Ranges::Strided { stride_bytes: 4 * 512 }, 512))),
        LoadJob { data: Data::Zero, ..psync(load(Ranges::Segmented {}, 512)) },
        deep(load(Ranges::OwnFiles {}, 8192)),
        psync(load(Ranges::OwnFiles {}, 16384)),
    ]
}

fn run(load: &LoadJob) -> IntegrityResult {
    let text = || "test".to_string();
    let engine = Engine { version: text(), profile: Profile::Debug, target: text(), commit: text() };
    let result = crate::run_load(load.clone(), engine, None, &mut Deaf, Stop::new()).unwrap();
    for (writer, job) in (0u32..).zip(&result.jobs) {
        let operations = load.size_limit_bytes.unwrap() / u64::from(load.block_sizes[0].size_bytes);
        assert_eq!(job.operations, operations / u64::from(WRITERS), "writer {writer}");
    }
    result.integrity.unwrap()
}

/// What a load has left behind, and what one pass of the same load leaves.
struct Bench {
    load: LoadJob,
    issued: Vec<u64>,
    now: Vec<Vec<u8>>,
    before: Vec<Vec<u8>>,
    random: Random,
}

impl Bench {
    fn new(load: LoadJob) -> Self {
        let once = LoadJob { size_limit_bytes: load.size_limit_bytes.map(|both| both / 2), ..load.clone() };
        assert_clean(&run(&once));
        let before = contents(&once);
        assert_clean(&run(&load));
        let places = |writer| crate::pattern::RangeOrder::new(&load, writer).places();
        let issued = (0..WRITERS).map(|writer| 2 * places(writer)).collect();
        Bench { issued, now: contents(&load), before, load, random: Random::new(11, 0) }
    }

    fn block_bytes(&self) -> u64 {
        u64::from(self.load.block_sizes[0].size_bytes)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.next() % limit
    }

    fn any_place(&mut self) -> Place {
        let file = self.below(self.now.len() as u64) as u32;
        let blocks = self.now[file as usize].len() as u64 / self.block_bytes();
        Place { file, offset_bytes: self.below(blocks) * self.block_bytes() }
    }

    fn block_of(&self, files: &[Vec<u8>], place: Place) -> Vec<u8> {
        let begin = place.offset_bytes as usize;
        files[place.file as usize][begin..begin + self.block_bytes() as usize].to_vec()
    }

    fn check(&self) -> IntegrityResult {
        read_back(&self.load, (None, &ground(&self.load)), &self.issued, Stop::never()).unwrap().unwrap()
    }

    /// Writes `block` to `place`, reads everything back, and undoes it.
    fn plant(&self, place: Place, block: &[u8]) -> IntegrityResult {
        let path = path_of(&self.load.target, place.file);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.write_all_at(block, place.offset_bytes).unwrap();
        let result = self.check();
        file.write_all_at(&self.block_of(&self.now, place), place.offset_bytes).unwrap();
        result
    }

    /// Plants, and expects one fault, whose first byte is `first` bytes behind the start of the block.
    fn expect(&self, place: Place, block: &[u8], fault: BlockFault, first: u64) -> FaultyBlock {
        let result = self.plant(place, block);
        let shown = format!("{result:?} of {:?}, planted at {place:?} + {first}", self.load);
        assert_eq!(result.checked_blocks, BLOCKS, "{shown}");
        assert_eq!(faults(&result), one(fault), "{shown}");
        let [faulty] = &result.faulty[..] else { panic!("{shown}") };
        let found = (faulty.fault, faulty.file, faulty.offset_bytes, faulty.first_byte);
        assert_eq!(found, (fault, place.file, place.offset_bytes, place.offset_bytes + first), "{shown}");
        faulty.clone()
    }
}

fn contents(load: &LoadJob) -> Vec<Vec<u8>> {
    (0..crate::target::Geometry::of(&load.target).files)
        .map(|file| std::fs::read(path_of(&load.target, file)).unwrap())
        .collect()
}

/// Corrupt, torn, foreign, stale, lost.
fn faults(result: &IntegrityResult) -> [u64; 5] {
    let IntegrityResult { corrupt_blocks, torn_blocks, foreign_blocks, stale_blocks, lost_blocks, .. } =
        result;
    [*corrupt_blocks, *torn_blocks, *foreign_blocks, *stale_blocks, *lost_blocks]
}

fn one(fault: BlockFault) -> [u64; 5] {
    let kinds =
        [BlockFault::Corrupt, BlockFault::Torn, BlockFault::Foreign, BlockFault::Stale, BlockFault::Lost];
    kinds.map(|kind| u64::from(kind == fault))
}

fn assert_clean(result: &IntegrityResult) {
    assert_eq!(faults(result), [0; 5], "{result:?}");
    assert_eq!((result.checked_blocks, result.faulty.len()), (BLOCKS, 0));
}

/// Each load in turn, with what it wrote.
fn for_each_load(mut each: impl FnMut(&mut Bench)) {
    let directory = scratch();
    for load in loads(directory.path(), 2) {
        let mut bench = Bench::new(load);
        each(&mut bench);
        assert_clean(&bench.check());
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.drain(..).for_each(|file| std::fs::remove_file(file).unwrap());
    }
}

#[test]
fn a_flipped_bit_is_found_to_the_byte() {
    for_each_load(|bench| {
        // The words of the tag, its checksum, the body's first byte and any other, and the sector's last byte.
        for (begin, length) in
            [(0, 8), (8, 8), (16, 4), (20, 4), (24, 8), (32, 8), (40, 1), (41, 470), (511, 1)]
        {
            for _ in 0..REPETITIONS {
                let place = bench.any_place();
                let sector = bench.below(bench.block_bytes() / SECTOR);
                let byte = sector * SECTOR + begin + bench.below(length);
                let mut block = bench.block_of(&bench.now, place);
                block[byte as usize] ^= 1 << bench.below(8);
                bench.expect(place, &block, BlockFault::Corrupt, byte);
            }
        }
        let (place, last) = (bench.any_place(), bench.block_bytes() - 1);
        let mut block = bench.block_of(&bench.now, place);
        block[last as usize] ^= 0x80;
        bench.expect(place, &block, BlockFault::Corrupt, last);
    });
}

#[test]
fn a_block_of_another_place_is_found() {
    for_each_load(|bench| {
        for _ in 0..REPETITIONS {
            let (place, from) = (bench.any_place(), bench.any_place());
            if place == from {
                continue;
            }
            let faulty = bench.expect(place, &bench.block_of(&bench.now, from), BlockFault::Foreign, 0);
            let belongs = format!("which belongs at offset {} of file {}", from.offset_bytes, from.file);
            assert!(faulty.detail.ends_with(&belongs), "{}", faulty.detail);
        }
    });
}

#[test]
fn an_older_write_of_the_same_place_is_found() {
    for_each_load(|bench| {
        for _ in 0..REPETITIONS {
            let place = bench.any_place();
            bench.expect(place, &bench.block_of(&bench.before, place), BlockFault::Stale, 0);
        }
    });
}

#[test]
fn half_a_write_is_found_at_each_sector() {
    for_each_load(|bench| {
        for cut in 1..bench.block_bytes() / SECTOR {
            let place = bench.any_place();
            let (old, new) = (bench.block_of(&bench.before, place), bench.block_of(&bench.now, place));
            let cut = (cut * SECTOR) as usize;
            bench.expect(place, &[&old[..cut], &new[cut..]].concat(), BlockFault::Torn, 0);
            bench.expect(place, &[&new[..cut], &old[cut..]].concat(), BlockFault::Torn, cut as u64);
            let zeros = vec![0; old.len()];
            bench.expect(place, &[&new[..cut], &zeros[cut..]].concat(), BlockFault::Torn, cut as u64);
        }
    });
}

#[test]
fn a_write_that_never_came_is_found() {
    for_each_load(|bench| {
        for _ in 0..REPETITIONS {
            let place = bench.any_place();
            let mut before = vec![0; bench.block_bytes() as usize];
            let faulty = bench.expect(place, &before, BlockFault::Lost, 0);
            assert!(faulty.detail.ends_with("found zeros"), "{}", faulty.detail);
            bench.random.fill(&mut before);
            bench.expect(place, &before, BlockFault::Lost, 0);
        }
    });
}

#[test]
fn a_block_of_another_load_is_found() {
    for_each_load(|bench| {
        let other = LoadJob { seed: bench.load.seed + 1, ..bench.load.clone() };
        for _ in 0..REPETITIONS {
            let place = bench.any_place();
            let write = Ledger::new(&other, &bench.issued).expected(place)[0];
            let block = Images::new(&other).rendered(write, place, 0);
            let faulty = bench.expect(place, &block, BlockFault::Foreign, 0);
            assert!(faulty.detail.ends_with("found a write of another load"), "{}", faulty.detail);
        }
    });
}

#[test]
fn a_write_of_a_job_that_does_not_own_the_place_is_found() {
    for_each_load(|bench| {
        let ledger = Ledger::new(&bench.load, &bench.issued);
        for _ in 0..REPETITIONS {
            let place = bench.any_place();
            let last = ledger.expected(place)[0];
            let never_made = Write { sequence: bench.issued[last.writer as usize] + last.sequence, ..last };
            let other = Write { writer: 1 - last.writer, ..last };
            let mut planted = vec![never_made];
            if bench.load.ranges != Some(Ranges::Shared {}) {
                planted.push(other);
            }
            for write in planted {
                let block = Images::new(&bench.load).rendered(write, place, 0);
                bench.expect(place, &block, BlockFault::Foreign, 0);
            }
        }
    });
}

#[test]
fn a_file_that_was_cut_has_lost_its_blocks() {
    for_each_load(|bench| {
        for _ in 0..REPETITIONS {
            let index = bench.below(bench.now.len() as u64) as usize;
            let length = bench.now[index].len() as u64;
            let end = bench.below(length);
            let path = path_of(&bench.load.target, index as u32);
            std::fs::File::options().write(true).open(&path).unwrap().set_len(end).unwrap();
            let result = bench.check();
            std::fs::write(&path, &bench.now[index]).unwrap();
            let lost = length / bench.block_bytes() - end / bench.block_bytes();
            assert_eq!(faults(&result), [0, 0, 0, 0, lost], "{result:?}");
            assert_eq!(result.faulty.len() as u64, lost.min(20));
            let first = &result.faulty[0];
            assert_eq!((first.file as usize, first.first_byte), (index, end), "{first:?}");
            assert_eq!(first.offset_bytes, end / bench.block_bytes() * bench.block_bytes());
        }
    });
}

#[test]
fn many_faults_are_all_counted_and_the_first_are_told() {
    let directory = scratch();
    let bench = Bench::new(load(directory.path(), Ranges::Segmented {}, 4096, 2));
    std::fs::write(path_of(&bench.load.target, 0), &bench.before[0]).unwrap();
    let result = bench.check();
    assert_eq!(faults(&result), [0, 0, 0, BLOCKS, 0]);
    let told: Vec<u64> = result.faulty.iter().map(|faulty| faulty.offset_bytes).collect();
    assert_eq!(told, (0..20).map(|block| block * 4096).collect::<Vec<_>>());
    let ledger = Ledger::new(&bench.load, &bench.issued);
    let last = ledger.expected(Place { file: 0, offset_bytes: 0 })[0].sequence;
    let detail = format!("expected write {last} of writer 0, found write {} of writer 0", last - BLOCKS / 2);
    assert_eq!(result.faulty[0].detail, detail);
}

#[test]
fn blocks_that_the_load_did_not_write_are_left_out() {
    let directory = scratch();
    let bench = Bench::new(load(directory.path(), Ranges::Segmented {}, 4096, 2));
    // As if each had ended after five writes of its first pass: the rest of the file is none of its business.
    let ledger = Ledger::new(&bench.load, &[5, 5]);
    let mut file = vec![0xaa; bench.now[0].len()];
    for block in 0..BLOCKS {
        let place = Place { file: 0, offset_bytes: block * 4096 };
        if let Some(write) = ledger.expected(place).first() {
            let begin = place.offset_bytes as usize;
            let image = Images::new(&bench.load).rendered(*write, place, 0);
            file[begin..begin + 4096].copy_from_slice(&image);
        }
    }
    std::fs::write(path_of(&bench.load.target, 0), &file).unwrap();
    let result = read_back(&bench.load, (None, &ground(&bench.load)), &[5, 5], Stop::never()).unwrap().unwrap();
    assert_eq!((result.checked_blocks, faults(&result)), (10, [0; 5]));
    let result = read_back(&bench.load, (None, &ground(&bench.load)), &[5, 6], Stop::never()).unwrap().unwrap();
    assert_eq!((result.checked_blocks, faults(&result)), (11, one(BlockFault::Lost)));
}

#[test]
fn a_stopped_check_says_nothing() {
    let directory = scratch();
    let bench = Bench::new(load(directory.path(), Ranges::Segmented {}, 4096, 2));
    let stop = Stop::new();
    stop.set();
    assert_eq!(read_back(&bench.load, (None, &ground(&bench.load)), &bench.issued, stop).unwrap(), None);
}

/// Where a device is used from an offset on, offsets are told as the device counts them.
#[test]
fn the_part_of_a_device_is_checked_from_its_start() {
    let directory = scratch();
    let (path, base_bytes) = (directory.path().join("device"), 8192);
    let load = LoadJob {
        target: Target::Block {
            path: path.display().to_string(),
            offset_bytes: base_bytes,
            size_bytes: BLOCKS * 4096,
        },
        ..load(directory.path(), Ranges::Interleaved {}, 4096, 1)
    };
    let issued = [BLOCKS / 2; 2];
    let ledger = Ledger::new(&load, &issued);
    let mut device = vec![0; base_bytes as usize];
    for block in 0..BLOCKS {
        let place = Place { file: 0, offset_bytes: block * 4096 };
        device.extend(Images::new(&load).rendered(ledger.expected(place)[0], place, base_bytes));
    }
    std::fs::write(&path, &device).unwrap();
    assert_clean(&read_back(&load, (None, &ground(&load)), &issued, Stop::never()).unwrap().unwrap());
    device[20_000] ^= 1;
    std::fs::write(&path, &device).unwrap();
    let result = read_back(&load, (None, &ground(&load)), &issued, Stop::never()).unwrap().unwrap();
    assert_eq!(faults(&result), one(BlockFault::Corrupt));
    assert_eq!((result.faulty[0].offset_bytes, result.faulty[0].first_byte), (16384, 20_000));
}
