//! A directory of ext4: how many blocks it takes as names come and go. From its second block on it has an index by the
//! hash of names, of one level, which is enough for the directories of an ageing (at most some thousand names).

use super::name_hash::name_hash;

/// Each block ends with a checksum.
const TAIL_BYTES: usize = 12;
/// `.` and `..` as an index has them.
const DOTS_BYTES: usize = 12;

/// A name in a block, or a gap. All of a block are looked at for each name that comes or goes, so it is small.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// What the caller knows it by, or [`GAP`].
    key: u64,
    hash: u32,
    /// Bytes that the name itself takes; none in a gap.
    taken_bytes: u16,
    /// With what follows up to the next entry.
    room_bytes: u16,
}

/// The key of a gap, which no name has.
const GAP: u64 = OWN_KEY - 3;

impl Entry {
    fn new(key: u64, hash: u32, name_bytes: usize) -> Self {
        Entry { key, hash, taken_bytes: (8 + name_bytes).next_multiple_of(4) as u16, room_bytes: 0 }
    }
}

/// Entries of one block in the order of their places.
#[derive(Debug, Clone, Default)]
struct Block {
    entries: Vec<Entry>,
}

impl Block {
    /// Packed from the beginning on, with all that is left behind the last.
    fn packed(mut entries: Vec<Entry>, room_bytes: usize) -> Self {
        let mut left = room_bytes as u16;
        let count = entries.len();
        for (place, entry) in entries.iter_mut().enumerate() {
            entry.room_bytes = if place + 1 == count { left } else { entry.taken_bytes };
            left -= entry.room_bytes;
        }
        Block { entries }
    }

    /// Puts a name into the first entry with room behind it.
    fn insert(&mut self, new: Entry) -> bool {
        let needed = new.taken_bytes;
        let place = self.entries.iter().position(|entry| entry.room_bytes - entry.taken_bytes >= needed);
        place.is_some_and(|place| {
            self.insert_behind(place, new);
            true
        })
    }

    fn insert_behind(&mut self, place: usize, new: Entry) {
        let entry = &mut self.entries[place];
        let room_bytes = entry.room_bytes - entry.taken_bytes;
        if entry.key == GAP {
            *entry = Entry { room_bytes, ..new };
        } else {
            entry.room_bytes = entry.taken_bytes;
            self.entries.insert(place + 1, Entry { room_bytes, ..new });
        }
    }

    /// The entry before it takes its room; the first of a block stays as a gap.
    fn remove(&mut self, key: u64) -> bool {
        let Some(place) = self.entries.iter().position(|entry| entry.key == key) else { return false };
        if place == 0 {
            (self.entries[0].key, self.entries[0].taken_bytes) = (GAP, 0);
        } else {
            let room_bytes = self.entries.remove(place).room_bytes;
            self.entries[place - 1].room_bytes += room_bytes;
        }
        true
    }
}

/// A directory's names.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    seed: [u32; 4],
    block_bytes: usize,
    blocks: Vec<Block>,
    /// With an index: the least hash of each block, ascending, and the block. Block 0 is the index itself.
    index: Vec<(u32, usize)>,
}

/// No block for the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoBlock;

/// Keys of `.`, `..` and `lost+found`, which no file has.
const OWN_KEY: u64 = u64::MAX;

impl Directory {
    /// A new directory: `.` and `..` in its first block.
    pub(super) fn new(seed: [u32; 4], block_bytes: usize) -> Self {
        Self::with(seed, block_bytes, &[1, 2])
    }

    /// The root, as mke2fs leaves it.
    pub(super) fn root(seed: [u32; 4], block_bytes: usize) -> Self {
        Self::with(seed, block_bytes, &[1, 2, "lost+found".len()])
    }

    fn with(seed: [u32; 4], block_bytes: usize, names: &[usize]) -> Self {
        let entries = names
            .iter()
            .enumerate()
            .map(|(place, &name_bytes)| {
                let hash = if name_bytes > 2 { name_hash(b"lost+found", seed) } else { 0 };
                Entry::new(OWN_KEY - place as u64, hash, name_bytes)
            })
            .collect();
        let first = Block::packed(entries, block_bytes - TAIL_BYTES);
        Directory { seed, block_bytes, blocks: vec![first], index: Vec::new() }
    }

    /// What a block has for names.
    fn room_bytes(&self) -> usize {
        self.block_bytes - TAIL_BYTES
    }

    /// Adds a name; asks for each block that the directory grows by.
    pub(super) fn insert(
        &mut self,
        key: u64,
        name: &[u8],
        new_block: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), NoBlock> {
        let hash = name_hash(name, self.seed);
        let new = Entry::new(key, hash, name.len());
        if self.index.is_empty() {
            if self.blocks[0].insert(new) {
                return Ok(());
            }
            self.make_index(new_block)?;
            // The block of all names is full, so it is split even if the new name would fit behind the dots' room.
            return self.split(0, new, new_block);
        }
        let slot = self.slot_of(hash);
        let block = self.index[slot].1;
        if self.blocks[block].insert(new) {
            return Ok(());
        }
        self.split(slot, new, new_block)
    }

    /// Where the index names the block for a hash.
    fn slot_of(&self, hash: u32) -> usize {
        self.index.partition_point(|(least, _)| *least <= hash).saturating_sub(1)
    }

    /// The first block becomes the index; what it held but the dots goes to a second.
    fn make_index(&mut self, new_block: &mut dyn FnMut(u64) -> bool) -> Result<(), NoBlock> {
        self.append_block(new_block)?;
        let mut entries = self.blocks[0].entries.split_off(2);
        self.blocks[0].entries[1].room_bytes = (self.block_bytes - DOTS_BYTES) as u16;
        // The dots took 24 bytes, which the last name has behind it now.
        let before: u16 = entries.iter().map(|entry| entry.room_bytes).sum();
        if let Some(last) = entries.last_mut() {
            last.room_bytes += self.room_bytes() as u16 - before;
        }
        self.blocks[1] = Block { entries };
        self.index = vec![(0, 1)];
        Ok(())
    }

    /// Half of a block's names, by their hashes, go to a new block; the new name behind the last of its half.
    fn split(
        &mut self,
        slot: usize,
        new: Entry,
        new_block: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), NoBlock> {
        let second = self.append_block(new_block)?;
        let first = self.index[slot].1;
        let in_place: Vec<Entry> =
            self.blocks[first].entries.iter().copied().filter(|entry| entry.key != GAP).collect();
        let mut by_hash = in_place.clone();
        by_hash.sort_by_key(|entry| entry.hash);
        let at = place_of_split(&by_hash, self.block_bytes);
        let border = by_hash[at].hash;
        let continued = at > 0 && by_hash[at - 1].hash == border;
        let moved = by_hash.split_off(at);
        let stays = |entry: &Entry| moved.iter().all(|other| other.key != entry.key);
        let room_bytes = self.room_bytes();
        self.blocks[first] = Block::packed(in_place.into_iter().filter(stays).collect(), room_bytes);
        self.blocks[second] = Block::packed(moved, room_bytes);
        self.index.insert(slot + 1, (border + u32::from(continued), second));
        let target = &mut self.blocks[if new.hash >= border { second } else { first }];
        let last = target.entries.len().saturating_sub(1);
        target.insert_behind(last, new);
        Ok(())
    }

    fn append_block(&mut self, new_block: &mut dyn FnMut(u64) -> bool) -> Result<usize, NoBlock> {
        if !new_block(self.blocks.len() as u64) {
            return Err(NoBlock);
        }
        self.blocks.push(Block::default());
        Ok(self.blocks.len() - 1)
    }

    /// Removes a name. No block of a directory is ever given back.
    pub(super) fn remove(&mut self, key: u64, name: &[u8]) {
        let hash = name_hash(name, self.seed);
        let likely = self.index.get(self.slot_of(hash)).map_or(0, |(_, block)| *block);
        if !self.blocks[likely].remove(key) {
            // Names of one hash may lie in two blocks.
            let _ = self.blocks.iter_mut().any(|block| block.remove(key));
        }
    }
}

/// How many names stay: as many as leave less than half a block to those that go, and half of them if all are so few.
fn place_of_split(by_hash: &[Entry], block_bytes: usize) -> usize {
    let (mut size, mut goes) = (0, 0);
    for entry in by_hash.iter().rev() {
        let room_bytes = usize::from(entry.room_bytes);
        if size + room_bytes / 2 > block_bytes / 2 {
            return by_hash.len() - goes;
        }
        size += room_bytes;
        goes += 1;
    }
    by_hash.len() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks_of(names: u32, block_bytes: usize) -> usize {
        let mut directory = Directory::new([1, 2, 3, 4], block_bytes);
        let mut blocks = 1;
        for number in 0..names {
            let name = format!("f{number:04}");
            directory
                .insert(number.into(), name.as_bytes(), &mut |block| {
                    assert_eq!(block, blocks);
                    blocks += 1;
                    true
                })
                .unwrap();
        }
        assert_eq!(directory.blocks.len() as u64, blocks);
        for block in &directory.blocks[usize::from(blocks > 1)..] {
            assert_eq!(
                block.entries.iter().map(|entry| usize::from(entry.room_bytes)).sum::<usize>(),
                block_bytes - TAIL_BYTES
            );
        }
        blocks as usize
    }

    #[test]
    fn one_block_becomes_three() {
        // A name of five letters takes 16 bytes of the 4060 behind the dots.
        assert_eq!([253, 254].map(|names| blocks_of(names, 4096)), [1, 3]);
        // And 988 where a block has 1 KiB.
        assert_eq!([61, 62].map(|names| blocks_of(names, 1024)), [1, 3]);
        let many = blocks_of(1024, 4096);
        assert!((6..9).contains(&many), "{many}");
    }

    #[test]
    fn gaps_are_filled_and_blocks_stay() {
        let mut directory = Directory::root([0; 4], 4096);
        let mut asked = 0;
        for round in 0..5 {
            for number in 0..600u64 {
                let name = format!("f{number:04}");
                directory
                    .insert(number, name.as_bytes(), &mut |_| {
                        asked += 1;
                        true
                    })
                    .unwrap();
            }
            assert!(round == 0 || asked <= 6, "{asked}");
            (0..600u64).for_each(|number| directory.remove(number, format!("f{number:04}").as_bytes()));
            let left: usize =
                directory.blocks.iter().flat_map(|block| &block.entries).filter(|is| is.key != GAP).count();
            assert_eq!(left, 3);
        }
    }

    #[test]
    fn no_block_is_said_and_changes_nothing() {
        let mut directory = Directory::new([0; 4], 4096);
        for number in 0..253u64 {
            directory.insert(number, format!("f{number:04}").as_bytes(), &mut |_| false).unwrap();
        }
        assert_eq!(directory.insert(253, b"f0253", &mut |_| false), Err(NoBlock));
        directory.remove(7, b"f0007");
        assert_eq!(directory.insert(253, b"f0253", &mut |_| false), Ok(()));
    }
}
