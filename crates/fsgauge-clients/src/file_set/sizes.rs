//! The sizes of a file set's files: pure functions of the numbers of client and file.

use fsgauge_load::{Random, SizeLaw};
use fsgauge_wire::FileSet;

use super::{FileNumber, PAGE_BYTES};

/// Sizes that are drawn are added up one by one as far as this; the rest is taken to be like them.
const COUNTED_FILES: u64 = 2_000_000;
/// Sizes and contents are drawn apart.
const SIZE_STREAM: u64 = 0x512e_512e_512e_512e;

/// The sizes.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    law: SizeLaw,
    seed: u64,
}

/// What files take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) size_bytes: u64,
    /// With each file rounded up to 4096 bytes.
    pub(crate) stored_bytes: u64,
}

impl Sizes {
    pub(crate) fn new(set: &FileSet, seed: u64) -> Self {
        Sizes { law: SizeLaw::new(&set.sizes), seed }
    }

    /// The size of a file.
    pub(crate) fn size_bytes(&self, number: FileNumber) -> u64 {
        let turn = u64::from(number.client) + u64::from(number.file);
        self.law.size_bytes(turn, || Random::new(self.seed ^ SIZE_STREAM, number.key()))
    }

    /// The sum over the first `files` files of the first `clients` clients.
    pub(crate) fn total(&self, clients: u32, files: u32) -> Total {
        let all = u128::from(clients) * u128::from(files);
        if let Some(sizes_bytes) = self.law.cycle() {
            return cycle_total(sizes_bytes, clients, files);
        }
        let counted = all.min(u128::from(COUNTED_FILES)) as u64;
        let times = all as f64 / counted.max(1) as f64;
        let mut total = Total { size_bytes: 0, stored_bytes: 0 };
        for at in 0..counted {
            let number = FileNumber {
                client: (at % u64::from(clients)) as u32,
                file: (at / u64::from(clients)) as u32,
            };
            total.add(self.size_bytes(number), 1);
        }
        let scaled = |bytes: u64| if times > 1.0 { (bytes as f64 * times) as u64 } else { bytes };
        Total { size_bytes: scaled(total.size_bytes), stored_bytes: scaled(total.stored_bytes) }
    }
}

impl Total {
    fn add(&mut self, size_bytes: u64, files: u64) {
        let stored = size_bytes.checked_next_multiple_of(PAGE_BYTES as u64).unwrap_or(u64::MAX);
        self.size_bytes = self.size_bytes.saturating_add(size_bytes.saturating_mul(files));
        self.stored_bytes = self.stored_bytes.saturating_add(stored.saturating_mul(files));
    }
}

/// How often each size comes is how many pairs of client and file have a sum of this remainder.
fn cycle_total(sizes_bytes: &[u64], clients: u32, files: u32) -> Total {
    let count = sizes_bytes.len() as u64;
    let with_remainder = |numbers: u32, remainder: u64| {
        u64::from(numbers) / count + u64::from(remainder < u64::from(numbers) % count)
    };
    let mut total = Total { size_bytes: 0, stored_bytes: 0 };
    for client in 0..count {
        for file in 0..count {
            let pairs = with_remainder(clients, client).saturating_mul(with_remainder(files, file));
            total.add(sizes_bytes[((client + file) % count) as usize], pairs);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::{FileSizes, Tree, WeightedSize};

    fn sizes(sizes: FileSizes) -> Sizes {
        let tree = Tree::Own {};
        let set = FileSet { clients: 100, files_per_client: 1000, sizes, record_size_bytes: 4096, tree };
        Sizes::new(&set, 7)
    }

    fn all(sizes: &Sizes, clients: u32, files: u32) -> Vec<u64> {
        let numbers = (0..clients).flat_map(|client| (0..files).map(move |file| FileNumber { client, file }));
        numbers.map(|number| sizes.size_bytes(number)).collect()
    }

    fn assert_total_is_the_sum(sizes: &Sizes, clients: u32, files: u32) {
        let mut sum = Total { size_bytes: 0, stored_bytes: 0 };
        all(sizes, clients, files).into_iter().for_each(|size_bytes| sum.add(size_bytes, 1));
        assert_eq!(sizes.total(clients, files), sum);
    }

    #[test]
    fn a_cycle_gives_every_size_as_often_over_clients_and_over_files() {
        let cycle = sizes(FileSizes::Cycle { sizes_bytes: vec![4096, 8192, 100] });
        assert_eq!(all(&cycle, 2, 4), [4096, 8192, 100, 4096, 8192, 100, 4096, 8192]);
        assert_total_is_the_sum(&cycle, 5, 7);
        assert_total_is_the_sum(&cycle, 1, 1);
    }

    #[test]
    fn weights_decide() {
        let weighted = |size_bytes, weight| WeightedSize { size_bytes, weight };
        let weighted =
            sizes(FileSizes::Weighted { sizes: vec![weighted(10, 1), weighted(20, 3), weighted(30, 1)] });
        let drawn = all(&weighted, 100, 1000);
        let count = |size| drawn.iter().filter(|drawn| **drawn == size).count() as f64 / 1e5;
        // The standard deviation of a share of 100 000 draws is at most 0.0016.
        assert!((count(10) - 0.2).abs() < 0.008 && (count(20) - 0.6).abs() < 0.008);
        assert_total_is_the_sum(&weighted, 13, 17);
    }

    #[test]
    fn a_log_normal_has_its_median_and_spread_and_is_cut() {
        let (median_bytes, sigma) = (65536, 1.5);
        let law = |smallest_bytes, largest_bytes| {
            sizes(FileSizes::Lognormal { median_bytes, sigma, smallest_bytes, largest_bytes })
        };
        let mut drawn = all(&law(0, u64::MAX), 100, 1000);
        drawn.sort_unstable();
        let quantile = |share: f64| (drawn[(share * 1e5) as usize] as f64 / 65536.0).ln() / sigma;
        // Quantiles of the standard normal distribution; 0.02 is five standard deviations of the rarest.
        for (share, expected) in [(0.5, 0.0), (0.8413, 1.0), (0.1587, -1.0), (0.9772, 2.0)] {
            assert!((quantile(share) - expected).abs() < 0.03, "{share}: {}", quantile(share));
        }
        let cut = all(&law(30_000, 100_000), 100, 1000);
        assert_eq!((cut.iter().min(), cut.iter().max()), (Some(&30_000), Some(&100_000)));
        assert_total_is_the_sum(&law(1, 1 << 20), 9, 11);
    }

    #[test]
    fn very_many_files_are_estimated() {
        let law = FileSizes::Lognormal {
            median_bytes: 1000,
            sigma: 0.5,
            smallest_bytes: 1,
            largest_bytes: 100_000,
        };
        let total = sizes(law).total(10_000, 10_000).size_bytes as f64;
        let expected = 1e8 * 1000.0 * (0.5f64 * 0.5 / 2.0).exp();
        assert!((total / expected - 1.0).abs() < 0.01, "{total} against {expected}");
    }

    #[test]
    fn the_seed_decides_draws() {
        let law = FileSizes::Lognormal {
            median_bytes: 1000,
            sigma: 1.0,
            smallest_bytes: 1,
            largest_bytes: 1_000_000,
        };
        let tree = Tree::Own {};
        let set = FileSet { clients: 1, files_per_client: 1, sizes: law, record_size_bytes: 4096, tree };
        let draw = |seed| all(&Sizes::new(&set, seed), 1, 20);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
