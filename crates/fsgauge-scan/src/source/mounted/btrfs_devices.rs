//! The devices of a mounted btrfs: its own, and those of a seed that it grew from, to which nothing is written.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use super::kernel::{self, BtrfsInfo};
use crate::source::btrfs::reserved::RESERVED_BYTES;

/// Numbers of devices that are tried, at most: each device that is added gets a new one.
const DEVICE_NUMBERS: u64 = 1 << 16;

/// Bytes of one device, and of them those that chunks have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BtrfsDevice {
    pub(super) number: u64,
    pub(super) size_bytes: u64,
    pub(super) taken_bytes: u64,
    pub(super) is_seed: bool,
}

/// How many devices a chunk of a profile is on (`btrfs_raid_array` in fs/btrfs/volumes.c, Linux 6.12): the fewest, the
/// most of those that have room, and what it is a multiple of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spread {
    pub(super) fewest: usize,
    pub(super) most: usize,
    pub(super) multiple: usize,
}

/// Parts of all that has no chunk, at least, that chunks are reckoned in.
const STEPS: u64 = 1024;

/// All devices, as everybody may know them; `info` counts the file system's own.
pub(super) fn devices(folder: BorrowedFd<'_>, info: &BtrfsInfo) -> Result<Vec<BtrfsDevice>, Errno> {
    let mut devices = Vec::new();
    for number in 1..=info.last_device.min(DEVICE_NUMBERS) {
        match kernel::btrfs_device(folder, number) {
            Ok(found) => devices.push(BtrfsDevice {
                number,
                size_bytes: found.size_bytes,
                taken_bytes: found.taken_bytes,
                is_seed: found.identity != [0; 16] && found.identity != info.identity,
            }),
            Err(Errno::NODEV) => {}
            Err(errno) => return Err(errno),
        }
    }
    mark_seeds(&mut devices, info.devices);
    let own = devices.iter().filter(|device| !device.is_seed).count();
    if own as u64 == info.devices { Ok(devices) } else { Err(Errno::NODEV) }
}

/// Before Linux 6.3 only how many are the file system's own is told: a device that is added gets the next number.
fn mark_seeds(devices: &mut [BtrfsDevice], own: u64) {
    if devices.iter().any(|device| device.is_seed) {
        return;
    }
    let seeds = (devices.len() as u64).saturating_sub(own);
    devices.iter_mut().zip(0..seeds).for_each(|(device, _)| device.is_seed = true);
}

/// What no chunk has, beside what the kernel itself keeps, on the devices that may be written.
pub(super) fn unallocated(devices: &[BtrfsDevice]) -> u64 {
    of_each(devices, |device| device.taken_bytes).into_iter().fold(0, u64::saturating_add)
}

/// Of that, what is on too few devices for a chunk of this spread, and would be were no chunk made: where chunks take
/// more of one device than of others, as after btrfs replace, a balance moves them.
pub(super) fn unpaired(devices: &[BtrfsDevice], spread: Spread) -> u64 {
    let now = without_partner(of_each(devices, |device| device.taken_bytes), spread);
    now.min(without_partner(of_each(devices, |_| 0), spread))
}

/// What is left when no more chunk can be made, of which each takes as much of the emptiest devices.
fn without_partner(mut each: Vec<u64>, spread: Spread) -> u64 {
    let sum = |each: &[u64]| each.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    let step_bytes = (sum(&each) / STEPS).max(1 << 20);
    loop {
        each.sort_unstable_by(|one, other| other.cmp(one));
        let with_room = each.iter().filter(|bytes| **bytes > 0).count().min(spread.most);
        let on = with_room - with_room % spread.multiple;
        let Some(least) = each.get(on.wrapping_sub(1)).filter(|_| on >= spread.fewest) else {
            return sum(&each);
        };
        let taken = step_bytes.min(*least);
        each.iter_mut().take(on).for_each(|bytes| *bytes -= taken);
    }
}

/// What the devices that may be written have beside what is taken of each.
fn of_each(devices: &[BtrfsDevice], taken: fn(&BtrfsDevice) -> u64) -> Vec<u64> {
    let of =
        |device: &BtrfsDevice| device.size_bytes.saturating_sub(taken(device)).saturating_sub(RESERVED_BYTES);
    devices.iter().filter(|device| !device.is_seed).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(number: u64, is_seed: bool) -> BtrfsDevice {
        BtrfsDevice { number, size_bytes: 9 << 20, taken_bytes: 1 << 20, is_seed }
    }

    #[test]
    fn without_identities_those_with_the_lowest_numbers_are_the_seed() {
        let marked = |own: u64, seeds: &[bool]| {
            let mut devices: Vec<_> = (1..).zip(seeds).map(|(number, seed)| device(number, *seed)).collect();
            mark_seeds(&mut devices, own);
            devices.iter().map(|device| device.is_seed).collect::<Vec<_>>()
        };
        assert_eq!(marked(1, &[false; 3]), [true, true, false]);
        assert_eq!(marked(3, &[false; 3]), [false; 3]);
        assert_eq!(marked(1, &[false, true, false]), [false, true, false], "they are told");
    }

    #[test]
    fn what_is_in_no_chunk_of_a_seed_is_not_to_be_had() {
        assert_eq!(unallocated(&[device(1, true), device(2, false)]), 7 << 20);
    }

    fn copied(copies: usize) -> Spread {
        Spread { fewest: copies, most: copies, multiple: copies }
    }

    fn left(mebibytes: &[u64], spread: Spread) -> u64 {
        let sized =
            |size: &u64| BtrfsDevice { size_bytes: (size + 1) << 20, taken_bytes: 0, ..device(1, false) };
        unpaired(&mebibytes.iter().map(sized).collect::<Vec<_>>(), spread) >> 20
    }

    #[test]
    fn a_chunk_with_parity_is_on_all_devices_that_have_room() {
        let of =
            |mebibytes: &[u64], fewest| left(mebibytes, Spread { fewest, most: usize::MAX, multiple: 1 });
        assert_eq!([of(&[300, 900], 2), of(&[300, 600, 900], 2), of(&[500, 500, 500], 2)], [600, 300, 0]);
        assert_eq!(
            [of(&[300, 600, 900], 3), of(&[300, 300, 300, 900], 3), of(&[300, 300], 3)],
            [900, 600, 600]
        );
    }

    #[test]
    fn a_chunk_of_mirrors_that_are_striped_is_on_an_even_number() {
        let of = |mebibytes: &[u64]| left(mebibytes, Spread { fewest: 2, most: usize::MAX, multiple: 2 });
        assert_eq!(
            [of(&[700, 400, 300, 100]), of(&[100, 100, 100]), of(&[700, 100, 100, 100])],
            [100, 0, 600]
        );
    }

    #[test]
    fn of_large_devices_what_is_left_is_within_a_thousandth() {
        let tebibytes = |mebibytes: u64| mebibytes << 20;
        let found = left(&[4, 4, 16].map(tebibytes), copied(2));
        assert!(found.abs_diff(8 << 20) <= (24 << 20) / STEPS, "{found}");
    }

    #[test]
    fn what_is_on_too_few_devices_for_copies_has_no_partner() {
        let of = |mebibytes: &[u64], copies| left(mebibytes, copied(copies));
        assert_eq!([of(&[200, 800], 2), of(&[500, 500], 2)], [600, 0]);
        assert_eq!([of(&[100, 200, 100], 2), of(&[100, 100, 700], 2), of(&[80], 2)], [0, 500, 80]);
        assert_eq!([of(&[900, 100, 500], 3), of(&[900, 900, 100, 100], 3)], [1200, 1400]);
        let (full, other) = (BtrfsDevice { taken_bytes: 5 << 20, ..device(1, false) }, device(2, false));
        assert_eq!(unpaired(&[full, other], copied(2)), 0, "a balance makes room");
        assert_eq!(
            unpaired(&[device(1, true), other], copied(2)),
            7 << 20,
            "a seed has no copies of new data"
        );
        assert_eq!(unpaired(&[BtrfsDevice { size_bytes: 14 << 20, ..other }, other], copied(2)), 5 << 20);
        assert_eq!(unpaired(&[BtrfsDevice { size_bytes: 14 << 20, ..full }, other], copied(2)), 1 << 20);
    }
}
