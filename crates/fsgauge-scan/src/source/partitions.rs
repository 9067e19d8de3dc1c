//! Partition tables: where each partition lies, and what is in it.
//!
//! Source: UEFI specification 2.10, chapter 5 (GPT); the table of four entries at byte 446 of the first sector, whose
//! extended partitions hold a chain of further ones (MBR).

use fsgauge_wire::Failure;

use super::signatures::{self, Known};
use crate::bytes::Bytes;
use crate::shown::{quoted, shown};
use crate::{Image, Problems};

const SECTORS: [u64; 2] = [512, 4096];
/// Entries of a GPT that are read, tables of logical partitions that are followed, and partitions that are named.
const ENTRIES: u64 = 128;
const LOGICAL: u64 = 128;
const NAMED: usize = 8;
const EXTENDED: [u8; 3] = [0x05, 0x0f, 0x85];
/// The one entry of an MBR that stands for a GPT.
const PROTECTIVE: u8 = 0xee;

#[derive(Debug, Clone, Copy)]
struct Partition {
    number: u64,
    offset_bytes: u64,
    size_bytes: u64,
}

/// Refuses a disk that is parted.
pub(super) fn refuse(image: &Image) -> Result<(), Failure> {
    let copy = || SECTORS.into_iter().find_map(|sector| gpt(image, last_sector(image, sector)?, sector));
    match at_begin(image).filter(|found| !found.is_empty()).or_else(copy).or_else(|| at_begin(image)) {
        Some(found) => Err(refusal(image, &found)),
        None => Ok(()),
    }
}

/// The same where a partition can be scanned: a superblock in front of it is left from before. Who makes a file system
/// on the whole disk overwrites the table.
pub(super) fn refuse_filled(image: &Image) -> Result<(), Failure> {
    let is_read_here = |partition: &Partition| signatures::known_at(image, partition.offset_bytes).rank == 0;
    match at_begin(image).filter(|found| found.iter().any(is_read_here)) {
        Some(found) => Err(refusal(image, &found)),
        None => Ok(()),
    }
}

fn at_begin(image: &Image) -> Option<Vec<Partition>> {
    SECTORS.into_iter().find_map(|sector| gpt(image, sector, sector)).or_else(|| mbr(image))
}

fn last_sector(image: &Image, sector: u64) -> Option<u64> {
    (image.size_bytes() / sector).checked_sub(1)?.checked_mul(sector)
}

fn bytes<const N: usize>(image: &Image, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (image.read(at, &mut bytes, &mut Problems::new(), "partition table") == N).then_some(bytes)
}

/// The table whose header is there; one without partitions is empty.
fn gpt(image: &Image, at: u64, sector: u64) -> Option<Vec<Partition>> {
    let header = bytes::<92>(image, at).filter(|header| header.get(..8) == Some(b"EFI PART"))?;
    let (table, entries) = (header.le64(72)?.checked_mul(sector)?, u64::from(header.le32(80)?).min(ENTRIES));
    let entry_bytes = u64::from(header.le32(84)?);
    let partition = |index: u64| {
        let entry: [u8; 48] = bytes(image, table.checked_add(index.checked_mul(entry_bytes)?)?)?;
        entry.get(..16)?.iter().any(|byte| *byte != 0).then_some(())?;
        let (first, last) = (entry.le64(32)?, entry.le64(40)?);
        Some(Partition {
            number: index + 1,
            offset_bytes: first.checked_mul(sector)?,
            size_bytes: last.checked_add(1)?.checked_sub(first)?.checked_mul(sector)?,
        })
    };
    Some((0..entries).filter_map(partition).collect())
}

/// An entry of an MBR: its type, where it begins and how long it is, in sectors.
type Entry = (u8, u64, u64);

/// A boot sector of a file system ends alike: entries must make sense.
fn mbr(image: &Image) -> Option<Vec<Partition>> {
    let sector: [u8; 512] = bytes(image, 0)?;
    let entries = entries(&sector)?;
    // Without an entry it is a table only where nothing else is in the sector but the disk's number.
    if entries.is_empty() {
        let is_blank = sector.get(..440)?.iter().all(|byte| *byte == 0) && sector.le32(440)? != 0;
        return is_blank.then(Vec::new);
    }
    let mut found = Vec::new();
    for (number, (kind, first, length)) in entries {
        match kind {
            // Both headers of the GPT are lost.
            PROTECTIVE => {}
            _ if EXTENDED.contains(&kind) => logical(image, first, &mut found),
            _ => found.push(partition(number, first, length)),
        }
    }
    found.sort_by_key(|partition| partition.number);
    Some(found)
}

fn partition(number: u64, first: u64, length: u64) -> Partition {
    Partition { number, offset_bytes: first * 512, size_bytes: length * 512 }
}

/// The entries that are used, with their numbers; `None` where it is no table.
fn entries(sector: &[u8; 512]) -> Option<Vec<(u64, Entry)>> {
    let mut found = Vec::new();
    (sector.get(510..) == Some(&[0x55, 0xaa])).then_some(())?;
    for (number, entry) in (1..).zip(sector.get(446..510)?.chunks_exact(16)) {
        let (state, kind) = (entry.u8(0)?, entry.u8(4)?);
        let (first, length) = (u64::from(entry.le32(8)?), u64::from(entry.le32(12)?));
        match (kind, state) {
            (0, _) => {}
            (_, 0 | 0x80) if first > 0 && length > 0 => found.push((number, (kind, first, length))),
            _ => return None,
        }
    }
    Some(found)
}

/// Each table of the chain has a partition, which begins behind the table, and the next table, which begins behind the
/// extended partition's begin.
fn logical(image: &Image, extended: u64, found: &mut Vec<Partition>) {
    let (mut table, mut number) = (extended, 5);
    for _ in 0..LOGICAL {
        let Some(entries) = bytes::<512>(image, table.saturating_mul(512)).and_then(|read| entries(&read))
        else {
            return;
        };
        let mut next = None;
        for (_, (kind, first, length)) in entries {
            if EXTENDED.contains(&kind) {
                next = Some(extended + first);
            } else {
                found.push(partition(number, table + first, length));
                number += 1;
            }
        }
        // A chain leads on, or it is a circle.
        match next.filter(|next| *next > table) {
            Some(next) => table = next,
            None => return,
        }
    }
}

fn refusal(image: &Image, found: &[Partition]) -> Failure {
    let known: Vec<Known> =
        found.iter().map(|partition| signatures::known_at(image, partition.offset_bytes)).collect();
    let named: Vec<String> = found
        .iter()
        .zip(&known)
        .take(NAMED)
        .map(|(Partition { number, offset_bytes, .. }, known)| {
            format!("partition {number} at byte {offset_bytes} holds {}", known.name)
        })
        .collect();
    let more =
        if found.len() > NAMED { format!(", and {} more", found.len() - NAMED) } else { String::new() };
    let cause = if named.is_empty() {
        "no partition is in it, or its list is lost".to_owned()
    } else {
        named.join(", ") + &more
    };
    // What can be scanned first, then what can be opened or put together.
    let chosen = found.iter().zip(&known).min_by_key(|(_, known)| known.rank).map(|(found, _)| found);
    let word = quoted(image.path());
    let ends_in_digit = word.trim_end_matches('\'').ends_with(|letter: char| letter.is_ascii_digit());
    let next = match chosen {
        None => format!("fdisk -l {word}"),
        Some(Partition { number, .. }) if image.is_device() => {
            format!("fsgauge scan {word}{}{number}", if ends_in_digit { "p" } else { "" })
        }
        Some(Partition { offset_bytes, size_bytes, .. }) => {
            format!(
                "fsgauge scan \"$(losetup --find --show --read-only --offset {offset_bytes} --sizelimit {size_bytes} {word})\""
            )
        }
    };
    let what =
        format!("{} holds a partition table, and a partition is what can be scanned", shown(image.path()));
    Failure::job("partition_table", what, cause, next)
}
