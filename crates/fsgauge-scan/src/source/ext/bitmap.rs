//! Zeros of a bitmap: their runs and their number.

use crate::bytes::Bytes;

/// Calls `each` with the first bit and the length of every run of zeros among the first `bits` bits.
/// Bits beyond the bytes count as ones.
pub(super) fn zero_runs(bitmap: &[u8], bits: u64, mut each: impl FnMut(u64, u64)) {
    let bits = bits.min(bitmap.len() as u64 * 8);
    let mut at = 0;
    while at < bits {
        let start = find(bitmap, at, bits, false);
        if start >= bits {
            return;
        }
        at = find(bitmap, start, bits, true);
        each(start, at - start);
    }
}

/// How many of the first `bits` bits are zeros. Bits beyond the bytes count as ones.
pub(super) fn zeros(bitmap: &[u8], bits: u64) -> u64 {
    let bits = bits.min(bitmap.len() as u64 * 8);
    let whole: u64 = (0..bits / 64).map(|index| u64::from(word(bitmap, index).count_zeros())).sum();
    let rest = word(bitmap, bits / 64) | u64::MAX << (bits % 64);
    whole + u64::from(rest.count_zeros())
}

/// The first bit from `from` on that is `wanted`; `bits` when there is none.
fn find(bitmap: &[u8], from: u64, bits: u64, wanted: bool) -> u64 {
    let mut at = from;
    while at < bits {
        let word = word(bitmap, at / 64);
        let word = (if wanted { word } else { !word }) & (u64::MAX << (at % 64));
        if word != 0 {
            return (at / 64 * 64 + u64::from(word.trailing_zeros())).min(bits);
        }
        at = (at / 64 + 1) * 64;
    }
    bits
}

fn word(bitmap: &[u8], index: u64) -> u64 {
    let at = index as usize * 8;
    bitmap.le64(at).unwrap_or_else(|| {
        let rest = bitmap.get(at..).unwrap_or(&[]);
        rest.iter().take(8).enumerate().fold(0, |word, (i, &byte)| word | u64::from(byte) << (8 * i))
    })
}

#[cfg(test)]
mod tests {
    use super::{zero_runs, zeros};

    #[test]
    fn runs_are_those_that_a_look_at_each_bit_finds() {
        let mut state = 1u64;
        for case in 0..500 {
            let length = case % 37 + 1;
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    match state >> 61 {
                        0..=2 => 0,
                        3..=5 => 0xFF,
                        _ => (state >> 40) as u8,
                    }
                })
                .collect();
            let bits = length as u64 * 8 - case as u64 % 8;
            let (mut slow, mut run) = (Vec::new(), 0);
            for bit in 0..=bits {
                let used = bit == bits || bytes[bit as usize / 8] >> (bit % 8) & 1 == 1;
                if !used {
                    run += 1;
                } else if run > 0 {
                    slow.push((bit - run, run));
                    run = 0;
                }
            }
            let mut fast = Vec::new();
            zero_runs(&bytes, bits, |start, length| fast.push((start, length)));
            assert_eq!(fast, slow, "case {case}");
            assert_eq!(zeros(&bytes, bits), slow.iter().map(|run| run.1).sum::<u64>(), "case {case}");
        }
    }

    #[test]
    fn bits_beyond_the_bytes_are_used() {
        let mut runs = Vec::new();
        zero_runs(&[0xF0], 1000, |start, length| runs.push((start, length)));
        assert_eq!(runs, [(0, 4)]);
        assert_eq!((zeros(&[0xF0], 1000), zeros(&[0; 16], 1000)), (4, 128));
    }
}
