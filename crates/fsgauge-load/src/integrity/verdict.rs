//! What one block that was read back is: right, or which fault it has.

use fsgauge_wire::BlockFault;

use super::image::Write;
use super::ledger::Ledger;
use super::sector::Sector;
use super::tag::Tag;
use crate::pattern::Place;

/// The fault of the block at `place`, whose first sector has `position`; none when all is right.
pub(crate) fn fault(
    sectors: &[Sector],
    ledger: &Ledger,
    place: Place,
    position: u64,
) -> Result<(), BlockFault> {
    let all = |is: fn(&Sector) -> bool| sectors.iter().all(is);
    if sectors.contains(&Sector::Corrupt) {
        return Err(BlockFault::Corrupt);
    }
    if all(|sector| matches!(sector, Sector::Others(_))) {
        return Err(BlockFault::Foreign);
    }
    if all(|sector| !matches!(sector, Sector::Ours(_))) {
        return Err(BlockFault::Lost);
    }
    let Some(tag) = whole(sectors) else { return Err(BlockFault::Torn) };
    let write = Write { writer: tag.writer, sequence: tag.sequence };
    // A write that was never made has the tag of another load with the same seed.
    if tag.position != position || ledger.place(write) != Some(place) {
        return Err(BlockFault::Foreign);
    }
    if ledger.last(tag.writer, place) == Some(write) { Ok(()) } else { Err(BlockFault::Stale) }
}

/// The first sector's tag, when all sectors are of this load and of the same write, in order.
fn whole(sectors: &[Sector]) -> Option<Tag> {
    let Some(Sector::Ours(first)) = sectors.first().copied() else { return None };
    let follows = |(index, sector): (u32, &Sector)| {
        let tag = Tag { position: first.position + u64::from(index), sector: index, ..first };
        *sector == Sector::Ours(tag)
    };
    (0u32..).zip(sectors).all(follows).then_some(first)
}
