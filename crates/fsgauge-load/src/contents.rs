//! What the buffers of a job hold: data that is new with each write, or that says who wrote it.

use fsgauge_wire::LoadJob;

use crate::filler::Filler;
use crate::integrity::Tagger;
use crate::operation::Operation;

/// What the buffers of a job hold.
#[derive(Debug)]
pub(crate) enum Contents {
    /// Data that only has to be new.
    Fresh(Filler),
    /// Data that says who wrote it, to be read back and checked.
    Tagged(Box<Tagger>),
}

impl From<Filler> for Contents {
    fn from(filler: Filler) -> Self {
        Contents::Fresh(filler)
    }
}

impl Contents {
    /// What job `job` of a load writes.
    pub(crate) fn of(load: &LoadJob, job: u32) -> Self {
        if load.verify {
            Contents::Tagged(Box::new(Tagger::new(load, job)))
        } else {
            Filler::for_data(load.data, load.seed, job).into()
        }
    }

    /// Fills buffers that begin every `stride` bytes.
    pub(crate) fn fill(&mut self, region: &mut [u8], stride: usize) {
        match self {
            Contents::Fresh(filler) => filler.fill(region),
            Contents::Tagged(tagger) => tagger.fill(region, stride),
        }
    }

    /// Hands over the words that make the buffer of the next write unlike all before, with their offsets.
    #[inline]
    pub(crate) fn stamp(&mut self, operation: &Operation, mut word: impl FnMut(usize, u64)) {
        match self {
            Contents::Fresh(filler) => {
                filler.stamps(operation.size_bytes).for_each(|(at, stamp)| word(at, stamp));
            }
            Contents::Tagged(tagger) => tagger.stamp(operation, word),
        }
    }
}
