//! The hash of a name in a directory of ext4: MD4 with half of its rounds' inputs, from a seed of the file system.

const START: [u32; 4] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
/// The end of the order of hashes, which no name has.
const END: u32 = 0x7FFF_FFFF << 1;

/// Constants, order of the words, and turns of the three rounds of MD4, for eight words.
const ROUNDS: [(u32, [usize; 8], [u32; 4]); 3] = [
    (0, [0, 1, 2, 3, 4, 5, 6, 7], [3, 7, 11, 19]),
    (0x5A82_7999, [1, 3, 5, 7, 0, 2, 4, 6], [3, 5, 9, 13]),
    (0x6ED9_EBA1, [3, 7, 2, 6, 1, 5, 0, 4], [3, 9, 11, 15]),
];

/// The hash that orders names in an indexed directory (half_md4), of a name of ASCII letters.
pub(super) fn name_hash(name: &[u8], seed: [u32; 4]) -> u32 {
    let mut state = if seed == [0; 4] { START } else { seed };
    let mut rest = name;
    loop {
        mix(&mut state, words(rest));
        match rest.get(32..) {
            Some(more) if !more.is_empty() => rest = more,
            _ => break,
        }
    }
    let hash = state[1] & !1;
    if hash == END { END - 2 } else { hash }
}

/// Up to 32 letters as eight words, the first letter of four the most significant; the length fills what is left.
fn words(name: &[u8]) -> [u32; 8] {
    let length = name.len() as u32;
    let pad = length | length << 8;
    let pad = pad | pad << 16;
    let mut words = [pad; 8];
    for (word, letters) in words.iter_mut().zip(name[..name.len().min(32)].chunks(4)) {
        *word = letters.iter().fold(pad, |word, &letter| (word << 8).wrapping_add(u32::from(letter)));
    }
    words
}

fn mix(state: &mut [u32; 4], input: [u32; 8]) {
    let mut now = *state;
    for (round, (constant, order, turns)) in ROUNDS.into_iter().enumerate() {
        for (step, word) in order.into_iter().enumerate() {
            let [a, b, c, d] = now;
            let chosen = match round {
                0 => d ^ (b & (c ^ d)),
                1 => (b & c).wrapping_add((b ^ c) & d),
                _ => b ^ c ^ d,
            };
            let sum = a.wrapping_add(chosen).wrapping_add(input[word]).wrapping_add(constant);
            now = [d, sum.rotate_left(turns[step % 4]), b, c];
        }
    }
    // After eight steps, which is twice round, every word is in its place again.
    state.iter_mut().zip(now).for_each(|(word, new)| *word = word.wrapping_add(new));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of debugfs 1.47 (dx_hash -h half_md4), once without a seed and once with one.
    #[test]
    fn it_is_the_hash_of_debugfs() {
        let seed = [0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0x100F_0E0D];
        for (name, without, with) in DEBUGFS {
            assert_eq!(name_hash(name.as_bytes(), [0; 4]), without, "{name}");
            assert_eq!(name_hash(name.as_bytes(), seed), with, "{name}");
        }
    }

    const DEBUGFS: [(&str, u32, u32); 5] = [
        ("d0000", 0x4AB9_9516, 0x0787_74C0),
        ("f0000", 0x2E9D_9EFE, 0xA43B_7F50),
        ("f4294967295", 0x3AA5_311C, 0xD87A_DB4E),
        ("a", 0xD5FA_7D7A, 0x8D08_EC4C),
        ("abcdefghijklmnopqrstuvwxyz0123456789", 0x97C6_9942, 0xCD31_34D6),
    ];
}
