//! Latency histograms: log-linear, integer, merged by addition.
//!
//! A value below 64 ns has a bucket of its own; above, each octave has 64 equal buckets, so the middle of a
//! bucket is within 1/128 (0.8 %) of every value in it. The whole range of u64 fits: nothing overflows.
//! The scheme is fio's (stat.h, FIO_IO_U_PLAT_BITS 6) and HdrHistogram's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// log2 of the buckets in an octave.
pub const SUB_BUCKET_BITS: u32 = 6;
/// How many buckets cover every u64.
pub const BUCKETS: usize = bucket_index(u64::MAX) + 1;

/// The bucket that holds `value_ns`: no branch, no division.
#[inline]
pub const fn bucket_index(value_ns: u64) -> usize {
    let shift = 63 - SUB_BUCKET_BITS - (value_ns | (1 << SUB_BUCKET_BITS)).leading_zeros();
    ((shift as usize) << SUB_BUCKET_BITS) + (value_ns >> shift) as usize
}

/// The lowest value of a bucket, in nanoseconds.
pub const fn bucket_lowest(index: usize) -> u64 {
    let octave = index >> SUB_BUCKET_BITS;
    if octave < 2 {
        return index as u64;
    }
    let within = (index & ((1 << SUB_BUCKET_BITS) - 1)) as u64;
    (within + (1 << SUB_BUCKET_BITS)) << (octave - 1)
}

/// How many values share a bucket, in nanoseconds.
pub const fn bucket_width(index: usize) -> u64 {
    let octave = index >> SUB_BUCKET_BITS;
    if octave < 2 { 1 } else { 1 << (octave - 1) }
}

/// A histogram as it crosses the wire: sparse, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// log2 of the buckets in an octave: 6.
    pub sub_bucket_bits: u32,
    /// [bucket index, operations] of every bucket that is not empty, ascending.
    pub counts: Vec<(u32, u64)>,
    /// Sum of the counts.
    pub operations: u64,
    /// Exact sum of the latencies.
    pub sum_ns: u64,
    /// Exact smallest latency; 0 when there is none.
    pub min_ns: u64,
    /// Exact largest latency; 0 when there is none.
    pub max_ns: u64,
}

/// A histogram while it is filled: dense, 30 KiB, allocated once.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "Histogram", try_from = "Histogram")]
pub struct Recorder {
    counts: Box<[u64; BUCKETS]>,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Recorder {
    fn default() -> Self {
        let counts = vec![0; BUCKETS].into_boxed_slice();
        let counts = counts.try_into().expect("as many counts as buckets");
        Recorder { counts, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Recorder {
    /// Adds `operations` operations that each took `latency_ns`.
    #[inline]
    pub fn record(&mut self, latency_ns: u64, operations: u64) {
        self.counts[bucket_index(latency_ns)] += operations;
        self.sum_ns += latency_ns * operations;
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Adds everything that another histogram holds.
    pub fn merge(&mut self, other: &Recorder) {
        for (count, more) in self.counts.iter_mut().zip(other.counts.iter()) {
            *count += more;
        }
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        (self.sum_ns, self.min_ns, self.max_ns) = (0, u64::MAX, 0);
    }

    /// Exact sum of the latencies so far.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// The histogram as it crosses the wire.
    pub fn to_histogram(&self) -> Histogram {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let counts: Vec<(u32, u64)> = filled.map(|(index, count)| (index as u32, *count)).collect();
        let operations = counts.iter().map(|(_, count)| count).sum();
        let min_ns = if operations == 0 { 0 } else { self.min_ns };
        let (sum_ns, max_ns) = (self.sum_ns, self.max_ns);
        Histogram { sub_bucket_bits: SUB_BUCKET_BITS, counts, operations, sum_ns, min_ns, max_ns }
    }
}

impl From<Recorder> for Histogram {
    fn from(recorder: Recorder) -> Self {
        recorder.to_histogram()
    }
}

impl TryFrom<Histogram> for Recorder {
    type Error = String;

    /// Fails where the histogram is of another scheme.
    fn try_from(histogram: Histogram) -> Result<Self, String> {
        let mut recorder = Recorder::default();
        if histogram.sub_bucket_bits != SUB_BUCKET_BITS {
            return Err(format!("sub_bucket_bits is {}", histogram.sub_bucket_bits));
        }
        for (index, count) in &histogram.counts {
            let slot = recorder.counts.get_mut(*index as usize);
            *slot.ok_or_else(|| format!("there is no bucket {index}"))? += count;
        }
        if histogram.operations > 0 {
            (recorder.sum_ns, recorder.min_ns, recorder.max_ns) =
                (histogram.sum_ns, histogram.min_ns, histogram.max_ns);
        }
        Ok(recorder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around every power of two, where log-linear indexing goes wrong if it does.
    fn values() -> impl Iterator<Item = u64> {
        let edges = (0..64).flat_map(|bit| {
            let edge = 1u64 << bit;
            [edge.wrapping_sub(1), edge, edge + 1, edge + edge / 3, edge | (edge >> 1)]
        });
        (0..5000).chain(edges).chain([u64::MAX])
    }

    #[test]
    fn a_value_lies_in_its_bucket() {
        for value in values() {
            let index = bucket_index(value);
            let lowest = bucket_lowest(index);
            assert!(lowest <= value && value - lowest < bucket_width(index), "{value} in bucket {index}");
        }
    }

    #[test]
    fn the_middle_of_a_bucket_is_within_one_percent() {
        for value in values().filter(|value| *value > 0) {
            let index = bucket_index(value);
            let middle = bucket_lowest(index) as f64 + (bucket_width(index) - 1) as f64 / 2.0;
            assert!((middle - value as f64).abs() / (value as f64) < 0.01, "{value} against {middle}");
        }
    }

    #[test]
    fn buckets_touch_and_never_overlap() {
        for index in 0..BUCKETS - 1 {
            assert_eq!(
                bucket_lowest(index) + bucket_width(index),
                bucket_lowest(index + 1),
                "bucket {index}"
            );
        }
    }

    #[test]
    fn merging_is_addition() {
        let (mut left, mut right, mut both) = (Recorder::default(), Recorder::default(), Recorder::default());
        for value in values().map(|value| value >> 8) {
            let side = if value % 3 == 0 { &mut left } else { &mut right };
            side.record(value, 2);
            both.record(value, 2);
        }
        left.merge(&right);
        assert_eq!(left.to_histogram(), both.to_histogram());
    }

    #[test]
    fn a_histogram_that_crossed_the_wire_goes_on_as_before() {
        let mut recorder = Recorder::default();
        let empty = Recorder::try_from(recorder.to_histogram()).unwrap();
        assert_eq!(empty.min_ns, u64::MAX);
        values().for_each(|value| recorder.record(value >> 8, 3));
        let text = serde_json::to_string(&recorder).unwrap();
        let mut again: Recorder = serde_json::from_str(&text).unwrap();
        assert_eq!(again.to_histogram(), recorder.to_histogram());
        again.merge(&empty);
        assert_eq!(again.to_histogram(), recorder.to_histogram());
    }

    #[test]
    fn a_histogram_of_another_scheme_is_refused() {
        let mut histogram = Recorder::default().to_histogram();
        histogram.counts.push((BUCKETS as u32, 1));
        assert!(Recorder::try_from(histogram.clone()).unwrap_err().contains("no bucket"));
        histogram.sub_bucket_bits = 5;
        assert!(Recorder::try_from(histogram).is_err());
    }

    #[test]
    fn an_empty_histogram_has_no_minimum() {
        let mut recorder = Recorder::default();
        recorder.record(70, 3);
        assert_eq!(recorder.to_histogram().counts, [(bucket_index(70) as u32, 3)]);
        recorder.clear();
        let empty = recorder.to_histogram();
        assert_eq!((empty.operations, empty.min_ns, empty.max_ns, empty.counts.len()), (0, 0, 0, 0));
    }
}
