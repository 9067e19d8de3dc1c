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

/// Of that, what is on too few devices for so many copies, each on another one, and would be were no chunk made: where
/// chunks take more of one device than of others, as after btrfs replace, a balance moves them.
pub(super) fn unpaired(devices: &[BtrfsDevice], copies: usize) -> u64 {
    let now = without_partner(of_each(devices, |device| device.taken_bytes), copies);
    now.min(without_partner(of_each(devices, |_| 0), copies))
}

/// While the largest are larger than all others together, their copies end with the others.
fn without_partner(mut each: Vec<u64>, copies: usize) -> u64 {
    each.sort_unstable_by(|one, other| other.cmp(one));
    let sum = |from: usize| each.iter().skip(from).fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    let of_one_copy = (0..copies).map(|largest| sum(largest) / (copies - largest) as u64).min().unwrap_or(0);
    sum(0).saturating_sub(of_one_copy.saturating_mul(copies as u64))
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

    #[test]
    fn what_is_on_too_few_devices_for_copies_has_no_partner() {
        let of = |mebibytes: &[u64], copies| {
            let sized =
                |size: &u64| BtrfsDevice { size_bytes: (size + 1) << 20, taken_bytes: 0, ..device(1, false) };
            unpaired(&mebibytes.iter().map(sized).collect::<Vec<_>>(), copies) >> 20
        };
        assert_eq!([of(&[200, 800], 1), of(&[200, 800], 2), of(&[500, 500], 2)], [0, 600, 0]);
        assert_eq!([of(&[100, 200, 100], 2), of(&[100, 100, 700], 2), of(&[80], 2)], [0, 500, 80]);
        assert_eq!([of(&[900, 100, 500], 3), of(&[900, 900, 100, 100], 3)], [1200, 1400]);
        let (full, other) = (BtrfsDevice { taken_bytes: 5 << 20, ..device(1, false) }, device(2, false));
        assert_eq!(unpaired(&[full, other], 2), 0, "a balance makes room");
        assert_eq!(unpaired(&[device(1, true), other], 2), 7 << 20, "a seed has no copies of new data");
        assert_eq!(unpaired(&[BtrfsDevice { size_bytes: 14 << 20, ..other }, other], 2), 5 << 20);
        assert_eq!(unpaired(&[BtrfsDevice { size_bytes: 14 << 20, ..full }, other], 2), 1 << 20);
    }
}
