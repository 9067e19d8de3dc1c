//! The order in which a client comes to its files, where that is not the order of their numbers.

use fsgauge_load::{Random, Shuffle};
use fsgauge_wire::{ClientsJob, FileOrder, Phase};

/// Orders are drawn apart from sizes, contents and choices.
const ORDER_STREAM: u64 = 0x0bde_0bde_0000_0000;

/// Which file comes when.
#[derive(Debug)]
pub(crate) enum Sequence {
    Shuffled(Shuffle),
    /// The numbers in the order in which the directory gave them.
    Listed(Vec<u32>),
}

impl Sequence {
    /// What a job says about client `number`. None: by number, and until a directory has been read.
    pub(super) fn of(job: &ClientsJob, number: u32) -> Option<Box<Sequence>> {
        if job.order != FileOrder::Random {
            return None;
        }
        let stream = ORDER_STREAM ^ phase_number(&job.phase) << 40 ^ u64::from(number);
        let shuffle = Shuffle::new(u64::from(job.files.files_per_client), Random::new(job.seed, stream));
        Some(Box::new(Sequence::Shuffled(shuffle)))
    }

    /// Of `files` files in the order of a directory. Those that it did not give come last: they are missing, and will
    /// be found so one by one.
    pub(crate) fn listed(mut numbers: Vec<u32>, files: u32) -> Box<Sequence> {
        if numbers.len() < files as usize {
            let mut is_there = vec![false; files as usize];
            numbers.iter().for_each(|number| is_there[*number as usize] = true);
            numbers.extend((0..files).filter(|number| !is_there[*number as usize]));
        }
        Box::new(Sequence::Listed(numbers))
    }

    /// The file at a position below the number of files.
    #[inline]
    pub(super) fn at(&self, position: u32) -> u32 {
        match self {
            Sequence::Shuffled(shuffle) => shuffle.at(u64::from(position)) as u32,
            Sequence::Listed(numbers) => numbers[position as usize],
        }
    }
}

/// So that files are not stated in the very order in which they were written.
fn phase_number(phase: &Phase) -> u64 {
    match phase {
        Phase::Write { .. } => 0,
        Phase::Read {} => 1,
        Phase::Stat {} => 2,
        Phase::Delete {} => 3,
        Phase::Mix { .. } | Phase::Backup { .. } | Phase::Clear {} => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_directory_does_not_give_comes_last() {
        let sequence = Sequence::listed(vec![4, 0, 2], 5);
        assert_eq!((0..5).map(|position| sequence.at(position)).collect::<Vec<_>>(), [4, 0, 2, 1, 3]);
    }
}
