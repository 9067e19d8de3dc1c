//! Damage: a generator of replies as a hostile or broken server might send them, the same for the same seed.
//!
//! The budget is small where nothing is said, and `FSGAUGE_FUZZ_EXAMPLES` otherwise.

/// Numbers at which counts, lengths and offsets go wrong.
const EDGES: [u64; 14] =
    [0, 1, 2, 3, 63, 64, 65, 255, 4097, 65_535, i32::MAX as u64, u32::MAX as u64, i64::MAX as u64, u64::MAX];

/// How many examples are tried: so many, or as the environment says.
pub(crate) fn examples(usual: u64) -> u64 {
    std::env::var("FSGAUGE_FUZZ_EXAMPLES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// What becomes of a reply on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trick {
    None,
    Damaged,
    /// Its length stays as it was, and what it has does not.
    Cut,
    Twice,
    /// With the reply after it.
    Held,
    Swallowed,
    WithGarbage,
    End,
}

/// Says the number of an example whose test failed.
#[derive(Debug)]
pub(crate) struct Example(pub(crate) u64);

impl Drop for Example {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("example {} failed", self.0);
        }
    }
}

/// A source of damage.
#[derive(Debug)]
pub(crate) struct Fuzz {
    state: u64,
}

impl Fuzz {
    pub(crate) fn new(example: u64) -> Self {
        Fuzz { state: example.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    /// 64 random bits (SplitMix64).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Seven of eight replies arrive as they are: without them, nothing gets far.
    pub(crate) fn trick(&mut self) -> Trick {
        if !self.one_in(8) {
            return Trick::None;
        }
        match self.below(16) {
            0 => Trick::Cut,
            1..4 => Trick::Twice,
            4..6 => Trick::Held,
            6 => Trick::Swallowed,
            7 => Trick::WithGarbage,
            8 => Trick::End,
            _ => Trick::Damaged,
        }
    }

    /// Changes one to four places; `is_little` says in which order numbers lie.
    pub(crate) fn damage(&mut self, bytes: &mut Vec<u8>, is_little: bool) {
        for _ in 0..1 + self.below(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(10) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = self.next() as u8,
                2 => bytes.truncate(at),
                3 => bytes.extend(vec![0; self.below(300)]),
                4 => {
                    let end = (at + 1 + self.below(64)).min(bytes.len());
                    let again = bytes[at..end].to_vec();
                    bytes.splice(at..at, again);
                }
                _ => self.put_number(bytes, at, is_little),
            }
        }
    }

    /// Where numbers lie: on multiples of two, four or eight.
    fn put_number(&mut self, bytes: &mut [u8], at: usize, is_little: bool) {
        let width = [2, 4, 4, 8][self.below(4)];
        let edge = EDGES[self.below(EDGES.len())].wrapping_add(self.below(3) as u64).wrapping_sub(1);
        let at = at / width * width;
        let mut number = edge.to_le_bytes()[..width].to_vec();
        if !is_little {
            number.reverse();
        }
        let end = (at + width).min(bytes.len());
        bytes[at..end].copy_from_slice(&number[..end - at]);
    }

    pub(crate) fn garbage(&mut self, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.below(most)];
        bytes.fill_with(|| self.next() as u8);
        bytes
    }
}
