//! Partition tables: where each partition begins, and what is in it.
//!
//! Source: UEFI specification 2.10, chapter 5 (GPT); the table of four entries at byte 446 of the first sector (MBR).

use fsgauge_wire::Failure;

use super::signatures;
use crate::bytes::Bytes;
use crate::shown::{quoted, shown};
use crate::{Image, Problems};

const SECTORS: [u64; 2] = [512, 4096];
/// Entries of a GPT that are read, and partitions that are named.
const ENTRIES: u64 = 128;
const NAMED: usize = 8;

/// A partition: its number, and where it begins.
type Partition = (u64, u64);

/// Refuses a disk that is parted.
pub(super) fn refuse(image: &Image) -> Result<(), Failure> {
    read(image).map_or(Ok(()), |found| Err(refusal(image, &found)))
}

/// `None` where there is no table; one without partitions is empty.
fn read(image: &Image) -> Option<Vec<Partition>> {
    gpt(image).or_else(|| mbr(image))
}

fn bytes<const N: usize>(image: &Image, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (image.read(at, &mut bytes, &mut Problems::new(), "partition table") == N).then_some(bytes)
}

fn gpt(image: &Image) -> Option<Vec<Partition>> {
    SECTORS.into_iter().find_map(|sector| {
        let header: [u8; 92] = bytes(image, sector)?;
        if header.get(..8) != Some(b"EFI PART") {
            return None;
        }
        let (table, entries) =
            (header.le64(72)?.checked_mul(sector)?, u64::from(header.le32(80)?).min(ENTRIES));
        let entry_bytes = u64::from(header.le32(84)?);
        let partition = |number: u64| {
            let entry: [u8; 48] = bytes(image, table.checked_add(number.checked_mul(entry_bytes)?)?)?;
            let is_used = entry.get(..16)?.iter().any(|byte| *byte != 0);
            is_used.then_some(())?;
            Some((number + 1, entry.le64(32)?.checked_mul(sector)?))
        };
        Some((0..entries).filter_map(partition).collect())
    })
}

/// A boot sector of a file system ends alike: entries must make sense.
fn mbr(image: &Image) -> Option<Vec<Partition>> {
    let sector: [u8; 512] = bytes(image, 0)?;
    let has_mark = sector.get(510..) == Some(&[0x55, 0xaa]);
    let mut found = Vec::new();
    for (number, entry) in (1..).zip(sector.get(446..510).filter(|_| has_mark)?.chunks_exact(16)) {
        let (state, kind) = (entry.u8(0)?, entry.u8(4)?);
        let (begin, length) = (u64::from(entry.le32(8)?), u64::from(entry.le32(12)?));
        match (kind, state) {
            (0, _) => {}
            (_, 0 | 0x80) if begin > 0 && length > 0 => found.push((number, begin * 512)),
            _ => return None,
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

fn refusal(image: &Image, found: &[Partition]) -> Failure {
    let named: Vec<String> = found
        .iter()
        .take(NAMED)
        .map(|&(number, offset)| {
            let name = signatures::name_at(image, offset).unwrap_or("nothing that is known");
            format!("partition {number} at byte {offset} holds {name}")
        })
        .collect();
    let more =
        if found.len() > NAMED { format!(", and {} more", found.len() - NAMED) } else { String::new() };
    let cause = if named.is_empty() { "no partition is in it".to_owned() } else { named.join(", ") + &more };
    let word = quoted(image.path());
    let ends_in_digit = word.chars().last().is_some_and(|letter| letter.is_ascii_digit());
    let next = match found.first() {
        None => format!("lsblk -f {word}"),
        Some((number, _)) if image.is_device() => {
            format!("fsgauge scan {word}{}{number}", if ends_in_digit { "p" } else { "" })
        }
        Some((number, _)) => {
            format!(
                "losetup --find --show --partscan --read-only {word}; fsgauge scan /dev/loop0p{number}   (of the name that it prints)"
            )
        }
    };
    let what =
        format!("{} holds a partition table, and a partition is what can be scanned", shown(image.path()));
    Failure::job("partition_table", what, cause, next)
}
