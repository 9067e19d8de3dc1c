//! From the addresses that a file system uses to offsets on the device, where these differ (btrfs).

/// A run of addresses and where it begins on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRun {
    /// Where the run begins, as the file system counts.
    pub address: u64,
    /// How long it is.
    pub length_bytes: u64,
    /// Where it begins on the device.
    pub device_offset: u64,
}

/// Runs, ascending by address, that do not overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressMap {
    runs: Vec<AddressRun>,
}

impl AddressMap {
    /// Of these runs, in any order.
    pub fn new(mut runs: Vec<AddressRun>) -> Self {
        runs.sort_unstable_by_key(|run| run.address);
        AddressMap { runs }
    }

    /// Where an address lies; `None` for one that no run holds.
    pub fn device_offset(&self, address: u64) -> Option<u64> {
        let at = self.runs.partition_point(|run| run.address <= address).checked_sub(1)?;
        let run = self.runs.get(at)?;
        let within = address - run.address;
        (within < run.length_bytes).then(|| run.device_offset.saturating_add(within))
    }

    /// Gives `found` each place of a run of addresses: offset and length. What no run holds is left out.
    pub fn places(&self, address: u64, length_bytes: u64, mut found: impl FnMut(u64, u64)) {
        let end = address.saturating_add(length_bytes);
        let run_end = |run: &AddressRun| run.address.saturating_add(run.length_bytes);
        let first = self.runs.partition_point(|run| run_end(run) <= address);
        for run in self.runs.iter().skip(first).take_while(|run| run.address < end) {
            let (begin, last) = (run.address.max(address), run_end(run).min(end));
            found(run.device_offset.saturating_add(begin - run.address), last - begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> AddressMap {
        let run = |address, length_bytes, device_offset| AddressRun { address, length_bytes, device_offset };
        AddressMap::new(vec![run(300, 100, 50), run(100, 100, 1000)])
    }

    #[test]
    fn an_address_is_looked_up_in_its_run() {
        let found = [99, 100, 199, 200, 300, 399, 400].map(|address| map().device_offset(address));
        assert_eq!(found, [None, Some(1000), Some(1099), None, Some(50), Some(149), None]);
    }

    #[test]
    fn a_long_run_is_split_over_what_holds_it() {
        let mut places = Vec::new();
        map().places(150, 200, |offset, length| places.push((offset, length)));
        assert_eq!(places, [(1050, 50), (50, 50)]);
    }
}
