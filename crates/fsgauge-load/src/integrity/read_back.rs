//! Reading back: every block of every file, from the storage and not from the page cache, in large reads.

use std::os::fd::OwnedFd;
use std::time::Instant;

use fsgauge_net::Access;
use fsgauge_wire::{BlockFault, FaultyBlock, IntegrityResult, LoadJob, Outcome, Stop, Target};
use rustix::fs::{Advice, OFlags, fadvise, fstat, fsync};
use rustix::io::{pread, retry_on_intr};

use super::explain::Evidence;
use super::image::Images;
use super::ledger::Ledger;
use super::sector::{Origin, Sector};
use super::tag::{SECTOR_BYTES, position, run_of};
use super::verdict::fault;
use crate::operation::Operation;
use crate::pattern::Place;
use crate::share::{Connection, Session};
use crate::target::{Geometry, Ground, describe_io_failure, open_failure, path_of};

/// What is read at once, at least one block.
const READ_BYTES: usize = 4 << 20;
/// Satisfies the memory alignment of all direct I/O.
const PAGE_BYTES: usize = 4096;
/// How many faulty blocks are listed.
const FAULTY_LIMIT: usize = 20;

/// Reads back what a load has written: `issued` writes by each job, all of them completed. None when it was
/// stopped before the end.
pub(crate) fn read_back(
    load: &LoadJob,
    (access, ground): (Option<&Access>, &Ground),
    issued: &[u64],
    stop: Stop,
) -> Outcome<Option<IntegrityResult>> {
    if matches!(load.target, Target::Null { .. }) {
        return Ok(None);
    }
    let begin = Instant::now();
    let mut checker = Checker::new(load, issued);
    let mut memory = vec![0; checker.read_bytes() + PAGE_BYTES];
    let aligned = memory.as_ptr().align_offset(PAGE_BYTES);
    let buffer = &mut memory[aligned..];
    for file in 0..checker.geometry.files {
        let mut opened = Opened::open(load, (access, ground), file, stop)?;
        for (first, count) in checker.reads() {
            if stop.is_set() {
                return Ok(None);
            }
            let place = Place { file, offset_bytes: first * checker.block_bytes as u64 };
            let buffer = &mut buffer[..count * checker.block_bytes];
            let length = opened.read(load, checker.geometry.base_bytes, place, buffer)?;
            checker.check_read(place, buffer, length);
        }
    }
    checker.result.elapsed_ns = begin.elapsed().as_nanos() as u64;
    Ok(Some(checker.result))
}

/// A file that is read back.
enum Opened {
    Here(OwnedFd),
    /// In a session of its own: what the server gives of what it was asked to store, wherever it keeps that.
    Share(Box<Connection>, Stop),
}

impl Opened {
    fn open(
        load: &LoadJob,
        (access, ground): (Option<&Access>, &Ground),
        file: u32,
        stop: Stop,
    ) -> Outcome<Self> {
        let Some(access) = access else { return open_uncached(load, ground, file).map(Opened::Here) };
        let largest_bytes = READ_BYTES.max(load.block_sizes[0].size_bytes as usize) as u32;
        let session = Session { lanes: 1, largest_bytes, reads: true, writes: false, dsync: false };
        let connection = Connection::open(access, &load.target, file..file + 1, session, &stop)?;
        Ok(Opened::Share(Box::new(connection), stop))
    }

    /// Fills `buffer` from `place` on; gives how much there was before the end of the file.
    fn read(&mut self, load: &LoadJob, base_bytes: u64, place: Place, buffer: &mut [u8]) -> Outcome<usize> {
        match self {
            Opened::Here(file) => read(load, file, base_bytes, place, buffer),
            Opened::Share(connection, stop) => {
                let size_bytes = buffer.len() as u32;
                let offset_bytes = base_bytes + place.offset_bytes;
                connection.read(place.file, offset_bytes, buffer, stop).map_err(|errno| {
                    let operation = Operation { write: false, file: place.file, size_bytes, offset_bytes };
                    describe_io_failure(&load.target, &operation, -errno)
                })
            }
        }
    }
}

/// Opens a file, and has the kernel write out and forget what it keeps of it in memory.
fn open_uncached(load: &LoadJob, ground: &Ground, file: u32) -> Outcome<OwnedFd> {
    let path = path_of(&load.target, file);
    let direct = if load.direct { OFlags::DIRECT } else { OFlags::empty() };
    let opened = ground
        .open(&load.target, file, OFlags::RDONLY | direct)
        .map_err(|errno| open_failure(&path, errno, load.direct))?;
    fsync(&opened).map_err(|errno| {
        let operation = Operation { write: true, file, size_bytes: 0, offset_bytes: 0 };
        describe_io_failure(&load.target, &operation, -errno.raw_os_error())
    })?;
    // Advice: where it is refused or ignored, memory has no cache apart from the storage (tmpfs).
    let _ = fadvise(&opened, 0, None, Advice::DontNeed);
    Ok(opened)
}

/// Fills `buffer` from `place` on; gives how much there was before the end of the file.
fn read(load: &LoadJob, file: &OwnedFd, base_bytes: u64, place: Place, buffer: &mut [u8]) -> Outcome<usize> {
    let begin = base_bytes + place.offset_bytes;
    let mut length = 0;
    while length < buffer.len() {
        let offset_bytes = begin + length as u64;
        let rest = &mut buffer[length..];
        let size_bytes = rest.len() as u32;
        let count = retry_on_intr(|| pread(file, &mut *rest, offset_bytes)).map_err(|errno| {
            let operation = Operation { write: false, file: place.file, size_bytes, offset_bytes };
            describe_io_failure(&load.target, &operation, -errno.raw_os_error())
        })?;
        length += count;
        if count == 0 || ends_at(file, begin + length as u64) {
            break;
        }
    }
    Ok(length)
}

/// Whether a regular file ends at or before `offset_bytes`: a direct read from there might be refused.
fn ends_at(file: &OwnedFd, offset_bytes: u64) -> bool {
    fstat(file).is_ok_and(|status| {
        let is_file = rustix::fs::FileType::from_raw_mode(status.st_mode).is_file();
        is_file && status.st_size as u64 <= offset_bytes
    })
}

/// Judges blocks and counts what is wrong with them.
struct Checker<'a> {
    geometry: Geometry,
    block_bytes: usize,
    origin: Origin,
    ledger: Ledger,
    images: Images<'a>,
    /// Of the block that is judged.
    sectors: Vec<Sector>,
    result: IntegrityResult,
}

impl<'a> Checker<'a> {
    fn new(load: &'a LoadJob, issued: &[u64]) -> Self {
        let size_bytes = load.block_sizes.first().map_or(SECTOR_BYTES as u32, |size| size.size_bytes);
        let sectors = size_bytes / SECTOR_BYTES as u32;
        Checker {
            geometry: Geometry::of(&load.target),
            block_bytes: size_bytes as usize,
            origin: Origin { run: run_of(load.seed), writers: load.jobs, sectors },
            ledger: Ledger::new(load, issued),
            images: Images::new(load),
            sectors: Vec::with_capacity(sectors as usize),
            result: IntegrityResult::default(),
        }
    }

    fn blocks_at_once(&self) -> u64 {
        (READ_BYTES / self.block_bytes).max(1) as u64
    }

    /// The longest read.
    fn read_bytes(&self) -> usize {
        self.blocks_at_once() as usize * self.block_bytes
    }

    /// The reads of a file: the first block of each, and how many.
    fn reads(&self) -> impl Iterator<Item = (u64, usize)> + use<> {
        let (blocks, step) = (self.geometry.file_size_bytes / self.block_bytes as u64, self.blocks_at_once());
        (0..blocks.div_ceil(step)).map(move |read| (read * step, step.min(blocks - read * step) as usize))
    }

    /// Checks all blocks of one read, of which the file had `length` bytes.
    fn check_read(&mut self, first: Place, buffer: &mut [u8], length: usize) {
        buffer[length..].fill(0);
        for (index, block) in buffer.chunks_exact(self.block_bytes).enumerate() {
            let begin = index * self.block_bytes;
            let place = Place { offset_bytes: first.offset_bytes + begin as u64, ..first };
            let is_cut = begin + self.block_bytes > length;
            let end = first.offset_bytes + length as u64;
            self.check_block(place, block, is_cut.then_some(self.geometry.base_bytes + end));
        }
    }

    /// `file_end` is where the file ends, when that is before the end of the block.
    fn check_block(&mut self, place: Place, block: &[u8], file_end: Option<u64>) {
        let position = position(place.file, self.geometry.base_bytes + place.offset_bytes);
        self.origin.look(block, &mut self.images, &mut self.sectors);
        let found = match file_end {
            None => fault(&self.sectors, &self.ledger, place, position),
            Some(_) => Err(BlockFault::Lost),
        };
        let Err(fault) = found else {
            self.result.checked_blocks += 1;
            return;
        };
        let expected = self.ledger.expected(place);
        if expected.is_empty() {
            // This load has written nothing there.
            return;
        }
        self.result.checked_blocks += 1;
        *self.count(fault) += 1;
        if self.result.faulty.len() < FAULTY_LIMIT {
            let base_bytes = self.geometry.base_bytes;
            let (sectors, expected) = (&self.sectors[..], &expected[..]);
            let evidence = Evidence { fault, place, base_bytes, block, sectors, expected };
            let mut faulty = evidence.explain(&mut self.images);
            if let Some(end) = file_end {
                tell_end(&mut faulty, end);
            }
            self.result.faulty.push(faulty);
        }
    }

    fn count(&mut self, fault: BlockFault) -> &mut u64 {
        match fault {
            BlockFault::Corrupt => &mut self.result.corrupt_blocks,
            BlockFault::Torn => &mut self.result.torn_blocks,
            BlockFault::Foreign => &mut self.result.foreign_blocks,
            BlockFault::Stale => &mut self.result.stale_blocks,
            BlockFault::Lost => &mut self.result.lost_blocks,
        }
    }
}

/// Says of a block that is not wholly in the file where the file ends.
fn tell_end(faulty: &mut FaultyBlock, end: u64) {
    faulty.first_byte = end.max(faulty.offset_bytes);
    let expected = faulty.detail.split(", found ").next().unwrap_or_default().to_string();
    faulty.detail = format!("{expected}, found the end of the file at offset {end}");
}
