//! What is said about a faulty block: where it goes wrong, what was expected and what was found.

use fsgauge_wire::{BlockFault, FaultyBlock};

use super::image::{Images, Write};
use super::sector::Sector;
use super::tag::{SECTOR_BYTES, place_of};
use crate::pattern::Place;

/// How many stretches of a torn block are named.
const NAMED_STRETCHES: usize = 4;
/// With more writers, the write that was expected is not named.
const NAMED_WRITERS: usize = 3;

/// A faulty block as it was found.
pub(crate) struct Evidence<'a> {
    pub(crate) fault: BlockFault,
    pub(crate) place: Place,
    pub(crate) base_bytes: u64,
    pub(crate) block: &'a [u8],
    pub(crate) sectors: &'a [Sector],
    /// Every write that may be there.
    pub(crate) expected: &'a [Write],
}

impl Evidence<'_> {
    pub(crate) fn explain(&self, images: &mut Images) -> FaultyBlock {
        let nearest = self.nearest(images);
        let wrong = differing(&nearest, self.block);
        let at = if self.fault == BlockFault::Corrupt {
            wrong.first().copied().unwrap_or(0)
        } else {
            wrong.first().map_or(0, |byte| byte / SECTOR_BYTES * SECTOR_BYTES)
        };
        let offset_bytes = self.base_bytes + self.place.offset_bytes;
        FaultyBlock {
            fault: self.fault,
            file: self.place.file,
            offset_bytes,
            first_byte: offset_bytes + at as u64,
            detail: format!("expected {}, found {}", self.expectation(), self.discovery(wrong.len())),
        }
    }

    /// What should be there: of several possible writes, the one of which most is there. Where a sector has
    /// changed, the other sectors tell what it was, right or not.
    fn nearest(&self, images: &mut Images) -> Vec<u8> {
        let mut candidates = self.expected.to_vec();
        if self.fault == BlockFault::Corrupt {
            candidates.extend(self.sectors.iter().find_map(written));
        }
        let rendered = candidates.iter().map(|write| images.rendered(*write, self.place, self.base_bytes));
        let distance = |image: &Vec<u8>| {
            let sectors = image.chunks(SECTOR_BYTES).zip(self.block.chunks(SECTOR_BYTES));
            let wrong_sectors = sectors.filter(|(expected, found)| expected != found).count();
            (wrong_sectors, differing(image, self.block).len())
        };
        rendered.min_by_key(distance).unwrap_or_default()
    }

    fn expectation(&self) -> String {
        if self.expected.len() > NAMED_WRITERS {
            return format!("the last write of one of {} writers", self.expected.len());
        }
        self.expected.iter().map(named).collect::<Vec<_>>().join(" or ")
    }

    fn discovery(&self, wrong_bytes: usize) -> String {
        match self.fault {
            BlockFault::Corrupt => {
                format!("{wrong_bytes} bytes that differ from what was written or from their checksum")
            }
            BlockFault::Torn => self.stretches(),
            BlockFault::Foreign | BlockFault::Stale => {
                self.sectors.first().map_or_else(String::new, |sector| self.origin(sector))
            }
            BlockFault::Lost if self.block.iter().all(|byte| *byte == 0) => "zeros".into(),
            BlockFault::Lost => "nothing that this load has written".into(),
        }
    }

    /// The writes that a torn block consists of, in order.
    fn stretches(&self) -> String {
        let mut stretches: Vec<(usize, usize, String)> = Vec::new();
        for (index, sector) in self.sectors.iter().enumerate() {
            let origin = self.origin_at(index, sector);
            match stretches.last_mut() {
                Some((_, end, same)) if *same == origin => *end = index,
                _ => stretches.push((index, index, origin)),
            }
        }
        let more = stretches.len().saturating_sub(NAMED_STRETCHES);
        let mut named: Vec<String> = stretches
            .into_iter()
            .take(NAMED_STRETCHES)
            .map(|(begin, end, origin)| {
                if begin == end {
                    format!("in sector {begin} {origin}")
                } else {
                    format!("in sectors {begin} to {end} {origin}")
                }
            })
            .collect();
        if more > 0 {
            named.push(format!("and {more} more pieces"));
        }
        named.join(", ")
    }

    fn origin(&self, sector: &Sector) -> String {
        self.origin_at(0, sector)
    }

    fn origin_at(&self, index: usize, sector: &Sector) -> String {
        let tag = match sector {
            Sector::Ours(tag) => tag,
            Sector::Others(_) => return "a write of another load".into(),
            Sector::Corrupt => return "changed bits".into(),
            Sector::Unknown => return "nothing that this load has written".into(),
        };
        let write = named(&Write { writer: tag.writer, sequence: tag.sequence });
        let (file, offset) = place_of(tag.position.saturating_sub(index as u64));
        let own = self.base_bytes + self.place.offset_bytes;
        let sector_offset = own / SECTOR_BYTES as u64 * SECTOR_BYTES as u64;
        if (file, offset) == (u64::from(self.place.file), sector_offset) {
            return write;
        }
        format!("{write}, which belongs at offset {offset} of file {file}")
    }
}

fn written(sector: &Sector) -> Option<Write> {
    match sector {
        Sector::Ours(tag) => Some(Write { writer: tag.writer, sequence: tag.sequence }),
        _ => None,
    }
}

/// Writes are counted from 0, as jobs are.
fn named(write: &Write) -> String {
    format!("write {} of writer {}", write.sequence, write.writer)
}

/// The offsets at which two blocks differ.
fn differing(expected: &[u8], found: &[u8]) -> Vec<usize> {
    let bytes = expected.iter().zip(found).enumerate();
    bytes.filter(|(_, (expected, found))| expected != found).map(|(at, _)| at).collect()
}
