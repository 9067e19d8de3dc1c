//! Tagging: what a writer does to a buffer before each write.

use fsgauge_wire::LoadJob;

use super::image::Image;
use super::tag::{CHECKSUM_AT, POSITION_AT, SECTOR_BYTES, SEQUENCE_AT, position};
use crate::operation::Operation;

/// Fills buffers with a writer's image, and gives each write its place, number and checksums.
#[derive(Debug)]
pub(crate) struct Tagger {
    image: Image,
    /// Writes so far.
    sequence: u64,
}

impl Tagger {
    pub(crate) fn new(load: &LoadJob, writer: u32) -> Self {
        Tagger { image: Image::new(load, writer), sequence: 0 }
    }

    /// Puts the image at the start of every `stride` bytes.
    pub(crate) fn fill(&self, region: &mut [u8], stride: usize) {
        let block = self.image.block();
        region.chunks_exact_mut(stride).for_each(|slot| slot[..block.len()].copy_from_slice(block));
    }

    /// Hands over the words of the next write that differ from the last one's, with their offsets.
    #[inline]
    pub(crate) fn stamp(&mut self, operation: &Operation, mut word: impl FnMut(usize, u64)) {
        let sequence = self.sequence;
        self.sequence += 1;
        let mut begin = 0;
        for (tag, sum) in self.image.tags(sequence, position(operation.file, operation.offset_bytes)) {
            word(begin + POSITION_AT, tag.position);
            word(begin + SEQUENCE_AT, sequence);
            word(begin + CHECKSUM_AT, tag.checksum(sum));
            begin += SECTOR_BYTES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::BlockSize;

    fn load() -> LoadJob {
        LoadJob { block_sizes: vec![BlockSize { size_bytes: 8192, weight: 1 }], ..LoadJob::plain() }
    }

    #[test]
    fn a_stamped_buffer_is_the_rendered_image() {
        let (load, stride) = (load(), 12288);
        let mut tagger = Tagger::new(&load, 3);
        let mut region = vec![0; 2 * stride];
        tagger.fill(&mut region, stride);
        for (sequence, slot) in [(0, 1), (1, 0), (2, 1)] {
            let operation =
                Operation { write: true, file: 2, size_bytes: 8192, offset_bytes: 8192 * (9 + sequence) };
            let begin = slot * stride;
            tagger.stamp(&operation, |at, word| {
                region[begin + at..begin + at + 8].copy_from_slice(&word.to_ne_bytes());
            });
            let expected = Image::new(&load, 3).rendered(sequence, position(2, operation.offset_bytes));
            assert_eq!(region[begin..begin + 8192], expected);
        }
    }
}
