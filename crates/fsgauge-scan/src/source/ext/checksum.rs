//! Checksums of metadata.
//!
//! Source: ext4_chksum in fs/ext4/ext4.h of Linux 6.12.

/// CRC-32C that goes on from `seed`, not inverted at either end.
pub(super) fn extend(seed: u32, bytes: &[u8]) -> u32 {
    !crc32c::crc32c_append(!seed, bytes)
}

#[cfg(test)]
mod tests {
    use super::extend;

    #[test]
    fn the_checksum_goes_on_where_it_ended() {
        // The check value of CRC-32C, before its last inversion.
        assert_eq!(extend(u32::MAX, b"123456789"), !0xE306_9283);
        assert_eq!(extend(extend(u32::MAX, b"1234"), b"56789"), !0xE306_9283);
    }
}
