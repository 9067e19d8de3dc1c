//! The order in which a client comes to its files, where that is not the order of their numbers.

use fsgauge_load::{Random, Shuffle};
use fsgauge_wire::{ClientsJob, FileOrder, Phase};

use super::listed::Listed;

/// Orders are drawn apart from sizes, contents and choices.
const ORDER_STREAM: u64 = 0x0bde_0bde_0000_0000;

/// Which file comes when.
#[derive(Debug)]
pub(crate) enum Sequence {
    Shuffled(Shuffle),
    Listed(Box<Listed>),
}

impl Sequence {
    /// What a job says about client `number` and its `files`. None: by number, and until a directory was opened.
    pub(super) fn of(job: &ClientsJob, number: u32, files: u32) -> Option<Box<Sequence>> {
        if job.order != FileOrder::Random {
            return None;
        }
        let stream = ORDER_STREAM ^ phase_number(&job.phase) << 40 ^ u64::from(number);
        let shuffle = Shuffle::new(u64::from(files), Random::new(job.seed, stream));
        Some(Box::new(Sequence::Shuffled(shuffle)))
    }

    /// The file at a position below the number of files; positions go up by one.
    #[inline]
    pub(super) fn at(&mut self, position: u32) -> u32 {
        match self {
            Sequence::Shuffled(shuffle) => shuffle.at(u64::from(position)) as u32,
            Sequence::Listed(listed) => listed.take(),
        }
    }

    /// Whether names have to be read before the next file is known.
    #[inline]
    pub(super) fn is_short(&self) -> bool {
        matches!(self, Sequence::Listed(listed) if listed.is_short())
    }
}

/// So that files are not stated in the very order in which they were written.
fn phase_number(phase: &Phase) -> u64 {
    match phase {
        Phase::Write { .. } => 0,
        Phase::Read {} => 1,
        Phase::Stat {} => 2,
        Phase::Delete {} => 3,
        Phase::Rename {} => 5,
        Phase::List {} => 6,
        Phase::Mix { .. } | Phase::Backup { .. } | Phase::Clear {} => 4,
    }
}
