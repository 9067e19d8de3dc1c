//! The bitmap of a group with many free runs: a bit that is set is a free block. Inodes have one as well.

const WORD: u32 = 64;

/// Free blocks of one group.
#[derive(Debug, Clone)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// All taken.
    pub(crate) fn new(length: u32) -> Self {
        Bits { words: vec![0; length.div_ceil(WORD) as usize] }
    }

    pub(crate) fn set(&mut self, start: u32, end: u32, free: bool) {
        let mut at = start;
        while at < end {
            let (word, shift) = ((at / WORD) as usize, at % WORD);
            let count = (WORD - shift).min(end - at);
            let mask = (u64::MAX >> (WORD - count)) << shift;
            if free {
                self.words[word] |= mask;
            } else {
                self.words[word] &= !mask;
            }
            at += count;
        }
    }

    /// The first free block.
    pub(crate) fn first(&self) -> Option<u32> {
        self.next(0, |word| word)
    }

    /// The first free run that ends after `from`: its start, which may be below `from`, and its end.
    pub(super) fn next_run(&self, from: u32) -> Option<(u32, u32)> {
        let at = self.next(from, |word| word)?;
        let end = self.next(at, |word| !word).unwrap_or(self.words.len() as u32 * WORD);
        Some((if at > from { at } else { self.start_of(at) }, end))
    }

    /// The first block from `from` on whose bit is set once words are seen so.
    fn next(&self, from: u32, seen: impl Fn(u64) -> u64) -> Option<u32> {
        let mut index = (from / WORD) as usize;
        let mut word = seen(*self.words.get(index)?) & (u64::MAX << (from % WORD));
        while word == 0 {
            index += 1;
            word = seen(*self.words.get(index)?);
        }
        Some(index as u32 * WORD + word.trailing_zeros())
    }

    /// Where the run of a free block begins.
    fn start_of(&self, block: u32) -> u32 {
        let mut index = (block / WORD) as usize;
        let mut taken = !self.words[index] & (u64::MAX >> (WORD - 1 - block % WORD));
        while taken == 0 {
            if index == 0 {
                return 0;
            }
            index -= 1;
            taken = !self.words[index];
        }
        index as u32 * WORD + WORD - taken.leading_zeros()
    }
}
