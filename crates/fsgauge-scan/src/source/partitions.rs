//! Partition tables: where each partition lies, and what is in it.
//!
//! Source: UEFI specification 2.10, chapter 5 (GPT); the table of four entries at byte 446 of the first sector, whose
//! extended partitions hold a chain of further ones (MBR).

use std::path::PathBuf;

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
/// The entry of an MBR that stands for a GPT: its only one, but for a hybrid MBR.
const PROTECTIVE: u8 = 0xee;

#[derive(Debug, Clone, Copy)]
struct Partition {
    number: u64,
    offset_bytes: u64,
    size_bytes: u64,
}

/// Refuses a disk that is parted.
pub(super) fn refuse(image: &Image) -> Result<(), Failure> {
    match at_begin(image).filter(is_listed).or_else(|| copy(image)).or_else(|| at_begin(image)) {
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

/// As the kernel takes it. An MBR with partitions and no entry for a GPT counts, and a GPT is left from before; where it
/// has one, of partitions in both the GPT's count, or its copy's where the first is broken.
fn at_begin(image: &Image) -> Option<Vec<Partition>> {
    let (listed, stands_for_gpt) = mbr(image).unzip();
    if stands_for_gpt == Some(false) && listed.as_ref().is_some_and(is_listed) {
        return listed;
    }
    let first = SECTORS.into_iter().find_map(|sector| gpt(image, sector, sector));
    let is_gpt = first.is_some() || stands_for_gpt == Some(true);
    let copied = || is_gpt.then(|| copy(image)).flatten().filter(is_listed);
    first.clone().filter(is_listed).or_else(copied).or(listed).or(first)
}

fn is_listed(found: &impl AsRef<[Partition]>) -> bool {
    !found.as_ref().is_empty()
}

/// The copy of a GPT, at the end.
fn copy(image: &Image) -> Option<Vec<Partition>> {
    SECTORS.into_iter().find_map(|sector| gpt(image, last_sector(image, sector)?, sector))
}

fn last_sector(image: &Image, sector: u64) -> Option<u64> {
    (image.size_bytes() / sector).checked_sub(1)?.checked_mul(sector)
}

fn bytes<const N: usize>(image: &Image, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (image.read(at, &mut bytes, &mut Problems::new(), "partition table") == N).then_some(bytes)
}

/// The table whose header is there; one without partitions, or with a broken header, is empty.
fn gpt(image: &Image, at: u64, sector: u64) -> Option<Vec<Partition>> {
    let header = bytes::<512>(image, at).filter(|header| header.get(..8) == Some(b"EFI PART"))?;
    if !is_sound(&header) {
        return Some(Vec::new());
    }
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

/// Whether a header is as its sum says, which is over the header with zeros in place of the sum.
fn is_sound(header: &[u8; 512]) -> bool {
    let length = header.le32(12).unwrap_or(0) as usize;
    let bytes = (0..).zip(header).map(|(at, byte)| if matches!(at, 16..20) { 0 } else { *byte });
    (92..=512).contains(&length) && header.le32(16) == Some(crc32(bytes.take(length)))
}

/// CRC-32 as in Ethernet.
fn crc32(bytes: impl Iterator<Item = u8>) -> u32 {
    let shifted = |crc: u32, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    !bytes.fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), shifted))
}

/// An entry of an MBR: its type, where it begins and how long it is, in sectors.
type Entry = (u8, u64, u64);

/// The partitions, and whether one entry stands for a GPT. A boot sector of a file system ends alike: entries must make
/// sense.
fn mbr(image: &Image) -> Option<(Vec<Partition>, bool)> {
    let sector: [u8; 512] = bytes(image, 0)?;
    let entries = entries(&sector)?;
    // Without an entry it is a table only where nothing else is in the sector but the disk's number.
    if entries.is_empty() {
        let is_blank = sector.get(..440)?.iter().all(|byte| *byte == 0) && sector.le32(440)? != 0;
        return is_blank.then_some((Vec::new(), false));
    }
    let (mut found, mut stands_for_gpt) = (Vec::new(), false);
    for (number, (kind, first, length)) in entries {
        match kind {
            PROTECTIVE => stands_for_gpt = true,
            _ if EXTENDED.contains(&kind) => logical(image, first, &mut found),
            _ => found.push(partition(number, first, length)),
        }
    }
    found.sort_by_key(|partition| partition.number);
    Some((found, stands_for_gpt))
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
    // Of a loop device without --partscan, or by another name, there are none.
    let node = |number: u64| {
        let disk = image.path().to_string_lossy();
        let between = if disk.ends_with(|letter: char| letter.is_ascii_digit()) { "p" } else { "" };
        let node = PathBuf::from(format!("{disk}{between}{number}"));
        (image.is_device() && node.exists()).then_some(node)
    };
    let next = match chosen.map(|partition| (partition, node(partition.number))) {
        None => format!("fdisk -l {word}"),
        Some((_, Some(node))) => format!("fsgauge scan {}", quoted(&node)),
        Some((Partition { offset_bytes, size_bytes, .. }, None)) => {
            format!(
                "fsgauge scan \"$(losetup --find --show --read-only --offset {offset_bytes} --sizelimit {size_bytes} {word})\""
            )
        }
    };
    let what =
        format!("{} holds a partition table, and a partition is what can be scanned", shown(image.path()));
    Failure::job("partition_table", what, cause, next)
}
