//! What `btrfs inspect-internal dump-tree` says of an image.

use super::{Made, run};

/// A chunk by `dump-tree`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    pub address: u64,
    pub length: u64,
    pub kind: String,
    pub copies: Vec<u64>,
}

impl Chunk {
    pub fn holds_data(&self) -> bool {
        self.kind.split('|').any(|kind| kind == "DATA")
    }
}

pub fn dump(made: &Made, tree: &str) -> String {
    run("btrfs", &["inspect-internal", "dump-tree", "-t", tree, made.image.to_str().unwrap()])
}

/// The number behind a word of a line.
pub fn after(line: &str, word: &str) -> u64 {
    let rest = line.split_once(word).unwrap_or_else(|| panic!("no {word:?} in {line:?}")).1;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// Key of a line like `item 3 key (13631488 EXTENT_ITEM 8192) itemoff ...`.
pub fn key<'a>(line: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    let (_, key) = line.trim().strip_prefix("item ")?.split_once("key (")?;
    let mut parts = key.split_once(')')?.0.split(' ');
    let (object, found, offset) = (parts.next()?, parts.next()?, parts.next()?);
    (found == kind).then_some((object, offset))
}

pub fn chunks_by_dump(made: &Made) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for line in dump(made, "chunk").lines() {
        if let Some((_, address)) = key(line, "CHUNK_ITEM") {
            let address = address.parse().unwrap();
            chunks.push(Chunk { address, length: 0, kind: String::new(), copies: Vec::new() });
        } else if let Some(chunk) = chunks.last_mut() {
            if line.contains("length") && line.contains("owner") {
                chunk.length = after(line, "length");
                chunk.kind = line.rsplit(' ').next().unwrap().to_owned();
            } else if line.contains("stripe ") && line.contains("offset") {
                chunk.copies.push(after(line, "offset"));
            }
        }
    }
    assert!(chunks.len() >= 2, "{chunks:?}");
    chunks
}

/// Where the copies of what is at an address lie on the device.
pub fn places_of(address: u64, chunks: &[Chunk]) -> Vec<u64> {
    let chunk = chunks.iter().find(|c| (c.address..c.address + c.length).contains(&address)).unwrap();
    chunk.copies.iter().map(|copy| copy + (address - chunk.address)).collect()
}

/// Addresses of the leaves and nodes that a dump shows.
pub fn blocks(dump: &str, kind: &str) -> Vec<u64> {
    let begin = format!("{kind} ");
    let lines = dump.lines().filter(|line| line.starts_with(&begin) && line.contains(" items "));
    lines.map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect()
}
