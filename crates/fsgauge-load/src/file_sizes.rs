//! The law by which files of a set get their sizes.

use std::f64::consts::TAU;

use fsgauge_wire::FileSizes;

use crate::random::Random;

/// A law of sizes, ready to be asked.
#[derive(Debug, Clone)]
pub struct SizeLaw {
    law: Law,
}

#[derive(Debug, Clone)]
enum Law {
    Cycle { sizes_bytes: Vec<u64> },
    Weighted { total: u64, shares: Vec<Share> },
    Lognormal { median_bytes: f64, sigma: f64, smallest_bytes: u64, largest_bytes: u64 },
}

/// Draws below `end` that are not below the one's before have this size.
#[derive(Debug, Clone, Copy)]
struct Share {
    end: u64,
    size_bytes: u64,
}

impl SizeLaw {
    /// Of sizes that have been checked: none is empty, and no weight is 0.
    pub fn new(sizes: &FileSizes) -> Self {
        let law = match sizes {
            FileSizes::Cycle { sizes_bytes } => Law::Cycle { sizes_bytes: sizes_bytes.clone() },
            FileSizes::Weighted { sizes } => {
                let mut total = 0;
                let shares = sizes.iter().map(|size| {
                    total += u64::from(size.weight);
                    Share { end: total, size_bytes: size.size_bytes }
                });
                let shares = shares.collect();
                Law::Weighted { total, shares }
            }
            FileSizes::Lognormal { median_bytes, sigma, smallest_bytes, largest_bytes } => Law::Lognormal {
                median_bytes: *median_bytes as f64,
                sigma: *sigma,
                smallest_bytes: *smallest_bytes,
                largest_bytes: *largest_bytes,
            },
        };
        SizeLaw { law }
    }

    /// The size of a file: of a cycle the one whose turn it is, else drawn from the file's own `random`.
    pub fn size_bytes(&self, turn: u64, random: impl FnOnce() -> Random) -> u64 {
        match &self.law {
            Law::Cycle { sizes_bytes } => sizes_bytes[(turn % sizes_bytes.len() as u64) as usize],
            Law::Weighted { total, shares } => {
                let draw = ((u128::from(random().next()) * u128::from(*total)) >> 64) as u64;
                shares[shares.partition_point(|share| share.end <= draw)].size_bytes
            }
            Law::Lognormal { median_bytes, sigma, smallest_bytes, largest_bytes } => {
                let drawn = median_bytes * (sigma * normal(&mut random())).exp();
                (drawn.round() as u64).clamp(*smallest_bytes, *largest_bytes)
            }
        }
    }

    /// The sizes, where all are used equally often, in turn.
    pub fn cycle(&self) -> Option<&[u64]> {
        match &self.law {
            Law::Cycle { sizes_bytes } => Some(sizes_bytes),
            Law::Weighted { .. } | Law::Lognormal { .. } => None,
        }
    }
}

/// A draw from the standard normal distribution (Box and Muller 1958).
pub(crate) fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * random.fraction().ln()).sqrt();
    radius * (TAU * random.fraction()).cos()
}
