//! The image of a writer: the block that it writes, but for the words of the tags that change with each write.
//!
//! A pure function of the load and the writer, so that what is read back can be compared byte by byte.

use std::collections::HashMap;

use fsgauge_wire::LoadJob;

use super::tag::{SECTOR_BYTES, TAG_BYTES, Tag, body_sum, position, run_of};
use crate::filler::Filler;
use crate::pattern::Place;

/// Memory for the images of many writers.
const KEPT_BYTES: usize = 64 << 20;

/// One write, named as its tags name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) writer: u32,
    pub(crate) sequence: u64,
}

/// What one writer writes.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    run: u64,
    writer: u32,
    block: Vec<u8>,
    /// Of the body of each sector.
    sums: Vec<u64>,
}

impl Image {
    /// The load has one block size, a multiple of a sector.
    pub(crate) fn new(load: &LoadJob, writer: u32) -> Self {
        let size_bytes = load.block_sizes.first().map_or(0, |size| size.size_bytes) as usize;
        let run = run_of(load.seed);
        let mut block = vec![0; size_bytes];
        // Seeded by the run's number: nothing else that is written with the load's seed looks like it.
        Filler::for_data(load.data, run, writer).fill(&mut block);
        let sums = block.chunks_exact(SECTOR_BYTES).map(|sector| body_sum(&sector[TAG_BYTES..])).collect();
        let mut image = Image { run, writer, block, sums };
        image.block = image.rendered(0, 0);
        image
    }

    /// The whole block, with tags of some write.
    pub(crate) fn block(&self) -> &[u8] {
        &self.block
    }

    pub(crate) fn body(&self, sector: u32) -> &[u8] {
        let begin = sector as usize * SECTOR_BYTES;
        &self.block[begin + TAG_BYTES..begin + SECTOR_BYTES]
    }

    pub(crate) fn sum(&self, sector: u32) -> u64 {
        self.sums[sector as usize]
    }

    /// The tag of each sector of write `sequence` to the block that begins at `position`, with its body's sum.
    #[inline]
    pub(crate) fn tags(&self, sequence: u64, position: u64) -> impl Iterator<Item = (Tag, u64)> + '_ {
        let (run, writer) = (self.run, self.writer);
        (0u32..).zip(&self.sums).map(move |(sector, sum)| {
            (Tag { run, position: position + u64::from(sector), writer, sector, sequence }, *sum)
        })
    }

    /// The block as write `sequence` leaves it at `position`.
    pub(crate) fn rendered(&self, sequence: u64, position: u64) -> Vec<u8> {
        let mut block = self.block.clone();
        let sectors = block.chunks_exact_mut(SECTOR_BYTES);
        sectors.zip(self.tags(sequence, position)).for_each(|(sector, (tag, sum))| tag.write(sector, sum));
        block
    }
}

/// The images of all writers, made when they are asked for and kept within a limit.
#[derive(Debug)]
pub(crate) struct Images<'a> {
    load: &'a LoadJob,
    made: HashMap<u32, Image>,
    kept: usize,
}

impl<'a> Images<'a> {
    pub(crate) fn new(load: &'a LoadJob) -> Self {
        let size_bytes = load.block_sizes.first().map_or(1, |size| size.size_bytes.max(1)) as usize;
        Images { load, made: HashMap::new(), kept: (KEPT_BYTES / size_bytes).max(1) }
    }

    pub(crate) fn of(&mut self, writer: u32) -> &Image {
        if self.made.len() >= self.kept && !self.made.contains_key(&writer) {
            self.made.clear();
        }
        self.made.entry(writer).or_insert_with(|| Image::new(self.load, writer))
    }

    /// The block at `place` as `write` leaves it. `base_bytes` is where the used part of a file begins.
    pub(crate) fn rendered(&mut self, write: Write, place: Place, base_bytes: u64) -> Vec<u8> {
        let position = position(place.file, base_bytes + place.offset_bytes);
        self.of(write.writer).rendered(write.sequence, position)
    }
}
